"""Texts that every match of an expression contains: never one too many, and enough to be worth it."""

import re

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.index.contents.required_texts import best_choice, required


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("foxes", [{"foxes"}]),
        ("fox|dog", [{"fox", "dog"}]),
        ("fo+x", [{"fo"}, {"x"}]),
        (r"def \w+\(self", [{"def "}, {"(self"}]),
        ("(?:ab|cd)ef", [{"abef", "cdef"}]),
        ("[ab]c.d", [{"ac", "bc"}, {"d"}]),
        ("a{3}b", [{"aaa"}, {"b"}]),
        ("fox?", [{"fo"}]),
        ("fo??x", [{"f"}, {"x"}]),
        (r"^\bfox\b$", [{"fox"}]),
        ("x*", []),
        (r"\d+", []),
        ("", []),
        ("(?i:fox)", []),
        ("[[:digit:]]abc", []),
        (r"\x41bc", []),
        (r"fox|\d", []),
        ("a{,3}b", []),
    ],
)
def test_what_a_line_must_contain(pattern, needed):
    assert [set(one) for one in required(pattern, True)] == needed


def test_in_any_case_only_ascii_is_relied_on():
    assert required("Fox", False) == (frozenset(["fox"]),)
    assert required("(?i)Fox", True) == (frozenset(["fox"]),)
    assert required("grüße", False) == (frozenset(["gr"]), frozenset(["e"]))
    assert required("grüße", True) == (frozenset(["grüße"]),)


def test_the_longest_text_is_looked_for_first():
    assert best_choice(required("ab+cdef|xyz", True)) == frozenset(["cdef", "xyz"])
    assert best_choice(()) is None


PARTS = st.sampled_from(
    ["a", "b", "fo", "x", ".", r"\w", r"\s", "[ab]", "[^a]", "^", "$", r"\b", "(?:fo|x)", "(a|b+)", "é", r"\.", "[a-f]"]
)
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "+?", "*?", "{0,2}"])
PATTERNS = st.lists(st.tuples(PARTS, REPEATS).map("".join), min_size=1, max_size=6).map("".join)


@settings(max_examples=400)
@given(
    pattern=st.lists(PATTERNS, min_size=1, max_size=3).map("|".join),
    lines=st.lists(st.text("abfoxé .A", max_size=12), min_size=1, max_size=40),
    case=st.booleans(),
)
def test_a_line_that_matches_contains_what_is_required(pattern, lines, case):
    try:
        hits = polars.Series(lines).str.contains(pattern if case else f"(?i){pattern}").to_list()
    except polars.exceptions.PolarsError:
        return
    for line, hit in zip(lines, hits, strict=True):
        shown = line if case else line.lower()
        for choice in required(pattern, case) if hit else ():
            assert any(re.search(re.escape(text), shown) for text in choice), (pattern, choice, line)
