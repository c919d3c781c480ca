"""What openFile selects."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.text_selection import TextIndex, find_range

TEXT = "def a():\n    return 1\n\ndef b():\n    return 1\n"


def chosen(*args, text=TEXT, **more):
    index = TextIndex(text)
    found = find_range(index, *args, **more)
    return None if found.selection is None else index.selected(found.selection)


def test_the_first_match_of_the_start_is_selected():
    assert chosen("return") == "return"


def test_the_selection_runs_through_the_first_end_at_or_after_the_start():
    assert chosen("def b", "1") == "def b():\n    return 1"
    assert chosen("return", "return") == "return"


def test_the_selection_can_run_to_the_end_of_the_line():
    assert chosen("def", to_end_of_line=True) == "def a():"
    assert chosen("def a", "return", to_end_of_line=True) == "def a():\n    return 1"


def test_what_is_not_found_is_named_and_selects_nothing():
    index = TextIndex(TEXT)
    assert find_range(index, "nope").message == "startText was not found in the file."
    assert find_range(index, "def b", "def a").message == "endText was not found after startText."
    assert find_range(index, "def b", "def a").selection is None


def test_nothing_asked_selects_nothing_without_a_message():
    found = find_range(TextIndex(TEXT))
    assert (found.selection, found.message) == (None, None)


def test_texts_over_several_lines_match_whatever_their_line_ends():
    assert chosen("():\r\n    return") == "():\n    return"


def test_columns_are_utf16():
    found = find_range(TextIndex("😀 x"), "x")
    assert found.selection.start.character == 3


@given(st.text(alphabet="ab\n😀"), st.text(alphabet="ab\n😀", max_size=3), st.text(alphabet="ab\n😀", max_size=3))
def test_a_selection_begins_with_the_start_text_and_holds_the_end_text(text, start, end):
    selected = chosen(start, end, text=text)
    if selected is not None and start:
        assert selected.startswith(start)
        assert end in selected
