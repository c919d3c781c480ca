"""Finding names that contain a text: the whole blob of names is searched at once with stringzilla.

The blob is searched in slices, because the search holds the interpreter: between two slices other threads run and a
cancel is seen. Where there are many hits, each slice is split at all of them at once.
"""

import ctypes
from collections.abc import Callable

import numpy as np
import stringzilla  # type: ignore[import-not-found]  # it ships no types

from cmdr.index.errors import Cancelled
from cmdr.index.query.short_needles import rows_with
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.folding import fold
from cmdr.index.snapshots.name_blobs import NameBlob
from cmdr.index.snapshots.segment import Segment

_SLICE = 1 << 22
_FEW = 2000
NONE = np.empty(0, np.int64)


def containing(segment: Segment, needle: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains `needle`, ascending."""
    needle = needle if case else fold(needle)
    if not needle:
        return np.arange(rows.start, rows.stop)
    if b"\0" in needle:
        return NONE
    return rows_holding(segment.names_by(case), needle, rows, stop)


def exactly(segment: Segment, name: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows with just this name."""
    names = segment.names_by(case)
    name = name if case else fold(name)
    if not name or b"\0" in name:
        return NONE
    found = rows_holding(names, name + b"\0", rows, stop)  # which end with it, and so have it only once there
    lengths = names.offsets[found + 1] - names.offsets[found]
    return np.asarray(found[lengths == len(name) + 1])


def rows_holding(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name, with the NUL at its end, holds some bytes; ascending."""
    if not len(rows):
        return NONE
    few, at = _first_hits(names, needle, rows, stop)
    found = _rows_of_few(few, names.offsets)
    if at >= int(names.offsets[rows.stop]):
        return found
    if len(needle) <= 2:
        return rows_with(names, needle, rows, stop)
    row = int(np.searchsorted(names.offsets, names.offsets.dtype.type(at), side="right")) - 1
    return np.concatenate([found[found < row], *_rows_of_many(names, needle, range(row, rows.stop), stop)])


def _first_hits(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> tuple[list[int], int]:
    """The first hits, one after the other, which is fastest when there are few; and where the search got to."""
    at, end = int(names.offsets[rows.start]), int(names.offsets[rows.stop])
    text = stringzilla.Str(names.blob.data)
    few: list[int] = []
    while at < end:
        edge = _name_edge(names.offsets, min(at + _SLICE, end), end)
        while (hit := int(text.find(needle, at, edge))) >= 0:
            few.append(hit)
            at = hit + len(needle)
            if len(few) == _FEW:
                return few, at
        at = edge
        if stop():
            raise Cancelled("The search was stopped.")
    return few, at


def _rows_of_few(places: list[int], offsets: Column) -> Column:
    if not places:
        return NONE
    return _each_once(np.searchsorted(offsets, np.array(places, offsets.dtype), side="right") - 1)


def _rows_of_many(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> list[Column]:
    at, end = int(names.offsets[rows.start]), int(names.offsets[rows.stop])
    text, starts = stringzilla.Str(names.blob.data), names.starts
    found: list[Column] = []
    while at < end:
        edge = _name_edge(names.offsets, min(at + _SLICE, end), end)
        parts = text[at:edge].split(needle)
        count = len(parts)
        if count > 1:
            raw = (ctypes.c_char * parts.offsets_nbytes).from_address(parts.offsets_address)
            places = np.frombuffer(raw, np.uint64 if parts.offsets_are_large else np.uint32)[1:count].astype(np.int64)
            places += np.arange(at, at + (count - 1) * len(needle), len(needle))  # what was left out before each
            found.append(_each_once(starts.rows_at(places)))
        at = edge
        if stop():
            raise Cancelled("The search was stopped.")
    return found


def _name_edge(offsets: Column, at: int, end: int) -> int:
    """The end of the name that stands at `at`, so that no slice cuts a name."""
    if at >= end:
        return end
    return int(offsets[np.searchsorted(offsets, offsets.dtype.type(at), side="left")])


def _each_once(rows: Column) -> Column:
    fresh = np.empty(len(rows), bool)
    fresh[0] = True
    np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
    return rows[fresh]
