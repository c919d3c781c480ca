"""Finding names that contain one or two bytes: so common that asking each name beats visiting each hit.

A slice of names becomes bits: one for every byte that is a hit, moved up by one place, and one for every beginning of
a name. Of each name's bits one is taken away at its beginning. When it has a hit, that pays for it; when it has none,
the beginning of the next name does. So the bits that are left there tell which names have a hit, for all names of a
slice in one subtraction of long numbers.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from cmdr.index.errors import Cancelled
from cmdr.index.side_by_side import side_by_side
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import NameBlob

_FEWEST, _MOST = 1 << 14, 1 << 17  # rows of a slice: its steps stay in the processor's cache, and let others run
_SLICES = 16
_ONE, _TOP = np.uint64(1), np.uint64(63)


def rows_with(names: NameBlob, needle: bytes, rows: range, stop: Callable[[], bool]) -> Column:
    """Rows whose name contains a needle of one or two bytes, ascending."""
    step = min(max(len(rows) // _SLICES, _FEWEST), _MOST)
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

    side_by_side(len(edges) - 1, some)
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
