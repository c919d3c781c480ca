"""Expressions mean the same to the index and to DuckDB, letter by letter, or are refused."""

import sys
import unicodedata

import duckdb
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cmdr.index.errors import BadPattern
from cmdr.index.fleets.re2_syntax import portable


def by_polars(texts, pattern):
    return pl.Series(texts, dtype=pl.String).str.contains(pattern).to_list()


def by_duckdb(texts, pattern):
    question = "SELECT regexp_matches(unnest(?::VARCHAR[]), ?)"
    return [found for (found,) in duckdb.execute(question, [texts, pattern]).fetchall()]


@pytest.fixture(scope="module")
def letters():
    """Every letter that there is, as both engines hold them."""
    points = (chr(point) for point in range(1, sys.maxunicode + 1))
    known = [letter for letter in points if unicodedata.category(letter) not in ("Cn", "Cs")]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE letters AS SELECT unnest(?::VARCHAR[]) AS letter", [known])
        yield pl.Series(known, dtype=pl.String), connection


@pytest.mark.parametrize("pattern", [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"[\d]", r"[\w]", r"[^\s\d]", r"[^\w]"])
def test_the_classes_hold_the_same_letters(letters, pattern):
    known, connection = letters
    question = "SELECT letter FROM letters WHERE regexp_matches(letter, ?)"
    by_duckdb = {letter for (letter,) in connection.execute(question, [portable(pattern, True)]).fetchall()}
    by_polars = {*known.filter(known.str.contains(pattern)).to_list()}
    differ = [f"{letter} U+{ord(letter):04X} {unicodedata.category(letter)}" for letter in by_polars ^ by_duckdb]
    assert not differ


parts = st.sampled_from(
    [
        *(
            "a",
            "B",
            "é",
            "ß",
            "1",
            "٣",
            " ",
            "_",
            "-",
            ".",
            "\\.",
            "\\d",
            "\\w",
            "\\W",
            "\\s",
            "\\S",
            "\\D",
            "^",
            "$",
            "|",
        ),
        *(
            "[ab]",
            "[^a]",
            "[a-e]",
            "[]a]",
            "[^]a]",
            "[-a]",
            "[a-]",
            "[\\w-]",
            "[\\]x]",
            "[[:alpha:]]",
            "[\\d٣]",
            "[\\x{e9}]",
        ),
        *(
            "*",
            "+",
            "?",
            "{2}",
            "{1,}",
            "(",
            ")",
            "(?:",
            "(?i)",
            "(?P<n>",
            "(?<m>",
            "(?s:",
            "(?-i:",
            "\\u00e9",
            "\\u{e9}",
        ),
        *(
            "\\x41",
            "\\p{L}",
            "\\pL",
            "\\P{Nd}",
            "\\A",
            "\\z",
            "\\n",
            "\n",
            "\\-",
            "\\/",
            "(?x)",
            "&&",
            "[a&&b]",
            "[a[b]]",
        ),
    ]
)
texts = [
    "",
    "a",
    "aB",
    "é",
    "É",
    "ss",
    "ß",
    "a1",
    "٣",
    "a b",
    "-",
    "_",
    "a\nb",
    "B.",
    "[a]",
    "x]",
    "A",
    "ab\n",
    "&&",
    "e-é",
]


@pytest.mark.parametrize("pattern", ["a(?s:)", "a(?:)", "(?:)a", "a(?-i:)(?m:)", "a(?:|b)", "a(?i)", "a(?:(?:))"])
def test_an_empty_group_is_not_taken_for_an_end(pattern):
    assert by_duckdb(texts, portable(pattern, True)) == by_polars(texts, pattern)


@settings(deadline=None, max_examples=200)
@given(pattern=st.lists(parts, min_size=1, max_size=6).map("".join), case=st.booleans())
def test_an_expression_that_both_take_finds_the_same(pattern, case):
    try:
        said = portable(pattern, case)
    except BadPattern:
        assume(False)
    try:
        found = by_duckdb(texts, said)
    except duckdb.Error:
        assume(False)
    assert found == by_polars(texts, pattern if case else f"(?i){pattern}")
    assert found == by_polars(texts, said)


@pytest.mark.parametrize(
    "pattern",
    ["(?x) a", "[a&&b]", "[a[b]]", "[a--b]", "[\\W]", "\\<a", "\\b{start}a", "(?R)a", "a\ud800", "(", "(?=a)"],
)
def test_what_cannot_be_said_to_both_is_refused(pattern):
    with pytest.raises(BadPattern):
        portable(pattern, True)


def test_a_hard_expression_takes_no_longer_than_an_easy_one():
    assert by_duckdb(["a" * 5000 + "b"], portable("(a+)+$", True)) == [False]
