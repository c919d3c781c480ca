"""Text goes through cmdr and comes back as the same bytes; places in it convert both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.review import take_proposed
from cmdr.model.texts.text_edits import AmbiguousEditError, EditNotFoundError, TextEdit, apply_edits
from cmdr.model.texts.text_format import TextFormat, UnencodableTextError, read_text, write_text
from cmdr.model.texts.text_selection import (
    Position,
    TextIndex,
    TextSelection,
    character_index,
    utf16_column,
    utf16_length,
)

PIECES = st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r\n", "\r", "\ufeff", "\u2028", "日"]), max_size=20).map(
    "".join
)
CODECS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "shift-jis"]


@given(st.binary(max_size=200) | st.tuples(PIECES, st.sampled_from(CODECS)).map(lambda p: p[0].encode(p[1], "replace")))
def test_bytes_that_are_read_as_text_are_written_back_exactly(content):
    try:
        file = read_text(content)
    except BinaryContentError:
        return
    assert write_text(file.text, file.format) == content


@pytest.mark.parametrize(
    ("content", "text", "format"),
    [
        (b"a\nb", "a\nb", TextFormat()),
        (b"a\r\nb\r\n", "a\nb\n", TextFormat(eol="\r\n")),
        (b"a\rb\r", "a\nb\n", TextFormat(eol="\r")),
        (b"a\r\nb\n", "a\r\nb\n", TextFormat(eol="mixed")),
        (b"\xef\xbb\xbfa\n", "a\n", TextFormat(bom=True)),
        ("é\n".encode("utf-16"), "é\n", TextFormat("utf-16-le", bom=True)),
        (b"na\xefve\n", "naïve\n", TextFormat("cp1252")),
        (b"", "", TextFormat()),
    ],
)
def test_how_a_file_is_stored_is_recognised(content, text, format):
    file = read_text(content)
    assert (file.text, file.format) == (text, format)


@pytest.mark.parametrize(
    "content", [b"\x7fELF\x01\0\0", b"\x89PNG\r\n\x1a\n\0\0", b"\x1f\x8b\x08\x01\x02\xff\xfe", b"a\0b"]
)
def test_binary_contents_are_refused(content):
    with pytest.raises(BinaryContentError):
        read_text(content)


def test_a_character_the_encoding_lacks_is_refused_by_name():
    with pytest.raises(UnencodableTextError, match="cp1252"):
        write_text("日", TextFormat("cp1252"))


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


def test_a_client_that_sends_plain_line_ends_for_a_crlf_file_changes_nothing_by_it():
    proposed = take_proposed("a\nb\n", TextFormat(eol="\r\n"))
    assert proposed.inner == "a\nb\n"
    assert proposed.as_sent("a\nc\n") == "a\nc\n"


def test_a_byte_order_mark_sent_as_a_character_comes_back_as_one():
    proposed = take_proposed("\ufeffa\r\n", TextFormat(bom=True, eol="\r\n"))
    assert proposed.inner == "a\n"
    assert proposed.as_sent("b\n") == "\ufeffb\r\n"


@given(PIECES, st.sampled_from(["\n", "\r\n", "mixed"]), st.booleans())
def test_an_unchanged_proposal_is_given_back_as_it_was_sent(sent, eol, bom):
    proposed = take_proposed(sent, TextFormat(bom=bom, eol=eol))
    assert proposed.as_sent(proposed.inner) == sent


def test_edits_apply_one_after_another():
    assert apply_edits("one two\n", [TextEdit("one", "1"), TextEdit("1 two", "1 2")]) == "1 2\n"
    assert apply_edits("", [TextEdit("", "new\n")]) == "new\n"


def test_edits_that_fit_nowhere_or_twice_are_refused_by_number():
    with pytest.raises(EditNotFoundError, match="Edit 2"):
        apply_edits("a", [TextEdit("a", "b"), TextEdit("a", "c")])
    with pytest.raises(AmbiguousEditError, match="3 places"):
        apply_edits("aaaa", [TextEdit("aa", "b")])
