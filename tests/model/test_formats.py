"""Sizes and dates fit their columns and can be read."""

import pytest

from cmdr.model.formats import DATE_WIDTHS, date, short_size, span


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
