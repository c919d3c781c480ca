"""Positions and offsets convert both ways; what openFile selects."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.text_selection import (
    Position,
    TextIndex,
    TextSelection,
    character_index,
    find_range,
    utf16_column,
    utf16_length,
)

PIECES = st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r\n", "\r", "\ufeff", "\u2028", "日"]), max_size=20).map(
    "".join
)
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


@given(PIECES)
def test_offsets_and_positions_convert_both_ways(text):
    index = TextIndex(text)
    for offset in range(len(text) + 1):
        inside_pair = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        position = index.position_at(offset)
        assert index.offset_at(position) == (offset - 1 if inside_pair else offset)
    assert index.line_count == text.count("\n") + 1


@given(PIECES.map(lambda text: text.replace("\n", "")), st.integers(-2, 60))
def test_columns_convert_both_ways_and_never_split_a_character(line, column):
    index = character_index(line, column)
    back = utf16_column(line, index)
    assert back <= max(column, 0)
    assert 0 <= index <= len(line)
    if column >= 0 and back != column:
        assert column > utf16_length(line) or line[index] > "\uffff"


def test_emoji_count_two_units():
    assert utf16_length("a😀b") == 4
    assert TextIndex("x\na😀b").position_at(4) == Position(1, 3)


def test_a_selection_made_backwards_is_put_in_order():
    assert TextSelection(Position(2, 0), Position(1, 5)).start == Position(1, 5)


def test_positions_outside_the_text_are_taken_to_the_nearest_place():
    index = TextIndex("ab\ncd")
    assert [index.offset_at(Position(*p)) for p in [(-1, 0), (0, 99), (9, 0)]] == [0, 2, 5]
