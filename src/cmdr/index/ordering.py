"""Rows in the order somebody asked for, a page at a time, each page beginning right behind the one before."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cmdr.index.columns import FORMAT_DIR, Column
from cmdr.index.view import View
from cmdr.model.filter import SortKey
from cmdr.model.sorting import natural_keys

Key = int | bytes
_NATURAL = 1000  # up to so many rows by name stand as in a pane; that order takes three times as long to find
_FILE, _FOLDER = b"f", b"d"


@dataclass(frozen=True, eq=False)
class OrderedRows:
    """Some rows in order, the place behind them when there are more, and how many come after it."""

    rows: Column
    place: tuple[Key, int] | None
    after: int


def page(
    view: View, rows: Column, sort: SortKey, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> OrderedRows:
    """The next `limit` rows behind a place."""
    if sort == "name":
        by_name = _naturally if is_natural(rows) else _plainly
        return by_name(view, rows, descending, limit, behind)
    keys = _keys(view, rows, sort)
    ids = view.gather("nid", rows).astype(np.int64)
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


def _keys(view: View, rows: Column, sort: SortKey) -> Column:
    if sort == "tree":
        return view.gather("nid", rows).astype(np.int64)
    if sort == "depth":
        return view.dirs["ddepth"][view.gather("pdir", rows)].astype(np.int64)
    keys = view.gather(sort, rows).astype(np.int64)
    if sort in ("size", "allocated"):
        numbers = view.directories(rows)  # a directory is as big as what lies below it
        known = numbers >= 0
        keys[known] = view.dirs["dbytes" if sort == "size" else "dalloc"][numbers[known]]
    return keys


def is_natural(rows: Column) -> bool:
    """Whether so many rows by name stand as in a pane: folders first, numbers by their value."""
    return len(rows) <= _NATURAL


def _naturally(view: View, rows: Column, descending: bool, limit: int, behind: tuple[Key, int] | None) -> OrderedRows:
    names = view.names(rows)
    files = (view.gather("mode", rows) >> 12 != FORMAT_DIR).tolist()
    ids = view.gather("nid", rows).tolist()
    last = behind[0] if behind is not None and isinstance(behind[0], bytes) else b""
    keys = natural_keys([*names, last[1:]])  # all at once, since a key depends on the other names
    groups = [file != descending for file in files]  # so that folders come first in both directions
    entries = sorted(zip(groups, keys, names, ids, rows.tolist(), strict=False), reverse=descending)
    if behind is not None:
        place = ((last[:1] == _FILE) != descending, keys[-1], last[1:], behind[1])
        entries = [one for one in entries if (one[:4] < place if descending else one[:4] > place)]
    kept = np.array([one[4] for one in entries[:limit]], np.int64)
    after = max(0, len(entries) - limit)
    if not after or not limit:
        return OrderedRows(kept, None, after)
    group, _, name, nid, _ = entries[limit - 1]
    return OrderedRows(kept, ((_FILE if group != descending else _FOLDER) + name, nid), after)


def _plainly(view: View, rows: Column, descending: bool, limit: int, behind: tuple[Key, int] | None) -> OrderedRows:
    ids = view.gather("nid", rows).tolist()
    entries: Iterable[tuple[bytes, int, int]] = zip(view.folded(rows), ids, rows.tolist(), strict=True)
    after = len(rows)
    if behind is not None:
        place = (behind[0], behind[1])
        entries = [one for one in entries if (one[:2] < place if descending else one[:2] > place)]
        after = len(entries)
    chosen = (heapq.nlargest if descending else heapq.nsmallest)(limit + 1, entries)
    kept = np.array([row for _, _, row in chosen[:limit]], np.int64)
    if len(chosen) <= limit or not limit:
        return OrderedRows(kept, None, max(0, after - limit))
    name, nid, _ = chosen[limit - 1]
    return OrderedRows(kept, (name, nid), after - limit)
