"""Text goes through cmdr and comes back as the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.diff import BinaryContentError
from cmdr.model.texts.text_format import TextFormat, UnencodableTextError, read_text, write_text

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
