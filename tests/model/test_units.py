"""Sizes and times as people read them."""

import time
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.units import DATE_WIDTHS, count, date, human_size, iso_date, iso_time, short_size, span


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
