"""Names survive every edge, and nothing in them can act on what shows them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.names import from_wire, is_within, to_wire

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


NAMES = st.binary(min_size=1, max_size=6).filter(lambda name: b"/" not in name and b"\0" not in name)
WAYS = st.lists(NAMES, max_size=5)
SLASHES = st.integers(0, 3).map(lambda count: b"/" * count)


def path_of(names):
    return b"/" + b"/".join(names)


@given(WAYS, WAYS, SLASHES, SLASHES)
def test_what_begins_with_all_names_of_a_folder_is_within_it(folder, way, after_folder, after_path):
    whole = [*folder, *way]
    assert is_within(path_of(whole) + after_path, path_of(folder) + after_folder)


@given(WAYS, WAYS, SLASHES, SLASHES)
def test_nothing_else_is(folder, path, after_folder, after_path):
    expected = path[: len(folder)] == folder
    assert is_within(path_of(path) + after_path, path_of(folder) + after_folder) == expected


@given(WAYS, NAMES, NAMES)
def test_a_name_that_only_begins_alike_is_another_name(folder, name, more):
    assert not is_within(path_of([*folder, name + more]), path_of([*folder, name]))


@pytest.mark.parametrize(
    ("path", "folder", "within"),
    [
        (b"/a/b", b"/a", True),
        (b"/a/bc", b"/a/b", False),
        (b"/a/b", b"/a/b/", True),
        (b"/a/b/", b"/a/b", True),
        (b"/a", b"/a/b", False),
        (b"/", b"/", True),
        (b"/a", b"/", True),
        (b"", b"/", False),
        (b"/a", b"", False),
    ],
)
def test_roots_prefixes_and_nothing_at_all(path, folder, within):
    assert is_within(path, folder) is within
