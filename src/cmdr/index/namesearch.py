"""Finding names that contain a text: the whole blob of names is searched at once with stringzilla.

The blob is searched in slices, because the search holds the interpreter: between two slices other threads run and a
cancel is seen. Offsets of hits become rows with one binary search per hit, done by numpy.
"""

import ctypes
from collections.abc import Callable

import numpy as np
import stringzilla  # type: ignore[import-not-found]  # it ships no types

from cmdr.index.columns import Column
from cmdr.index.errors import Cancelled
from cmdr.index.folding import fold
from cmdr.index.segment import Segment
from cmdr.index.short_needles import rows_with

_SLICE = 1 << 23
_FEW = 2000
_SHORT_SLICE = 1 << 21
NONE = np.empty(0, np.int64)


def containing(segment: Segment, needle: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains `needle`, ascending."""
    blob, offsets = (segment.names, segment.noff) if case else (segment.folded, segment.foff)
    needle = needle if case else fold(needle)
    if not needle:
        return np.arange(rows.start, rows.stop)
    if b"\0" in needle or not len(rows):
        return NONE
    if len(needle) > 2:
        return rows_at(positions(blob, offsets, needle, rows, stop), offsets)
    few, at = _first_hits(blob, offsets, needle, rows, stop)
    row = int(np.searchsorted(offsets, offsets.dtype.type(at), side="right")) - 1
    found = rows_at(np.array(few, np.int64), offsets)
    rest = rows_with(blob, offsets, needle, range(row, rows.stop), stop)
    return np.concatenate([found[found < row], rest]) if len(rest) else found


def exactly(segment: Segment, name: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows with just this name."""
    blob, offsets = (segment.names, segment.noff) if case else (segment.folded, segment.foff)
    name = name if case else fold(name)
    if not name or b"\0" in name or not len(rows):
        return NONE
    hits = positions(blob, offsets, name + b"\0", rows, stop)
    found = np.searchsorted(offsets, hits.astype(offsets.dtype), side="right") - 1
    return np.asarray(found[offsets[found] == hits])


def positions(blob: Column, offsets: Column, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Offsets of all hits in the names of these rows, without overlaps inside one hit."""
    few, at = _first_hits(blob, offsets, needle, rows, stop)
    end = int(offsets[rows.stop])
    width = len(needle)
    many = [np.array(few, np.int64)]
    if width <= 2:
        many.append(_short(blob, needle, at, end, stop))
        at = end
    text = stringzilla.Str(blob.data)
    while at < end:  # splitting a whole slice at once is fastest with many hits
        edge = _name_edge(offsets, min(at + _SLICE, end), end)
        parts = text[at:edge].split(needle)
        count = len(parts)
        if count > 1:
            raw = (ctypes.c_char * parts.offsets_nbytes).from_address(parts.offsets_address)
            starts = np.frombuffer(raw, np.uint64 if parts.offsets_are_large else np.uint32)[1:count]
            many.append(starts.astype(np.int64) + np.arange(count - 1) * width + at)
        at = edge
        if stop():
            raise Cancelled("The search was stopped.")
    return np.concatenate(many) if len(many) > 1 else many[0]


def _first_hits(
    blob: Column, offsets: Column, needle: bytes, rows: range, stop: Callable[[], bool]
) -> tuple[list[int], int]:
    """The first hits, one after the other, which is fastest when there are few; and where the search got to."""
    at, end = int(offsets[rows.start]), int(offsets[rows.stop])
    text = stringzilla.Str(blob.data)
    few: list[int] = []
    while at < end:
        edge = _name_edge(offsets, min(at + _SLICE, end), end)
        while (hit := int(text.find(needle, at, edge))) >= 0:
            few.append(hit)
            at = hit + len(needle)
            if len(few) == _FEW:
                return few, at
        at = edge
        if stop():
            raise Cancelled("The search was stopped.")
    return few, at


def _short(blob: Column, needle: bytes, at: int, end: int, stop: Callable[[], bool]) -> Column:
    """One or two bytes are so common that comparing every byte beats looking for each."""
    found: list[Column] = []
    for first in range(at, end, _SHORT_SLICE):
        piece = blob[first : min(first + _SHORT_SLICE + len(needle) - 1, end)]
        mask = piece == needle[0]
        if len(needle) == 2:
            mask = mask[:-1] & (piece[1:] == needle[1])
        found.append(np.flatnonzero(mask) + first)
        if stop():
            raise Cancelled("The search was stopped.")
    return np.concatenate(found) if found else NONE


def _name_edge(offsets: Column, at: int, end: int) -> int:
    """The end of the name that stands at `at`, so that no slice cuts a name."""
    if at >= end:
        return end
    return int(offsets[np.searchsorted(offsets, offsets.dtype.type(at), side="left")])


def rows_at(positions: Column, offsets: Column) -> Column:
    if not len(positions):
        return NONE
    found = np.searchsorted(offsets, positions.astype(offsets.dtype), side="right") - 1
    fresh = np.empty(len(found), bool)
    fresh[0] = True
    np.not_equal(found[1:], found[:-1], out=fresh[1:])
    return found[fresh]
