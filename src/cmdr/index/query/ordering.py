"""Rows in the order somebody asked for, a page at a time, each page beginning right behind the one before.

Many names are compared eight bytes at a time, for all rows at once, as numbers; only rows that are still equal are
looked at further, and only the few that come out are sorted as text.
"""

import heapq
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_DIR, Column
from cmdr.index.snapshots.rows_view import Rows
from cmdr.index.snapshots.view import View
from cmdr.model.filters.filter import SortKey
from cmdr.model.panes.sorting import name_order

Key = int | bytes
_NATURAL = 1000  # up to so many rows by name stand as in a pane; that order takes three times as long to find
_FEW = 500  # rows that plain lists order faster than columns do
_FILE, _FOLDER = b"f", b"d"
_WIDTH = 8
_STEP = 1 << 15  # rows at once, so that every step stays in the processor's cache
_FEW_NAMES = 512  # names that are compared as they are
_LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SEVEN, _ONE, _LAST = np.uint64(7), np.uint64(1), np.uint64(0xFF)


@dataclass(frozen=True, eq=False)
class OrderedRows:
    """Some rows in order, the place behind them when there are more, and how many come after it."""

    rows: Column
    place: tuple[Key, int] | None
    after: int


def page(
    view: View, rows: Rows, sort: SortKey, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> OrderedRows:
    """The next `limit` rows behind a place."""
    if sort == "name":
        by_name = _naturally if is_natural(rows) else _plainly
        return by_name(view, rows, descending, limit, behind)
    keys = _keys(view, rows, sort)
    if len(rows) <= _FEW:
        return _few(view, rows, keys, descending, limit, behind)
    return _many(_column(rows), keys, view.gather("nid", rows), descending, limit, behind)


def _many(
    rows: Column, keys: Column, ids: Column, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> OrderedRows:
    if descending:
        # Complement instead of minus: it cannot overflow. Ids stay ascending among equals.
        keys = ~keys
    if behind is not None:
        last, last_id = int(behind[0]), behind[1]
        last = ~last if descending else last
        later = (keys > last) | ((keys == last) & (ids > last_id))
        rows, keys, ids = rows[later], keys[later], ids[later]
    after = max(0, len(rows) - limit)
    if len(rows) > 4 * limit + 64:
        edge = np.partition(keys, limit)[limit]  # one more than the page, to know whether there are more
        near = np.flatnonzero(keys <= edge)
        rows, keys, ids = rows[near], keys[near], ids[near]
    order = np.lexsort((ids, keys))
    chosen = order[:limit]
    if len(order) <= limit or not limit:
        return OrderedRows(rows[chosen], None, after)
    last = int(keys[chosen[-1]])
    return OrderedRows(rows[chosen], (~last if descending else last, int(ids[chosen[-1]])), after)


def _few(
    view: View, rows: Rows, keys: Column, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> OrderedRows:
    values, ids, numbers = keys.tolist(), view.gather("nid", rows).tolist(), _listed(rows)
    order = sorted(_by_id(ids), key=values.__getitem__, reverse=descending)  # stable: ids ascend among equals
    if behind is not None:
        last, last_id = int(behind[0]), behind[1]
        order = [
            at
            for at in order
            if (values[at] < last if descending else values[at] > last) or (values[at] == last and ids[at] > last_id)
        ]
    kept, after = order[:limit], max(0, len(order) - limit)
    place = (values[kept[-1]], ids[kept[-1]]) if after and kept else None
    return OrderedRows(np.array([numbers[at] for at in kept], np.int64), place, after)


def _keys(view: View, rows: Rows, sort: SortKey) -> Column:
    if sort == "tree":
        return view.gather("nid", rows).astype(np.int64)
    if sort == "depth":
        return view.dirs["ddepth"][view.gather("pdir", rows)].astype(np.int64)
    keys = view.gather(sort, rows).astype(np.int64)
    if sort in ("size", "allocated"):
        at, numbers = view.directories_among(rows)  # a directory is as big as what lies below it
        keys[at] = view.dirs["dbytes" if sort == "size" else "dalloc"][numbers]
    return keys


def is_natural(rows: Rows) -> bool:
    """Whether so many rows by name stand as in a pane: folders first, numbers by their value."""
    return len(rows) <= _NATURAL


def _naturally(view: View, rows: Rows, descending: bool, limit: int, behind: tuple[Key, int] | None) -> OrderedRows:
    names = view.names(rows)
    folders = (view.gather("mode", rows) >> 12 == FORMAT_DIR).tolist()
    ids = view.gather("nid", rows).tolist()
    numbers = _listed(rows)
    by_id = _by_id(ids)
    if behind is not None and isinstance(behind[0], bytes):
        # The place is sorted along, as one more entry behind the one it was made from.
        find = bisect_left if descending else bisect_right
        by_id.insert(find(by_id, behind[1], key=ids.__getitem__), len(names))
        names.append(behind[0][1:])
        folders.append(behind[0][:1] == _FOLDER)
        ids.append(behind[1])
    if by_id == list(range(len(names))):
        order = name_order(names, folders)
    else:
        order = name_order([names[at] for at in by_id], [folders[at] for at in by_id])
        order = [by_id[at] for at in order]
    if descending:  # folders come first in both directions
        edge = sum(folders)
        order = order[:edge][::-1] + order[edge:][::-1]
    if behind is not None:
        order = order[order.index(len(numbers)) + 1 :]
    kept, after = order[:limit], max(0, len(order) - limit)
    found = np.array([numbers[at] for at in kept], np.int64)
    if not after or not kept:
        return OrderedRows(found, None, after)
    last = kept[-1]
    return OrderedRows(found, ((_FOLDER if folders[last] else _FILE) + names[last], ids[last]), after)


def _plainly(view: View, rows: Rows, descending: bool, limit: int, behind: tuple[Key, int] | None) -> OrderedRows:
    spelling = NameOrder(view, descending)
    left = _column(rows)
    if behind is not None and isinstance(behind[0], bytes):
        left = spelling.behind(left, behind[0], behind[1])
    kept = spelling.first(left, limit)
    after = len(left) - len(kept)
    if not after or not len(kept):
        return OrderedRows(kept, None, after)
    return OrderedRows(kept, spelling.key(int(kept[-1])), after)


def _by_id(ids: list[int]) -> list[int]:
    """Places in the order of the ids there."""
    places = list(range(len(ids)))
    if ids != sorted(ids):
        places.sort(key=ids.__getitem__)
    return places


def _listed(rows: Rows) -> list[int] | range:
    return rows if isinstance(rows, range) else rows.tolist()


def _column(rows: Rows) -> Column:
    return np.arange(rows.start, rows.stop) if isinstance(rows, range) else rows


class NameOrder:
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
        while len(rows) > max(_FEW_NAMES, wanted) and wanted > 0:
            keys = self._letters(rows, depth)
            edge = np.partition(keys, wanted - 1)[wanted - 1]
            before = rows[keys < edge]
            sure.append(before)
            wanted -= len(before)
            rows = rows[keys == edge]
            depth += _WIDTH
            if self._is_end(edge):  # whatever is left has one and the same name
                rows = self._in_id_order(rows)[:wanted]
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

    def _in_id_order(self, rows: Column) -> Column:
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
