"""Finding names that contain a text: the whole blob of names is searched at once with stringzilla.

The blob is searched in slices, because the search holds the interpreter: between two slices other threads run and a
cancel is seen. Where there are many hits, each slice is split at all of them at once.

Needles of one or two bytes are so common that asking each name beats visiting each hit. A slice of names becomes bits:
one for every byte that is a hit, moved up by one place, and one for every beginning of a name. Of each name's bits one
is taken away at its beginning. When it has a hit, that pays for it; when it has none, the beginning of the next name
does. So the bits that are left there tell which names have a hit, in one subtraction of long numbers.
"""

import ctypes
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import stringzilla  # type: ignore[import-not-found]  # it ships no types

from cmdr.index.errors import Cancelled
from cmdr.index.query.parallel import run_in_slices
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import NameBlob, fold
from cmdr.index.snapshots.segment import Segment

_SLICE = 1 << 22
_MAX_SINGLE_HITS = 2000
NONE = np.empty(0, np.int64)
_MIN_SLICE_ROWS, _MAX_SLICE_ROWS = (
    1 << 14,
    1 << 17,
)  # rows of a slice: its steps stay in the processor's cache, and let others run
_SLICES = 16
_ONE, _TOP = np.uint64(1), np.uint64(63)


def names_containing(segment: Segment, needle: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains `needle`, ascending."""
    needle = needle if case else fold(needle)
    if not needle:
        return np.arange(rows.start, rows.stop)
    if b"\0" in needle:
        return NONE
    return blob_rows(segment.names_by(case), needle, rows, stop)


def names_equal(segment: Segment, name: bytes, case: bool, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows with just this name."""
    names = segment.names_by(case)
    name = name if case else fold(name)
    if not name or b"\0" in name:
        return NONE
    found = blob_rows(names, name + b"\0", rows, stop)  # which end with it, and so have it only once there
    lengths = names.offsets[found + 1] - names.offsets[found]
    return np.asarray(found[lengths == len(name) + 1])


def blob_rows(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name, with the NUL at its end, holds some bytes; ascending."""
    if not len(rows):
        return NONE
    few, at = _first_hits(names, needle, rows, stop)
    found = _rows_of_few(few, names.offsets)
    if at >= int(names.offsets[rows.stop]):
        return found
    if len(needle) <= 2:
        return short_needle_rows(names, needle, rows, stop)
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
            if len(few) == _MAX_SINGLE_HITS:
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


def short_needle_rows(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains a needle of one or two bytes, ascending."""
    step = min(max(len(rows) // _SLICES, _MIN_SLICE_ROWS), _MAX_SLICE_ROWS)
    edges = [*range(rows.start, rows.stop, step), rows.stop]
    places = names.offsets[edges].tolist()
    before = rows.start if rows.start < len(rows) else 0  # a few more are quicker than adding to every row found
    hit = np.zeros(before + len(rows), bool)
    shift = rows.start - before
    longest = max((end - start for start, end in pairwise(places)), default=0)
    starts = names.starts.words  # made once, before two threads ask for it

    def some(numbers: Iterator[int]) -> None:
        work = _Slices(names, starts, needle, longest)
        for number in numbers:
            first, last = edges[number], edges[number + 1]
            work.names_hit(range(first, last), places[number], hit[first - shift : last - shift])
            if stop():
                raise Cancelled("The search was stopped.")

    run_in_slices(len(edges) - 1, some)
    found = np.flatnonzero(hit)
    if shift:
        found += shift
    return found


class _Slices:
    """Looks at one slice of names after the other in the same memory."""

    def __init__(self, names: NameBlob, starts: Column, needle: bytes, longest: int) -> None:
        self.names, self.starts, self.needle = names, starts, needle
        self.mask, self.second = np.empty(longest + 128, bool), np.empty(longest, bool)

    def names_hit(self, rows: range, place: int, hit: Column) -> None:
        """Fill `hit`: whether each name of these rows, the first of which begins at `place`, has the needle."""
        ends = self.names.offsets[rows.start + 1 : rows.stop + 1]
        end = int(ends[-1])
        word, beyond = (place + 1) >> 6, (end >> 6) + 1
        hits = self._hits(self.names.blob[place:end], place + 1 - (word << 6), (beyond - word) << 6)
        if not hits.any():
            hit[:] = False
            return
        left = _one_less(hits, self.starts[word:beyond], place & 63 == 63)
        bits = left.view(np.uint8).take((ends >> 3) - ends.dtype.type(word << 3))
        bits >>= (ends & 7).astype(np.uint8)
        np.bitwise_and(bits, 1, out=hit.view(np.uint8))

    def _hits(self, piece: Column, ahead: int, bits: int) -> Column:
        """Words with a bit for every hit in a piece of the blob, the first of its bytes standing at bit `ahead`."""
        mask, behind = self.mask[:bits], ahead + len(piece)
        mask[:ahead] = False
        mask[behind:] = False
        np.equal(piece, self.needle[0], out=mask[ahead:behind])
        if len(self.needle) == 2:
            second = self.second[: len(piece)]
            np.equal(piece, self.needle[1], out=second)
            mask[ahead : behind - 1] &= second[1:]
        return np.packbits(mask, bitorder="little").view("<u8")


def _one_less(hits: Column, starts: Column, begins: bool) -> Column:
    """Hits and starts together, less one at every name's beginning; `begins` says that one begins with the slice."""
    first = starts << _ONE
    first[1:] |= starts[:-1] >> _TOP
    first[0] |= np.uint64(begins)
    hits |= starts
    borrowed = hits < first
    hits -= first
    lent = borrowed[:-1]
    further = np.flatnonzero(lent & (hits[1:] == 0)) + 2  # a word of nothing hands on what it owes
    hits[1:] -= lent
    while len(further := further[further < len(hits)]):
        empty = hits[further] == 0
        hits[further] -= _ONE
        further = further[empty] + 1
    return hits
