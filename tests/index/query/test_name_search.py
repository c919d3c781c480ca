"""Searching names: the quick ways find what asking each name finds, in two threads as in one."""

import random

import numpy as np
import pytest

from cmdr.index.errors import Cancelled
from cmdr.index.query import name_search, parallel
from cmdr.index.query.name_search import blob_rows, short_needle_rows
from cmdr.index.snapshots.name_blobs import NameBlob, joined_names, packed, take_names


def names_of(count: int, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    pieces = [b"a", b"ab", b".js", b"x" * 70, b"\xff", b"report", b"o"]
    return [b"".join(chance.choices(pieces, k=chance.randint(1, 5))) for _ in range(count)]


def blob_of(names: list[bytes]) -> NameBlob:
    many = packed(b"".join(name + b"\0" for name in names))
    return NameBlob(many.blob, many.offsets.astype(np.uint32))


@pytest.mark.parametrize("few", [0, 3, 1 << 20])
@pytest.mark.parametrize("cores", [1, 2])
def test_every_way_of_searching_finds_what_asking_each_name_finds(monkeypatch, few, cores):
    monkeypatch.setattr(name_search, "_MAX_SINGLE_HITS", few)
    monkeypatch.setattr(name_search, "_SLICE", 500)
    monkeypatch.setattr(name_search, "_MIN_SLICE_ROWS", 10)
    monkeypatch.setattr(parallel, "_cores", lambda: cores)
    names = names_of(400, few)
    blob = blob_of(names)
    for needle in (b"a", b"ab", b".js", b"report", b"xx", b"xxxxx", b"s\0", b"abo", b"nowhere", b"reportreport"):
        for rows in (range(400), range(7, 391), range(390, 392), range(5, 5)):
            expected = [row for row in rows if needle in names[row] + b"\0"]
            assert blob_rows(blob, needle, rows, lambda: False).tolist() == expected, (needle, rows)


def test_a_place_leads_to_the_row_that_holds_it():
    names = names_of(300, 1)
    blob = blob_of(names)
    expected = [row for row, name in enumerate(names) for _ in range(len(name) + 1)]
    assert blob.starts.rows_at(np.arange(len(blob.blob))).tolist() == expected


def test_whoever_cancels_ends_the_work_of_both_threads(monkeypatch):
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    done: list[int] = []

    def work(numbers):
        for number in numbers:
            done.append(number)
            if len(done) > 10:
                raise Cancelled("enough")

    with pytest.raises(Cancelled):
        parallel.run_in_slices(1_000_000, work)
    assert len(done) < 1000


def test_every_slice_is_done_once_whoever_does_it(monkeypatch):
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    done: list[int] = []
    parallel.run_in_slices(5000, done.extend)
    assert sorted(done) == list(range(5000))


def test_names_are_taken_out_in_any_order_and_joined():
    names = names_of(200, 2)
    many = packed(b"".join(name + b"\0" for name in names))
    assert many.tolist() == names
    order = random.Random(3).sample(range(200), 150)
    some = take_names(many.blob, many.offsets, np.array(order))
    assert some.tolist() == [names[at] for at in order] == [some[at] for at in range(len(some))]
    rest = take_names(many.blob, many.offsets, np.arange(50, 120))
    assert rest.tolist() == names[50:120]
    assert joined_names(some, rest).tolist() == some.tolist() + rest.tolist()
    assert take_names(many.blob, many.offsets, np.arange(0)).tolist() == []


def blob_typed(names: list[bytes], dtype: str = "<u4") -> NameBlob:
    blob = np.frombuffer(b"".join(name + b"\0" for name in names), np.uint8)
    offsets = np.zeros(len(names) + 1, dtype)
    offsets[1:] = np.flatnonzero(blob == 0) + 1
    return NameBlob(blob, offsets)


@pytest.mark.parametrize("slice_rows", [1, 7, 1 << 14])
@pytest.mark.parametrize("dtype", ["<u4", "<i8"])
def test_agrees_with_asking_each_name(monkeypatch, slice_rows, dtype):
    monkeypatch.setattr(name_search, "_MIN_SLICE_ROWS", slice_rows)
    monkeypatch.setattr(name_search, "_MAX_SLICE_ROWS", slice_rows)
    chance = random.Random(slice_rows)
    letters = [b"a", b"b", b"c" * 60, b"\xff", b"cc", b"ab"]
    names = [b""] + [b"".join(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(300)]
    blob = blob_typed(names, dtype)
    for needle in (b"a", b"b", b"ab", b"ba", b"cc", b"\xff", b"z", b"az"):
        expected = [row for row in range(3, 290) if needle in names[row]]
        assert short_needle_rows(blob, needle, range(3, 290), lambda: False).tolist() == expected


def test_a_carry_runs_through_names_of_every_length_without_leaving_them():
    names = [b"x" * length + tail for length in range(1, 256) for tail in (b"", b"a")]
    blob = blob_typed(names)
    assert short_needle_rows(blob, b"a", range(len(names)), lambda: False).tolist() == list(range(1, len(names), 2))


def test_two_bytes_of_two_neighbouring_names_are_no_hit():
    blob = blob_typed([b"xa", b"bx", b"ab"])
    assert short_needle_rows(blob, b"ab", range(3), lambda: False).tolist() == [2]


def test_no_rows_no_hits():
    blob = blob_typed([b"a"])
    assert not len(short_needle_rows(blob, b"a", range(0), lambda: False))


def test_a_cancel_is_seen():
    blob = blob_typed([b"a"])
    with pytest.raises(Cancelled):
        short_needle_rows(blob, b"a", range(1), lambda: True)
