"""The direction of a bound on a time, in words: nobody has to know what `>` means."""

from datetime import datetime

import pytest

from cmdr.model.filters.filter_json import from_json
from cmdr.model.filters.filter_text import from_text
from cmdr.model.filters.filter_words import directions

NOW_NS = int(datetime(2026, 11, 16, 12).timestamp()) * 10**9


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("older:30d", "older than 2026-10-17"),
        ("newer:30d ext:pdf", "newer than 2026-10-17"),
        ("mtime>30d", "newer than 2026-10-17"),
        ("mtime<30d", "older than 2026-10-17"),
        ("not older:30d", "not older than 2026-10-17"),
        ("ctime<30d", "older than 2026-10-17 (ctime)"),
        ("mtime:2025-01-01..2025-12-31", "newer than 2025-01-01 and older than 2025-12-31"),
        ("older:30d or (a older:30d)", "older than 2026-10-17"),
        ("ext:pdf", ""),
    ],
)
def test_each_bound_on_a_time_is_told_with_its_date(line, words):
    assert directions(from_text(line), NOW_NS) == words


@pytest.mark.parametrize("key", ["older", "olderThan"])
def test_json_knows_the_same_words(key):
    assert from_json({key: "a month"}) == from_text("older:30d") == from_text("mtime<30d")
    assert from_json({key.replace("older", "newer"): "2 weeks"}) == from_text("newer:2w") == from_text("mtime>2w")
