"""Lists that narrow while one types."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.tui.windows.choose import Choice, narrowed


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=5))
def test_narrowing_never_invents_and_an_empty_text_keeps_all(texts, typed):
    choices = [Choice(str(place), text) for place, text in enumerate(texts)]
    assert set(narrowed(choices, typed)) <= set(choices)
    assert narrowed(choices, "") == choices


def test_what_begins_so_comes_first():
    found = narrowed([Choice("a", "Resort"), Choice("b", "Sort"), Choice("c", "Now sort")], "sort")
    assert [choice.text for choice in found] == ["Sort", "Now sort", "Resort"]
