"""Sizes and times as people read them."""

import time
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.units import (
    DATE_WIDTHS,
    UnitError,
    count,
    date,
    human_size,
    iso_date,
    iso_time,
    read_size,
    read_time,
    short_size,
    span,
    time_ns,
    time_words,
    total_text,
)

NOON_NS = int(datetime.fromisoformat("2026-11-16T00:00:00Z").timestamp()) * 10**9
"""Afternoon of the 16th in Auckland, midnight in Greenwich."""


@pytest.fixture(autouse=True)
def zone(monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@given(st.integers(0, 4_000_000_000 * 10**9))
def test_the_date_is_the_date_of_the_time(ns):
    assert iso_time(ns).startswith(iso_date(ns))
    assert int(datetime.fromisoformat(iso_time(ns)).timestamp()) == ns // 10**9


def test_the_last_nanosecond_of_a_day_belongs_to_that_day():
    """Dividing into a float rounded it up to the next day."""
    midnight = int(datetime(2025, 1, 16).timestamp()) * 10**9
    assert iso_date(midnight - 1) == "2025-01-15"


@given(st.integers(-(2**100), 2**100))
def test_a_time_that_no_calendar_holds_is_told_all_the_same(ns):
    """File systems can keep years beyond 9999; such a file broke the whole state."""
    assert len(iso_date(ns)) == 10
    assert iso_time(ns)


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (5 * 2**30, "5.0 GiB"),
        (2**70, "1048576.0 PiB"),
    ],
)
def test_sizes_are_told_in_binary_steps(size, told):
    assert human_size(size) == told


def test_numbers_agree_with_their_noun():
    assert (count(1, "file"), count(0, "file"), count(2, "entry", "entries")) == ("1 file", "0 files", "2 entries")


@pytest.mark.parametrize(
    ("size", "style", "told"),
    [(0, "binary", "0"), (1023, "binary", "1023"), (1024, "binary", "1.0K"), (15_000_000, "binary", "14M"),
     (1000, "decimal", "1.0k"), (2**62, "binary", "4.0E"), (1234567, "bytes", "1\u2009234\u2009567")],
)  # fmt: skip
def test_sizes(size, style, told):
    assert short_size(size, style) == told


@pytest.mark.parametrize("style", list(DATE_WIDTHS))
@pytest.mark.parametrize("ns", [0, 1_700_000_000 * 10**9, -(10**18), 2**62])
def test_a_date_never_exceeds_its_column(style, ns):
    for width in DATE_WIDTHS[style]:
        assert len(date(ns, style, width, 1_700_000_100.0)) <= max(width, 11)


def test_spans():
    assert [span(5), span(65), span(7300)] == ["5 s", "1 min 5 s", "2 h 1 min"]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("500", 500),
        ("500 B", 500),
        ("12 bytes", 12),
        ("10k", 10 << 10),
        ("1MB", 1 << 20),
        ("1 MiB", 1 << 20),
        ("1.5G", 3 << 29),
        ("2 gigabytes", 2 << 30),
        ("1,000,000", 1_000_000),
        ("2 TB", 2 << 40),
        ("1.0", 1),
    ],
)
def test_a_size_is_read_as_people_write_it(text, size):
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "big", "-1", "1.5", "1.5 B", "1,5G", "1X", "1 M M"])
def test_what_is_no_size_says_how_to_write_one(text):
    with pytest.raises(UnitError, match="write 500, 10K"):
        read_size(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("30d", "30d"),
        ("30 Days", "30d"),
        ("a month", "30d"),
        ("two months ago", "60d"),
        ("2 weeks", "2w"),
        ("last week", "1w"),
        ("the last 7 days", "7d"),
        ("an hour", "1h"),
        ("90 min", "90m"),
        ("1 year", "1y"),
        ("Yesterday", "yesterday"),
        ("now", "0s"),
        ("2026-01", "2026-01-01"),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31 10:00", "2026-01-31T10:00"),
        ("2026-01-31t10:00z", "2026-01-31T10:00Z"),
    ],
)
def test_a_time_is_read_as_people_write_it(text, plain):
    assert read_time(text) == plain
    assert read_time(plain) == plain


@pytest.mark.parametrize("text", ["", "d", "30", "a few days", "some day", "2026-13-01", "2026-02-30", "tomorrow"])
def test_what_is_no_time_says_how_to_write_one(text):
    with pytest.raises(UnitError, match="write a date such as"):
        read_time(text)


def test_ages_and_days_count_from_now_and_a_date_alone_is_one_of_greenwich():
    day_ns = 86_400 * 10**9
    assert time_ns("2d", NOON_NS) == NOON_NS - 2 * day_ns
    assert iso_time(time_ns("today", NOON_NS)) == "2026-11-16T00:00:00+13:00"
    assert iso_time(time_ns("yesterday", NOON_NS)) == "2026-11-15T00:00:00+13:00"
    assert time_ns("2026-11-16", NOON_NS) == NOON_NS
    assert time_ns("999999999y", NOON_NS) == -(1 << 63)


def test_a_time_is_told_as_a_date():
    assert time_words("30d", NOON_NS) == "2026-10-17"
    assert time_words("yesterday", NOON_NS) == "2026-11-15"
    assert time_words("2h", NOON_NS) == "2026-11-16 11:00"
    assert time_words("2026-01-31", NOON_NS) == "2026-01-31"


def test_a_total_is_told_to_the_byte():
    assert total_text(4_299_161) == "4.1M (4299161b)"
    assert total_text(12) == "12b"
    assert total_text(4_299_161, "bytes") == "4299161b"
