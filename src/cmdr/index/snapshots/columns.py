"""The columns of an index: their names, their types, and what their codes mean.

Rows stand in block-DFS order: the children of a directory are contiguous, and so is everything below it. Row 0 is
the root itself. Directories are numbered in the same (pre-)order; their facts have columns of their own.
"""

import stat
from enum import IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]

# A name ends with NUL in the blob; `noff` has one element more than there are rows.
ROW_COLUMNS: dict[str, str] = {
    "pdir": "<u4",  # number of the directory that holds this row
    "size": "<i8",
    "allocated": "<i8",
    "mtime": "<i8",  # ns
    "ctime": "<i8",  # ns
    "born": "<i8",  # ns, 0 where the file system does not say
    "ino": "<u8",
    "mode": "<u2",
    "owner": "<u2",  # code into the manifest's list of uids
    "ext": "<u2",  # code into the manifest's list of extensions
    "nid": "<u4",  # stable id
    "flags": "u1",
    "dev": "u1",  # code into the manifest's list of devices
}
DIR_COLUMNS: dict[str, str] = {
    "drow": "<u4",  # the directory's own row
    "dpar": "<u4",
    "dcs": "<u4",  # first child row
    "dcn": "<u4",  # children
    "dlast": "<u4",  # one past the last directory of the subtree
    "dend": "<u4",  # one past the last row of the subtree
    "ddepth": "<u4",
    "dfiles": "<i8",
    "ddirs": "<i8",
    "dbytes": "<i8",
    "dalloc": "<i8",
    "dnewest": "<i8",
    "dmiss": "<i8",  # places in the subtree that could not be read
    "dstate": "u1",
    "dlisted": "<i8",  # when it was listed, ns
}
ZONE = 4096
NO_ROW = 0xFFFFFFFF
KINDS = ("unknown", "fifo", "char", "dir", "block", "file", "link", "socket", "other")
_FORMAT_KIND = {
    0: 0,
    stat.S_IFIFO: 1,
    stat.S_IFCHR: 2,
    stat.S_IFDIR: 3,
    stat.S_IFBLK: 4,
    stat.S_IFREG: 5,
    stat.S_IFLNK: 6,
    stat.S_IFSOCK: 7,
}
# mode >> 12 is the kind of entry in four bits
KIND_OF_FORMAT = np.array([_FORMAT_KIND.get(bits << 12, 8) for bits in range(16)], np.uint8)
_KIND_NAMES = tuple(KINDS[code] for code in KIND_OF_FORMAT.tolist())
FORMAT_DIR = stat.S_IFDIR >> 12
FORMAT_FILE = stat.S_IFREG >> 12


def column_time(ns: int) -> int:
    """A time as its column has it: years that 64 bits cannot count wrap, here as where whole trees are read."""
    return (ns + 2**63) % 2**64 - 2**63


class Flag(IntFlag):
    """Per-row facts that are not in the mode."""

    SHARED = 1  # another name of the same file is counted
    HARD = 2  # more than one name
    BROKEN = 4  # a link to nothing
    FOLLOWED = 8  # a link whose target is listed below it
    UNKNOWN = 16  # seen by name only: could not be examined
    ALIAS = 32  # stands below a followed link, so it is counted elsewhere


def kind_name(mode: int) -> str:
    """The word for what a mode says an entry is."""
    return _KIND_NAMES[mode >> 12]
