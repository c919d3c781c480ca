"""Edits by text apply one after another, or are refused by number."""

import pytest

from cmdr.model.texts.text_edits import AmbiguousEditError, EditNotFoundError, TextEdit, apply_edits


def test_edits_apply_one_after_another():
    assert apply_edits("one two\n", [TextEdit("one", "1"), TextEdit("1 two", "1 2")]) == "1 2\n"
    assert apply_edits("", [TextEdit("", "new\n")]) == "new\n"


def test_edits_that_fit_nowhere_or_twice_are_refused_by_number():
    with pytest.raises(EditNotFoundError, match="Edit 2"):
        apply_edits("a", [TextEdit("a", "b"), TextEdit("a", "c")])
    with pytest.raises(AmbiguousEditError, match="3 places"):
        apply_edits("aaaa", [TextEdit("aa", "b")])
