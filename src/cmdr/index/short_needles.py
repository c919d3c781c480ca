"""Finding names that contain one or two bytes: so common that asking each name beats visiting each hit.

A slice of names becomes bits: one where a byte is neither a hit nor the end of a name. Adding one at the beginning of
every name carries through those bits up to the first hit or else up to the name's end, for all names in one addition
of long numbers. A name whose end the carry did not reach has a hit.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from cmdr.index.columns import Column
from cmdr.index.errors import Cancelled

_ROWS = 1 << 14  # a slice whose steps stay in the processor's cache
_ONE, _TOP = np.uint64(1), np.uint64(63)


def rows_with(blob: Column, offsets: Column, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains a needle of one or two bytes, ascending."""
    edges = [*range(rows.start, rows.stop, _ROWS), rows.stop]
    places = offsets[edges].tolist()
    hit = np.empty(len(rows), bool)
    work = _Slices(max((after - before for before, after in pairwise(places)), default=0))
    for number, first in enumerate(edges[:-1]):
        last = edges[number + 1]
        piece = blob[places[number] : places[number + 1]]
        ends = offsets[first + 1 : last + 1] - offsets.dtype.type(places[number] + 1)
        work.names_hit(piece, ends.astype(np.int64), needle, hit[first - rows.start : last - rows.start])
        if stop():
            raise Cancelled("The search was stopped.")
    found = np.flatnonzero(hit)
    found += rows.start
    return found


class _Slices:
    """Looks at one slice of names after the other in the same memory."""

    def __init__(self, longest: int) -> None:
        self.mask, self.second = np.empty(longest, bool), np.empty(longest, bool)
        words = -(-longest // 64)
        self.passing, self.ends = np.empty(words, "<u8"), np.empty(words, "<u8")

    def names_hit(self, piece: Column, ends: Column, needle: bytes, hit: Column) -> None:
        """Fill `hit`: whether each name has the needle; `ends` are the places of the NULs."""
        mask, second = self.mask[: len(piece)], self.second[: len(piece)]
        words = -(-len(piece) // 64)
        passing, end_bits = self.passing[:words], self.ends[:words]
        np.equal(piece, needle[0], out=mask)
        if len(needle) == 2:
            np.equal(piece, needle[1], out=second)
            mask[:-1] &= second[1:]
        _pack(mask, passing)
        if not passing.any():
            hit[:] = False
            return
        np.equal(piece, 0, out=second)
        _pack(second, end_bits)
        passing |= end_bits
        np.invert(passing, out=passing)
        reached = _carried(passing, end_bits).view(np.uint8).take(ends >> 3)
        reached >>= (ends & 7).astype(np.uint8)
        reached &= 1
        np.equal(reached, 0, out=hit)


def _carried(passing: Column, end_bits: Column) -> Column:
    """The sum of the passing bits and a one at the beginning of every name; a long name is some words long."""
    begins = end_bits << _ONE
    begins[1:] |= end_bits[:-1] >> _TOP
    begins[0] |= _ONE
    begins += passing
    over = np.flatnonzero(begins[:-1] < passing[:-1]) + 1
    while len(over):
        begins[over] += _ONE
        over = over[begins[over] == 0] + 1
        over = over[over < len(begins)]
    return begins


def _pack(mask: Column, words: Column) -> None:
    """A mask as words of 64 bits, the first byte in the lowest bit."""
    packed = np.packbits(mask, bitorder="little")
    words[-1] = 0
    words.view(np.uint8)[: len(packed)] = packed
