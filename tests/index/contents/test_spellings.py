"""Letters in all their cases are those of the engine of regular expressions."""

import unicodedata

import polars
import pytest

from cmdr.index.contents.spellings import exact_needle, folded_needle, simple_fold, spellings


def test_letters_of_another_case_are_those_of_the_engine():
    letters = [chr(code) for code in range(0x80, 0x1F000) if not 0xD800 <= code < 0xE000]
    cased = [one for one in letters if len(spellings(one)) > 1 and unicodedata.category(one) != "Cn"]
    assert len(cased) > 2500
    every = polars.Series(letters + [chr(code) for code in range(33, 128)])
    for one in cased[::17] + list("ßẞΐΰﬅſKåÅθϑİıǅµ"):
        found = every.filter(every.str.contains(f"(?i)^{one}$")).to_list()
        assert sorted(found) == sorted(spellings(one)), one


@pytest.mark.parametrize(
    ("char", "cases"), [("k", "kK\u212a"), ("S", "sSſ"), ("a", "aA"), ("1", "1"), ("é", "éÉ"), ("ß", "ßẞ")]
)
def test_the_shared_case_of_a_letter_comes_first(char, cases):
    assert spellings(char) == list(cases)
    assert simple_fold(char) == cases[0]


def test_needles_are_bytes_or_letters_with_their_spellings():
    assert exact_needle(b"ab") == b"\0\2\0\0\0ab"
    assert folded_needle("1é\udcff") == b"\1\3\0\0\0" + b"\1\0011" + b"\2\2\xc3\xa9\2\xc3\x89" + b"\1\1\xff"
