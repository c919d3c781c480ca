"""What came, went or was replaced in a directory of very many entries, without looking at each of them.

Names and inodes are read, and compared with the known ones all at once: a file system lists a directory in the same
order again, so that nearly everything stands where it stood.
"""

import os
import time
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from cmdr.index.delta.delta import Listing, examine, own_times, read_open
from cmdr.index.delta.delta_rows import bytes_of, rows_named
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import DirState

LARGE_DIRECTORY = 50_000
"""Entries of a directory of which only the changes are kept."""


_MIX = tuple(np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))


@dataclass(frozen=True)
class Differences:
    """The rows that are no longer what they were, and the entries that are new or stand in their place."""

    rows: Column
    entries: Listing


@dataclass(frozen=True, eq=False)
class _Names:
    """Names one behind the other, each ending with NUL, and their inodes."""

    blob: Column
    ends: Column
    inodes: Column

    def keys(self) -> Column:
        """A number for each that is another one when the inode or the name is: nearly always, for the name."""
        padded = np.concatenate([np.zeros(8, np.uint8), self.blob, np.zeros(8, np.uint8)])
        words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
        starts = np.append(0, self.ends[:-1])[: len(self.ends)]
        keys = self.inodes * _MIX[0]
        keys += words[self.ends - 1] * _MIX[1]  # the last eight bytes, or the name before and this one
        keys += (self.ends - starts).astype(np.uint64) * _MIX[2]
        return np.asarray(keys)

    def name(self, place: int) -> bytes:
        start = int(self.ends[place - 1]) if place else 0
        return self.blob[start : int(self.ends[place]) - 1].tobytes()

    def all(self) -> list[bytes]:
        return self.blob.tobytes().split(b"\0")[:-1]

    def without(self, places: Column) -> Column:
        """The bytes of all others."""
        kept = np.delete(np.arange(len(self.ends)), places)
        return bytes_of(self.blob, np.append(0, self.ends), kept)


def is_large(view: View, directory: int) -> bool:
    """Whether only the changes of a directory are read and kept."""
    return directory < view.base_dirs and int(view.stored.column("dcn")[directory]) > LARGE_DIRECTORY


def read_differences(view: View, directory: int, path: bytes, earlier: Listing | None) -> Differences:
    """Compare a directory with what is known of it, `earlier` changes included; trouble is told by the state."""
    rows: Column = np.empty(0, np.int64)

    def read(fd: int) -> Listing:
        nonlocal rows
        own = own_times(fd)
        rows, wanted = _changes(view, directory, _listed(fd), earlier)
        return Listing(DirState.LISTED, listed, examine(wanted, fd), own=own)

    listed = time.time_ns()
    entries = read_open(path, listed, read)
    return Differences(rows, entries)


def read_named(
    view: View, directory: int, path: bytes, names: frozenset[bytes], earlier: Listing | None
) -> Differences:
    """Look at these names of a directory and at no others; so its listing stays as old as it is."""
    known = (view.child(directory, name) for name in names)
    rows = np.array(sorted(row for row in known if row is not None), np.int64)
    listed = int(view.dirs["dlisted"][directory])

    def read(fd: int) -> Listing:
        return Listing(DirState.LISTED, listed, examine(sorted(names), fd), own=earlier.own if earlier else None)

    return Differences(rows, read_open(path, listed, read))


def _listed(fd: int) -> _Names:
    with os.scandir(fd) as found:
        entries = list(found)
    names = os.fsencode("\0".join(map(attrgetter("name"), entries)) + "\0") if entries else b""
    blob = np.frombuffer(names, np.uint8)
    inodes = np.fromiter(map(os.DirEntry.inode, entries), np.uint64, len(entries))
    return _Names(blob, np.flatnonzero(blob == 0) + 1, inodes)


def _changes(view: View, directory: int, new: _Names, earlier: Listing | None) -> tuple[Column, list[bytes]]:
    """Rows of the view that have gone or changed, and the names to look at."""
    first, count = int(view.stored_start[directory]), int(view.stored.column("dcn")[directory])
    offsets = view.base.noff[first : first + count + 1].astype(np.int64)
    blob = view.base.names[offsets[0] : offsets[-1]]
    old = _Names(blob, offsets[1:] - offsets[0], view.base["ino"][first : first + count])
    gone, come = _compare(old, new)
    was = {old.name(place): place for place in gone.tolist()}
    now = {new.name(place): int(new.inodes[place]) for place in come.tolist()}
    vanished = [int(view.base["nid"][first + place]) for place in was.values()]
    if earlier is not None and earlier.instead_of:
        replaced = {view.base.name(row): row for row in rows_named(view.base, first, count, earlier.instead_of)}
        # What had gone stands there again as the snapshot has it.
        now |= {name: int(view.base["ino"][row]) for name, row in replaced.items() if name not in was}
        vanished = [int(view.base["nid"][first + place]) for name, place in was.items() if name not in replaced]
        for entry in earlier.entries:
            if now.get(entry.name) == entry.ino:
                del now[entry.name]
            else:
                vanished.append(entry.nid)
    return np.array(sorted(view.row_of(nid) for nid in vanished), np.int64), list(now)


def _compare(old: _Names, new: _Names) -> tuple[Column, Column]:
    """Places in the old listing of what has gone or changed, and in the new one of what came or changed."""
    was, now = old.keys(), new.keys()
    size = min(len(was), len(now))
    before = _first(was[:size] != now[:size], size)
    behind = _first(was[len(was) - size :][::-1] != now[len(now) - size :][::-1], size)
    behind = min(behind, size - before)
    middle, other = was[before : len(was) - behind], now[before : len(now) - behind]
    gone, come = (np.flatnonzero(~np.isin(a, b)) + before for a, b in ((middle, other), (other, middle)))
    if np.array_equal(old.without(gone), new.without(come)) and len(was) - len(gone) == len(now) - len(come):
        return gone, come
    # Listed in another order, or names that the keys do not tell apart.
    was[:], now[:] = 1, 1
    by_name = {name: place for place, name in enumerate(old.all())}
    for place, name in enumerate(new.all()):
        at = by_name.get(name)
        if at is not None and old.inodes[at] == new.inodes[place]:
            was[at] = now[place] = 0
    return np.flatnonzero(was), np.flatnonzero(now)


def _first(differ: Column, size: int) -> int:
    """How many are alike before the first that differs."""
    at = int(np.argmax(differ)) if size else 0
    return at if size and differ[at] else size
