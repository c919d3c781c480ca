"""Many rows by their comparable names: the first of them, or those behind one, without sorting all.

Names are compared eight bytes at a time, for all rows at once, as numbers; only rows that are still equal are looked
at further, and only the few that come out are sorted as text.
"""

import heapq

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View

_WIDTH = 8
_STEP = 1 << 15  # rows at once, so that every step stays in the processor's cache
_FEW = 512  # names that are compared as they are
_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SEVEN, _ONE, _LAST = np.uint64(7), np.uint64(1), np.uint64(0xFF)


class Spelling:
    """The order of names in one view, forwards or backwards; ids decide between equal names."""

    def __init__(self, view: View, descending: bool) -> None:
        self.view, self.descending = view, descending

    def key(self, row: int) -> tuple[bytes, int]:
        """What places a row."""
        segment, at = self.view.home(row)
        start, end = segment.foff.item(at), segment.foff.item(at + 1) - 1
        return segment.folded[start:end].tobytes(), segment["nid"].item(at)

    def first(self, rows: Column, count: int) -> Column:
        """The first `count` of these rows, in order."""
        sure: list[Column] = []
        wanted, depth = count, 0
        while len(rows) > max(_FEW, wanted) and wanted > 0:
            keys = self._letters(rows, depth)
            edge = np.partition(keys, wanted - 1)[wanted - 1]
            before = rows[keys < edge]
            sure.append(before)
            wanted -= len(before)
            rows = rows[keys == edge]
            depth += _WIDTH
            if self._is_end(edge):  # whatever is left has one and the same name
                rows = self._by_id(rows)[:wanted]
                break
        found = np.concatenate([*sure, rows]).tolist()
        chosen = (heapq.nlargest if self.descending else heapq.nsmallest)(count, found, self.key)
        return np.array(chosen, np.int64)

    def behind(self, rows: Column, name: bytes, nid: int) -> Column:
        """Those of these rows that come after a name and id."""
        later: list[Column] = []
        depth = 0
        while len(rows):
            piece = int.from_bytes(name[depth : depth + _WIDTH].ljust(_WIDTH, b"\0"), "big")
            keys, edge = self._letters(rows, depth), np.uint64(piece)
            edge = ~edge if self.descending else edge
            later.append(rows[keys > edge])
            rows = rows[keys == edge]
            depth += _WIDTH
            if self._is_end(edge):
                ids = self.view.gather("nid", rows)
                later.append(rows[ids < nid if self.descending else ids > nid])
                break
        return np.concatenate(later) if later else rows

    def _by_id(self, rows: Column) -> Column:
        order = np.argsort(self.view.gather("nid", rows), kind="stable")
        return rows[order[::-1] if self.descending else order]

    def _is_end(self, key: np.uint64) -> bool:
        return not (~key if self.descending else key) & _LAST

    def _letters(self, rows: Column, depth: int) -> Column:
        """Eight bytes of every name from `depth` on, as numbers in the order asked for; nothing follows an end."""
        keys = np.empty(len(rows), np.uint64)
        for start in range(0, len(rows), _STEP):
            some, out = rows[start : start + _STEP], keys[start : start + _STEP]
            over = some >= self.view.base_rows
            for first, segment in self.view.segments():
                here = over if first else ~over
                if here.any():
                    out[here] = _eight(segment.folded, segment.foff, some[here] - first, depth)
        return np.invert(keys, out=keys) if self.descending else keys


def _eight(blob: Column, offsets: Column, rows: Column, depth: int) -> Column:
    places = offsets.take(rows).astype(np.int64)
    places += depth
    if len(blob) < _WIDTH:
        blob = np.concatenate([blob, np.zeros(_WIDTH, np.uint8)])
    last = len(blob) - _WIDTH
    whole = np.ndarray((last + 1,), "<u8", blob.data, strides=(1,))  # a number begins at every byte
    begin = np.minimum(places, last)
    found = whole[begin]
    places -= begin
    if places.any():  # the last names of the blob are shorter than what was read
        found >>= (places << 3).astype(np.uint64)
    ends = (found - _LOW) & ~found & _HIGH
    found &= ((ends & (~ends + _ONE)) >> _SEVEN) - _ONE
    return found.byteswap()
