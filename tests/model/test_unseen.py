"""What cannot be seen becomes a sign, and everything else stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.unseen import UNSEEN, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("tab\tstays", "tab\tstays"),
        ("grün 日本 😀", "grün 日本 😀"),
        ("\x1b[31m", "␛[31m"),
        ("a\x7fb", "a␡b"),
        ("a\u202eb", "a·b"),
        ("zero\u200bwidth", "zero·width"),
        ("half \udc80", "half \ufffd"),
        ("next\u2028line", "next·line"),
    ],
)
def test_signs_stand_for_what_cannot_be_seen(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_acts_on_the_reader_is_left(text):
    shown = visible(text)
    assert len(shown) == len(text)
    assert not UNSEEN.search(shown)
    assert all(char.isprintable() or char in "\t\u00a0" for char in shown)
