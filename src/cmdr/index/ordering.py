"""Rows in the order somebody asked for, a page at a time, each page beginning right behind the one before."""

import heapq

import numpy as np

from cmdr.index.columns import Column
from cmdr.index.view import View
from cmdr.model.filter import SortKey

Key = int | bytes


def page(
    view: View, rows: Column, sort: SortKey, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> tuple[Column, tuple[Key, int] | None]:
    """The next `limit` rows, and the place behind them when there are more."""
    if sort == "name":
        return _by_name(view, rows, descending, limit, behind)
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
    if len(rows) > 4 * limit + 64:
        edge = np.partition(keys, limit)[limit]  # one more than the page, to know whether there are more
        near = np.flatnonzero(keys <= edge)
        rows, keys, ids = rows[near], keys[near], ids[near]
    order = np.lexsort((ids, keys))
    chosen = order[:limit]
    if len(order) <= limit or not limit:
        return rows[chosen], None
    last = int(keys[chosen[-1]])
    return rows[chosen], (~last if descending else last, int(ids[chosen[-1]]))


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


def _by_name(
    view: View, rows: Column, descending: bool, limit: int, behind: tuple[Key, int] | None
) -> tuple[Column, tuple[Key, int] | None]:
    ids = view.gather("nid", rows).tolist()
    entries = zip(view.folded(rows), ids, rows.tolist(), strict=True)
    if behind is not None:
        place = (behind[0], behind[1])
        if descending:
            entries = (one for one in entries if one[:2] < place)  # type: ignore[assignment]
        else:
            entries = (one for one in entries if one[:2] > place)  # type: ignore[assignment]
    chosen = (heapq.nlargest if descending else heapq.nsmallest)(limit + 1, entries)
    kept = np.array([row for _, _, row in chosen[:limit]], np.int64)
    if len(chosen) <= limit or not limit:
        return kept, None
    name, nid, _ = chosen[limit - 1]
    return kept, (name, nid)
