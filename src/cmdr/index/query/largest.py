"""The biggest files without reading all sizes: zones whose maximum cannot matter are never looked at."""

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_FILE, ZONE, Column, Flag
from cmdr.index.snapshots.view import View


def largest_files(view: View, count: int) -> Column:
    """Rows of the `count` biggest files of the whole view, biggest first; each file once."""
    if not count:
        return np.empty(0, np.int64)
    maxima = view.stored.column("zmax")
    if view.edited is not None:
        maxima = maxima.copy()
        np.maximum.at(maxima, view.edited // ZONE, view.gather("size", view.edited))
    order = np.argsort(-maxima, kind="stable")
    rows, sizes = np.empty(0, np.int64), np.empty(0, np.int64)
    step = max(1, -(-count // 64))
    for first in range(0, len(order), step):
        zones = order[first : first + step]
        if len(rows) >= count and sizes[count - 1] >= maxima[zones[0]]:
            break
        new = (np.repeat(zones * ZONE, ZONE) + np.tile(np.arange(ZONE), len(zones))).astype(np.int64)
        rows, sizes = _best(view, np.concatenate([rows, new[new < view.base_rows]]), count)
        step = min(step * 2, 1024)
    if view.extra is not None:
        extra = np.arange(view.base_rows, view.base_rows + view.extra.rows)
        rows, sizes = _best(view, np.concatenate([rows, extra]), count)
    return rows


def largest_of(view: View, rows: Column, count: int) -> Column:
    """Rows of the biggest files among these."""
    return _best(view, rows, count)[0]


def _best(view: View, rows: Column, count: int) -> tuple[Column, Column]:
    mode, flags = view.gather("mode", rows), view.gather("flags", rows)
    good = ((mode >> 12) == FORMAT_FILE) & ((flags & int(Flag.SHARED | Flag.UNKNOWN)) == 0)
    if view.dead is not None:
        base = rows < view.base_rows
        good[base] &= ~view.dead[rows[base]]
    rows = rows[good]
    sizes = view.gather("size", rows)
    if 0 < 4 * count < len(rows):  # what is smaller than the last that counts need not be sorted
        least = np.partition(sizes, len(sizes) - count)[len(sizes) - count]
        near = np.flatnonzero(sizes >= least)
        rows, sizes = rows[near], sizes[near]
    order = np.lexsort((rows, -sizes))[:count]
    return rows[order], sizes[order]
