"""Counting the values of a JSON text without parsing it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.admission.limits import MAX_JSON_VALUES
from cmdr.http import request_limits
from cmdr.http.request_limits import has_too_many_values

VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


def count(value):
    if isinstance(value, dict):
        return 1 + sum(1 + count(inner) for inner in value.values())
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


def test_a_long_text_is_one_value_whatever_stands_in_it():
    assert not has_too_many_values(json.dumps({"content": 'a,"[{\\' * 500_000}).encode())


def test_a_long_list_or_a_wide_object_is_refused():
    assert has_too_many_values(b"[" + b"1," * 100_000 + b"1]")
    assert has_too_many_values(json.dumps({str(number): number for number in range(MAX_JSON_VALUES * 2)}).encode())
    assert has_too_many_values(b"[" * 100_000)
    assert has_too_many_values(b'["a"' * 100_000)


def test_bare_values_count_like_any_others():
    """Twice as many numbers as strings were let through."""
    assert has_too_many_values(b"[" + b"10," * (MAX_JSON_VALUES + 1) + b"10]")
    assert not has_too_many_values(b"[" + b"10," * (MAX_JSON_VALUES - 10) + b"10]")


def test_as_many_values_as_anyone_needs_are_fine():
    assert not has_too_many_values(
        json.dumps({"names": [f"file{number}.txt" for number in range(MAX_JSON_VALUES - 10)]}).encode()
    )


@given(VALUES)
def test_nothing_that_is_counted_as_narrow_is_wide(value):
    text = json.dumps(value).encode()
    before, request_limits.MIN_CHECKED_BYTES = request_limits.MIN_CHECKED_BYTES, 0
    try:
        assert has_too_many_values(text, most=5) or count(value) <= 12
    finally:
        request_limits.MIN_CHECKED_BYTES = before


def test_looking_comes_to_an_end_at_the_worst_texts():
    """A pattern that tried other ways through a string would not."""
    for worst in (b'"' + b"\\" * 4_000_000, b'"' * 4_000_000, b"x" * 4_000_000, b'{"a":"' + b"b" * 4_000_000 + b'"}'):
        assert not has_too_many_values(worst)
