"""How much some entries hold together, nothing counted twice; and the biggest files, without reading all sizes."""

from collections.abc import Iterator

import numpy as np

from cmdr.index.query.parallel import run_in_slices
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, ZONE, Column, Flag
from cmdr.index.snapshots.view import View

_SEVERAL = np.uint8(Flag.HARD | Flag.SHARED)
_UNKNOWN, _ALIAS = np.uint8(Flag.UNKNOWN), np.uint8(Flag.ALIAS)
_STEP = 1 << 16  # rows at once, so that every step stays in the processor's cache
_NONE = np.empty(0, np.int64)


def total_bytes(view: View, rows: Column) -> int:
    """The bytes of these files and of all files below these folders, each counted once."""
    pieces = [rows[first : first + _STEP] for first in range(0, len(rows), _STEP)]
    folders: list[Column] = [_NONE] * len(pieces)

    def find_folders(numbers: Iterator[int]) -> None:
        for number in numbers:
            piece = pieces[number]
            folders[number] = view.directories(piece[view.gather("mode", piece) >> 12 == FORMAT_DIR])

    run_in_slices(len(pieces), find_folders)
    known = np.concatenate([_NONE, *folders])
    if not len(known):
        return _files(view, pieces, None)
    inside = _inside(view, known)
    above = view.dirs["dpar"][known]
    outermost = known[~inside[above] | (known == 0)]
    return int(view.dirs["dbytes"][outermost].sum()) + _files(view, pieces, inside)


def _files(view: View, pieces: list[Column], inside: Column | None) -> int:
    """The bytes of those rows that are files outside the folders, whatever number of names each has among them."""
    held = [0] * len(pieces)
    several: list[Column] = [_NONE] * len(pieces)
    aliased = [False] * len(pieces)

    def add_up(numbers: Iterator[int]) -> None:
        for number in numbers:
            files, flags = _outside(view, pieces[number], inside)
            alone = flags & _SEVERAL == 0
            held[number] = int(view.gather("size", files[alone]).sum())
            several[number] = files[~alone]
            aliased[number] = bool((flags[~alone] & _ALIAS).any())

    run_in_slices(len(pieces), add_up)
    if any(aliased):
        # The first name of a file that stands below a followed link does not know of the second.
        return _once_each(view, np.concatenate([_outside(view, piece, inside)[0] for piece in pieces]))
    return sum(held) + _once_each(view, np.concatenate([_NONE, *several]))


def _outside(view: View, rows: Column, inside: Column | None) -> tuple[Column, Column]:
    """Those rows that are files whose folder is not counted, and their flags."""
    flags = view.gather("flags", rows)
    files = (view.gather("mode", rows) >> 12 == FORMAT_FILE) & (flags & _UNKNOWN == 0)
    if inside is not None:
        files &= ~inside[view.gather("pdir", rows)]
    return rows[files], flags[files]


def _once_each(view: View, rows: Column) -> int:
    if not len(rows):
        return 0
    inodes = np.stack([view.gather("dev", rows).astype(np.uint64), view.gather("ino", rows)])
    return int(view.gather("size", rows[np.unique(inodes, axis=1, return_index=True)[1]]).sum())


def _inside(view: View, folders: Column) -> Column:
    """Which directories, by number, are one of these or below one."""
    count, base = len(view.dirs["dpar"]), view.base_dirs
    stored = folders[folders < base]
    begin = np.bincount(stored, minlength=count + 1)
    end = np.bincount(view.dirs["dlast"][stored], minlength=count + 1)
    inside = np.cumsum(begin - end)[:count] > 0
    inside[base:] = False
    inside[folders] = True
    return view.with_delta_children(np.asarray(inside))


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
    if view.delta is not None:
        delta = np.arange(view.base_rows, view.base_rows + view.delta.rows)
        rows, sizes = _best(view, np.concatenate([rows, delta]), count)
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
