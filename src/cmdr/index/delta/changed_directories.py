"""Which directories changed since they were listed: one stat for each finds out.

A directory's time changes when a name in it comes or goes. Edits inside a file do not show there: those are told by
watching, or found by the next full scan.
"""

import os
from collections.abc import Callable

from cmdr.index.errors import Cancelled, RootMissing
from cmdr.index.scan.statx import OPEN_DIR, open_directory
from cmdr.index.snapshots.columns import Column, column_time
from cmdr.index.snapshots.view import View
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState

_RACY_NS = 50_000_000  # a change within the clock's grain of the listing does not show in the time
_ALWAYS_RELISTED = frozenset({int(DirState.DENIED), int(DirState.FAILED), int(DirState.CANCELLED)})


def changed_directories(view: View, stop: Callable[[], bool] = lambda: False, among: Column | None = None) -> list[int]:
    """Numbers of the directories, of all or `among` some, whose listing may be out of date."""
    if not os.path.isdir(view.root):
        raise RootMissing(f"{to_wire(view.root)} is not there any more.")
    numbers = view.live_dirs() if among is None else among
    paths = view.paths_of_directories(numbers)
    times = view.gather("mtime", view.dirs["drow"][numbers]).tolist()
    states, listed = view.dirs["dstate"][numbers].tolist(), view.dirs["dlisted"][numbers].tolist()
    found: list[int] = []
    lstat = os.lstat
    deep = _DeepDirectories()
    for at, number in enumerate(numbers.tolist()):
        if states[at]:
            if states[at] in _ALWAYS_RELISTED:
                found.append(number)
            continue
        now: int | None
        try:
            now = column_time(lstat(paths[at]).st_mtime_ns)
        except OSError:
            now = deep.time(paths[at])
        if now is None:
            continue  # its parent's listing tells
        if now != times[at] or now >= listed[at] - _RACY_NS:
            found.append(number)
        if not at & 0x3FF and stop():
            deep.close()
            raise Cancelled("The check for changes was stopped.")
    deep.close()
    return found


class _DeepDirectories:
    """Times of directories whose paths are too long for the kernel, each opened from the one above it."""

    def __init__(self) -> None:
        self.path, self.fd = b"", -1

    def time(self, path: bytes) -> int | None:
        if len(path) < 4000:
            return None
        above, _, name = path.rpartition(b"/")
        try:
            fd = os.open(name, OPEN_DIR, dir_fd=self.fd) if above == self.path else open_directory(path)
        except OSError:
            return None
        self.close()
        self.path, self.fd = path, fd
        return column_time(os.fstat(fd).st_mtime_ns)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1
