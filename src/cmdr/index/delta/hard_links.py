"""Of several names of one file, the one that counts.

When that name goes while another stays in a folder that nobody listed again, the other one counts from then on.
"""

import numpy as np

from cmdr.index.delta.patch import Entry
from cmdr.index.snapshots.columns import Column, Flag
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View

_HARD, _SHARED = int(Flag.HARD), int(Flag.SHARED)
_NAMES = int(Flag.HARD | Flag.SHARED | Flag.ALIAS)
File = tuple[int, int]  # inode, device


def count_once(base: Segment, dead: Column, entries: list[Entry]) -> tuple[list[int], list[int]]:
    """The flags of all entries, and the rows of the epoch that count now in place of one that is dead.

    The epoch's name counts if it is left, else the first of the entries, else another one of the epoch's.
    """
    flags = [one.flags & ~_SHARED for one in entries]
    many = [at for at, one in enumerate(entries) if one.flags & _HARD]
    stored = base["flags"]
    gone = np.flatnonzero(dead)
    lost = gone[(stored[gone] & _NAMES) == _HARD]
    if not many and not len(lost):
        return flags, []
    counted = np.flatnonzero((stored & _NAMES) == _HARD)
    seen = set(_files(base, counted[~dead[counted]]))
    for at in many:
        file = entries[at].ino, entries[at].device
        if file in seen:
            flags[at] |= _SHARED
        seen.add(file)
    without = set(_files(base, lost)) - seen
    if not without:
        return flags, []
    shared = np.flatnonzero((stored & _NAMES) == (_HARD | _SHARED))
    shared = shared[~dead[shared]]
    heirs: list[int] = []
    for row, file in zip(shared.tolist(), _files(base, shared), strict=True):
        if file in without:
            without.remove(file)
            heirs.append(row)
    return flags, heirs


def known_alone(view: View, inodes: set[int]) -> Column:
    """The rows with one of these inodes that are not known to have another name."""
    wanted = np.array(sorted(inodes), np.uint64)
    found: list[Column] = [np.empty(0, np.int64)]
    for first, segment in view.segments() if inodes else []:
        inode = segment["ino"]
        at = wanted.searchsorted(inode).clip(0, len(wanted) - 1)
        rows = np.flatnonzero((wanted[at] == inode) & ((segment["flags"] & _HARD) == 0))
        if not first and view.dead is not None:
            rows = rows[~view.dead[rows]]
        found.append(rows + first)
    return np.concatenate(found)


def _files(base: Segment, rows: Column) -> list[File]:
    devices = base.devices[np.minimum(base["dev"][rows], len(base.devices) - 1)]
    return list(zip(base["ino"][rows].tolist(), devices.tolist(), strict=True))
