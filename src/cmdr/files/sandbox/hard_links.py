"""Hard links: which files with several names have one in a private place, wherever their other names are.

Nobody can ask a file for its names. So the private places are looked through, and the roots for private places inside
them, and what is found is believed for a short time. A file that got a name since then says so itself: its change is
newer than the look.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_ENTRIES = 300_000
"""Names that are looked at; where there are more, any of several names may be private."""
_MAX_AGE_S = 10.0
"""Seconds for which a look counts: a folder that is renamed to a private place does not change the files in it."""
_MARGIN_NS = 2 * 10**9
"""How much older than the look a change must be: clocks of disks are coarse."""
_NOT_FILES = (b"/proc", b"/sys", b"/dev")

Why = Callable[[bytes], str]
"""Why a path is private, or nothing."""


class _Look(NamedTuple):
    begun_ns: int
    begun: float
    private: frozenset[tuple[int, int]]
    is_whole: bool


_NEVER = _Look(0, float("-inf"), frozenset(), False)


@dataclass(slots=True)
class HardLinks:
    """The private files by their identity, as they were a moment ago."""

    roots: set[bytes] = field(default_factory=set)
    """Folders in which private places may stand anywhere."""
    _look: _Look = _NEVER

    def may_be_private(self, found: os.stat_result, places: Iterable[bytes], why: Why) -> bool:
        """Whether a file has a name in one of the places, or a private one inside the roots; unclear means yes."""
        look = self._look
        is_old = time.monotonic() - look.begun > _MAX_AGE_S
        if is_old or found.st_ctime_ns > look.begun_ns - _MARGIN_NS:
            look = self._look = _look_through(places, tuple(self.roots), why)
        return not look.is_whole or (found.st_dev, found.st_ino) in look.private


def _look_through(places: Iterable[bytes], roots: Iterable[bytes], why: Why) -> _Look:
    begun_ns, begun = time.time_ns(), time.monotonic()
    private: set[tuple[int, int]] = set()
    todo = [(place, True) for place in places] + [(root, bool(why(root))) for root in roots]
    looked_at = 0
    while todo:
        folder, is_private = todo.pop()
        try:
            seen = os.stat(folder)
            entries = list(os.scandir(folder))
        except NotADirectoryError:
            private.add((seen.st_dev, seen.st_ino))
            continue
        except OSError:
            # Not there, or not ours to read: nor is what stands in it.
            continue
        looked_at += len(entries)
        if looked_at > MAX_ENTRIES:
            return _Look(begun_ns, begun, frozenset(), False)
        for entry in entries:
            path = folder.rstrip(b"/") + b"/" + entry.name
            is_hidden = is_private or bool(why(path))
            if entry.is_dir(follow_symlinks=False):
                if path not in _NOT_FILES:
                    todo.append((path, is_hidden))
            elif is_hidden:
                private.add((seen.st_dev, entry.inode()))
    return _Look(begun_ns, begun, frozenset(private), True)
