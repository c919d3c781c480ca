"""The text that a match must contain: what is claimed is always true, and worthwhile where it can be."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.index.query.regex_literal import required_texts

atoms = st.sampled_from(["a", "b", "ab", ".", "[ab]", "[^a]", "\\.", "\\d", "\\b", "^", "$", "c"])
pieces = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "+?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=2).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.lists(inner, min_size=2, max_size=2).map("|".join),
    ),
    max_leaves=6,
)


@given(pieces, st.lists(st.text("ab.c1", max_size=8), max_size=30))
def test_whatever_matches_contains_one_of_the_required_texts(pattern, names):
    texts = required_texts(pattern)
    for name in names:
        if texts and re.search(pattern, name):
            assert any(text in name for text in texts)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("report.*\\.py$", ("report",)),
        ("(x+x+)+y", ("xx",)),
        ("a+b+c", ("ab",)),
        ("foo|bar", ("foo", "bar")),
        ("[a-z]+_test", ("_test",)),
        ("a(b|c)de", ("de",)),
        ("(?:ab){2}c", ("abc",)),
        ("colou?r", ("colo",)),
    ],
)
def test_usual_expressions_are_read(pattern, texts):
    assert required_texts(pattern) == texts


@pytest.mark.parametrize(
    "pattern", ["", ".*", "a|", "(?i)abc", "(?P<x>abc)", "\\p{L}abc", "[[:alpha:]]abc", "a{x", "(abc", "abc)", "*a"]
)
def test_nothing_is_claimed_about_what_is_not_understood(pattern):
    assert required_texts(pattern) == ()
