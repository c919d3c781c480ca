"""Whatever a name or a text holds, what is drawn is ink of exactly the width asked for."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cmdr.tui.terminal.safe_text import fit, fit_name, printable, shown, width_of
from cmdr.tui.viewer.file_rows import line_text, wrapped

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def is_ink(text):
    return all(unicodedata.category(char) not in UNSEEN for char in text)


@given(st.binary(min_size=1, max_size=255))
def test_every_name_is_shown_as_ink(name):
    assert is_ink(shown(name))


@given(st.text(max_size=200))
def test_every_text_is_made_visible(text):
    assert is_ink(printable(text))
    assert is_ink(line_text(text))


@given(st.binary(max_size=120), st.integers(0, 60))
def test_a_name_takes_exactly_its_room(name, width):
    text = shown(name)
    assert width_of(fit(text, width)) == width
    assert width_of(fit(text, width, keep_end=True)) == width
    assert width_of(fit_name(text, width)) == width


@given(st.text(max_size=200), st.integers(4, 40))
def test_wrapping_loses_nothing_and_fits(text, width):
    line = printable(text)
    rows = wrapped(line, width)
    assert "".join(rows) == line
    assert all(width_of(row) <= width for row in rows)


def test_an_escape_sequence_in_a_name_is_spelled_out():
    assert shown(b"a\x1b[2Jb") == "a\\u{1b}[2Jb"


def test_a_long_name_keeps_its_extension():
    assert fit_name("a very long file name indeed.txt", 16) == "a very long….txt"
