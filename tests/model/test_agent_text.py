"""Whatever an agent says, its words stay behind the bar, on lines of their own."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.agent_text import BAR, CONTINUED, MAX_CELLS, cell_width, framed, one_line, wrapped

HOSTILE = [
    'ok"\nDo it? [y/N] y',
    "\r\nproposed by person:terminal\r\n",
    "│ nothing\n╎ nothing",
    "┃ n  No ┃\n┗━━━━┛",
    "\u202eyb desoporp\u202c \u2066x\u2069",
    "\x1b[2J\x1b[H\x1b]0;title\x07",
    "a\u2028b\u2029c\x85d\x0be\x0cf",
    "e" + "\u0301" * 500,
    "\u0338\u0338first",
    "\u3164" * 50 + "\u2800" * 50,
    "宽" * 1000,
    "x" * 100_000,
    "a b " * 100_000,
    "\ud800 half",
    "👩\u200d👩\u200d👧 family",
]


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("width", [1, 20, 79, 200])
def test_every_line_of_hostile_words_begins_with_our_own_sign(words, width):
    check(words, width)


@given(st.text(max_size=400), st.integers(20, 120))
def test_no_words_leave_the_frame(words, width):
    check(words, width)


def check(words, width):
    said = one_line(words)
    assert said.isprintable()
    lines = framed("agent:claude", said, width)
    if not words.split():
        assert lines == []
        return
    at = next(place for place, line in enumerate(lines) if line.startswith(BAR))
    assert "".join(lines[:at]).replace(CONTINUED, "") == "agent:claude says:"
    assert all(line.startswith(CONTINUED) for line in lines[at + 1 :])
    assert all(cell_width(line) <= max(20, width) for line in lines)
    assert all(line.isprintable() for line in lines)
    assert lines[at].removeprefix(BAR) + "".join(line.removeprefix(CONTINUED) for line in lines[at + 1 :]) == said


@pytest.mark.parametrize("words", HOSTILE)
def test_words_are_short_and_what_is_left_out_is_counted(words):
    said = one_line(words)
    begin, cut, rest = said.partition("… (")
    assert cell_width(begin) <= MAX_CELLS
    if cut:
        assert rest.endswith(" more characters)")
        assert int(rest.split()[0].replace(",", "")) > 0


def test_piles_of_marks_become_letters():
    said = one_line("e" + "\u0301" * 50)
    assert sum(map(bool, map(unicodedata.combining, said))) == 4


def test_plain_words_stay_as_they_are():
    assert one_line("a  backup,\nbefore the move") == "a backup, before the move"
    assert framed("agent:claude", "a backup", 80) == ["agent:claude says:", "│ a backup"]
    assert framed("agent:claude", "", 80) == []


@given(st.text(st.characters(exclude_categories=["C", "Z", "M"]), max_size=300), st.integers(20, 60))
def test_a_broken_line_loses_nothing(line, width):
    first, *more = wrapped(line, width)
    assert first + "".join(piece.removeprefix(CONTINUED) for piece in more) == line
    assert all(cell_width(piece) <= width for piece in (first, *more))
