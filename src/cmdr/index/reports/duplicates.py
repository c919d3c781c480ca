"""Files with the same contents: first the same size, then the same beginning, then the same whole.

Only files whose size is shared are opened, and only those whose first bytes agree are read to the end. Names of one
file (hard links) are not duplicates of each other.
"""

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cmdr.index.errors import Cancelled
from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.trees.reports import Keep

_HEAD = 16_384
_STEP = 1 << 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOATIME", 0)


@dataclass(frozen=True, eq=False)
class DuplicateGroup:
    """Files with one content."""

    size: int
    rows: Column

    def in_order(self, view: View, keep: Keep) -> "DuplicateGroup":
        """The same files, first the one to keep: the oldest or newest, of equally old ones the shortest path."""
        times, paths = view.gather("mtime", self.rows).tolist(), view.paths(self.rows)
        if keep == "newest":
            times = [-time for time in times]
        order = sorted(range(len(paths)), key=lambda at: (times[at], len(paths[at]), paths[at]))
        return DuplicateGroup(self.size, self.rows[order])

    @property
    def wasted(self) -> int:
        """The bytes that all but one of them take."""
        return self.size * (len(self.rows) - 1)


def find_duplicates(
    view: View,
    rows: Column,
    stop: Callable[[], bool] = lambda: False,
    most_files: int | None = None,
) -> tuple[list[DuplicateGroup], bool]:
    """Groups of equal files among these rows, the most wasteful first; and whether all candidates were compared."""
    groups = _same_size(view, rows)
    budget = most_files
    found: list[DuplicateGroup] = []
    for size, members in groups:
        if budget is not None and budget < len(members):
            return _sorted(found), False
        budget = None if budget is None else budget - len(members)
        for alike in _split(view, members, lambda path: _digest(path, _HEAD, stop)):
            whole = [alike] if size <= _HEAD else _split(view, alike, lambda path: _digest(path, None, stop))
            found += [DuplicateGroup(size, twins) for twins in whole]
    return _sorted(found), True


def same_as(view: View, row: int, stop: Callable[[], bool] = lambda: False) -> Column:
    """Rows of the files that equal this one, itself included."""
    size = view.value("size", row)
    candidates = _files(view, size)
    for twins in _split(view, candidates, lambda path: _digest(path, None, stop)):
        if row in twins:
            return twins
    return np.array([row], np.int64)


def _files(view: View, size: int) -> Column:
    kept = []
    for first, segment in view.segments():
        rows = np.flatnonzero((segment["size"] == size) & ((segment["mode"] >> 12) == FORMAT_FILE))
        kept.append(rows[~view.dead[rows]] if view.dead is not None and not first else rows + first)
    return np.concatenate(kept)


def _same_size(view: View, rows: Column) -> list[tuple[int, Column]]:
    """Candidates by size, the biggest waste first."""
    mode, flags, size = view.gather("mode", rows), view.gather("flags", rows), view.gather("size", rows)
    wanted = ((mode >> 12) == FORMAT_FILE) & (size > 0) & ((flags & int(Flag.SHARED | Flag.UNKNOWN)) == 0)
    rows, size = rows[wanted], size[wanted]
    order = np.argsort(size, kind="stable")
    rows, size = rows[order], size[order]
    values, start, count = np.unique(size, return_index=True, return_counts=True)
    shared = np.flatnonzero(count > 1)
    shared = shared[np.argsort(-(values[shared] * (count[shared] - 1)), kind="stable")]
    return [(int(values[i]), rows[start[i] : start[i] + count[i]]) for i in shared.tolist()]


def _split(view: View, rows: Column, digest: Callable[[bytes], bytes | None]) -> list[Column]:
    """Rows by what their contents hash to; those that stand alone or cannot be read are left out."""
    by_digest: dict[bytes, list[int]] = {}
    for row, path in zip(rows.tolist(), view.paths(rows), strict=True):
        value = digest(path)
        if value is not None:
            by_digest.setdefault(value, []).append(row)
    return [np.array(one, np.int64) for one in by_digest.values() if len(one) > 1]


def _digest(path: bytes, length: int | None, stop: Callable[[], bool]) -> bytes | None:
    if stop():
        raise Cancelled("The comparing of files was stopped.")
    try:
        fd = os.open(path, _OPEN)
    except PermissionError:
        try:
            fd = os.open(path, _OPEN & ~getattr(os, "O_NOATIME", 0))
        except OSError:
            return None
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None  # something else took the name; never wait for a pipe
        state = hashlib.blake2b(digest_size=20)
        left = length
        while left is None or left > 0:
            piece = os.read(fd, _STEP if left is None else min(_STEP, left))
            if not piece:
                break
            state.update(piece)
            left = None if left is None else left - len(piece)
            if stop():
                raise Cancelled("The comparing of files was stopped.")
        return state.digest()
    except OSError:
        return None
    finally:
        os.close(fd)


def _sorted(found: list[DuplicateGroup]) -> list[DuplicateGroup]:
    return sorted(found, key=lambda one: (-one.wasted, int(one.rows[0])))
