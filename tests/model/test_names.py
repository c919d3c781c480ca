"""Names survive every edge, and nothing in them can act on what shows them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.names import from_wire, to_wire

INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.binary(max_size=300))
def test_any_bytes_come_back_exactly(name):
    assert from_wire(to_wire(name)) == name


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_the_printable_form_holds_nothing_invisible(name):
    assert not [c for c in to_wire(name) if unicodedata.category(c) in INVISIBLE]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"README.md", "README.md"),
        ("füße 日本.txt".encode(), "füße 日本.txt"),
        (b"bad\xffname", "bad\\xffname"),
        (b"\x1b]0;pwn\x07", "\\u{1b}]0;pwn\\u{7}"),
        (b"back\\slash", "back\\\\slash"),
        ("evil\u202egpj.exe".encode(), "evil\\u{202e}gpj.exe"),
        (b"two\nlines", "two\\u{a}lines"),
    ],
)
def test_names_are_shown_as_a_reader_expects(name, shown):
    assert to_wire(name) == shown


@pytest.mark.parametrize("text", ["C:\\new", "50\\%", "\\u{110000}", "\\u{d800}", "\\xZZ", "tail\\"])
def test_text_that_is_no_escape_is_taken_literally(text):
    assert from_wire(text) == text.encode()
