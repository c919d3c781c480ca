"""How much some entries hold together: a folder with all that is below it, and nothing twice."""

import numpy as np

from cmdr.index.columns import FORMAT_DIR, FORMAT_FILE, Column, Flag
from cmdr.index.view import View

_SEVERAL = int(Flag.HARD | Flag.SHARED)


def held_bytes(view: View, rows: Column) -> int:
    """The bytes of these files and of all files below these folders, each counted once."""
    form, flags = view.gather("mode", rows) >> 12, view.gather("flags", rows)
    files = (form == FORMAT_FILE) & ((flags & int(Flag.UNKNOWN)) == 0)
    folders = view.directories(rows[form == FORMAT_DIR])
    held = 0
    if len(folders):
        inside = _inside(view, folders)
        above = view.dirs["dpar"][folders]
        outermost = folders[~inside[above] | (folders == 0)]
        held = int(view.dirs["dbytes"][outermost].sum())
        files &= ~inside[view.gather("pdir", rows)]
    return held + _once_each(view, rows, files, flags)


def _once_each(view: View, rows: Column, files: Column, flags: Column) -> int:
    """The bytes of those rows that are files, whatever number of names each has among them."""
    sizes = view.gather("size", rows)
    single = files & ((flags & _SEVERAL) == 0)
    several = np.flatnonzero(files & ~single)
    if (flags[several] & int(Flag.ALIAS)).any():
        # The first name of a file that stands below a followed link does not know of the second.
        single, several = np.zeros(len(rows), bool), np.flatnonzero(files)
    held = int(sizes[single].sum())
    if len(several):
        names = rows[several]
        inodes = np.stack([view.gather("dev", names).astype(np.uint64), view.gather("ino", names)])
        held += int(sizes[several[np.unique(inodes, axis=1, return_index=True)[1]]].sum())
    return held


def _inside(view: View, folders: Column) -> Column:
    """Which directories, by number, are one of these or below one."""
    count, base = len(view.dirs["dpar"]), view.base_dirs
    stored = folders[folders < base]
    begin = np.bincount(stored, minlength=count + 1)
    end = np.bincount(view.dirs["dlast"][stored], minlength=count + 1)
    inside = np.cumsum(begin - end)[:count] > 0
    inside[base:] = False
    inside[folders] = True
    for number in range(base, count):  # parents come before their children
        inside[number] |= inside[int(view.dirs["dpar"][number])]
    return np.asarray(inside)
