"""Needles of one or two bytes: every name is asked at once, and the answer is the one that a loop gives."""

import random

import numpy as np
import pytest

from cmdr.index.errors import Cancelled
from cmdr.index.query import name_search
from cmdr.index.query.name_search import short_needle_rows
from cmdr.index.snapshots.name_blobs import NameBlob


def packed(names: list[bytes], dtype: str = "<u4") -> NameBlob:
    blob = np.frombuffer(b"".join(name + b"\0" for name in names), np.uint8)
    offsets = np.zeros(len(names) + 1, dtype)
    offsets[1:] = np.flatnonzero(blob == 0) + 1
    return NameBlob(blob, offsets)


@pytest.mark.parametrize("slice_rows", [1, 7, 1 << 14])
@pytest.mark.parametrize("dtype", ["<u4", "<i8"])
def test_agrees_with_asking_each_name(monkeypatch, slice_rows, dtype):
    monkeypatch.setattr(name_search, "_FEWEST", slice_rows)
    monkeypatch.setattr(name_search, "_MOST", slice_rows)
    chance = random.Random(slice_rows)
    letters = [b"a", b"b", b"c" * 60, b"\xff", b"cc", b"ab"]
    names = [b""] + [b"".join(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(300)]
    blob = packed(names, dtype)
    for needle in (b"a", b"b", b"ab", b"ba", b"cc", b"\xff", b"z", b"az"):
        expected = [row for row in range(3, 290) if needle in names[row]]
        assert short_needle_rows(blob, needle, range(3, 290), lambda: False).tolist() == expected


def test_a_carry_runs_through_names_of_every_length_without_leaving_them():
    names = [b"x" * length + tail for length in range(1, 256) for tail in (b"", b"a")]
    blob = packed(names)
    assert short_needle_rows(blob, b"a", range(len(names)), lambda: False).tolist() == list(range(1, len(names), 2))


def test_two_bytes_of_two_neighbouring_names_are_no_hit():
    blob = packed([b"xa", b"bx", b"ab"])
    assert short_needle_rows(blob, b"ab", range(3), lambda: False).tolist() == [2]


def test_no_rows_no_hits():
    blob = packed([b"a"])
    assert not len(short_needle_rows(blob, b"a", range(0), lambda: False))


def test_a_cancel_is_seen():
    blob = packed([b"a"])
    with pytest.raises(Cancelled):
        short_needle_rows(blob, b"a", range(1), lambda: True)
