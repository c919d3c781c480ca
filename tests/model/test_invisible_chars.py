"""What cannot be seen becomes a sign, and everything else stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.invisible_chars import INVISIBLE, is_blank, visible
from cmdr.model.names import to_wire


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
        ("hangul\u3164filler", "hangul·filler"),
        ("braille\u2800blank", "braille·blank"),
    ],
)
def test_signs_stand_for_what_cannot_be_seen(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_acts_on_the_reader_is_left(text):
    shown = visible(text)
    assert len(shown) == len(text)
    assert not INVISIBLE.search(shown)
    assert all(char.isprintable() or char in "\t\u00a0" for char in shown)


# What Unicode calls default ignorable, and what draws nothing besides: facts of DerivedCoreProperties.
IGNORABLE = [
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
]  # fmt: skip
ALSO_EMPTY = [0x2800, 0x16FE4, 0x1D159]


def test_no_character_that_draws_nothing_is_shown_as_itself_in_a_name():
    for point in [*IGNORABLE, *ALSO_EMPTY]:
        assert to_wire(f"a{chr(point)}b".encode()) == f"a\\u{{{point:x}}}b"


def test_what_can_be_seen_is_not_called_blank():
    assert not [char for char in "␠␢꣹ㅤ"[:3] if is_blank(char)]
    assert not [chr(point) for point in range(0x2801, 0x2900) if is_blank(chr(point))]
    assert not [chr(point) for point in range(0xAC00, 0xD7A4, 7) if is_blank(chr(point))]
