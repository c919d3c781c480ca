"""Finding out what changed since, and listing only that again.

A directory's time changes when a name in it comes or goes, so one stat per directory finds the listings that are out
of date. Edits inside a file do not show there: those are told by watching, or found by the next full scan.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cmdr.index.columns import Column, DirState
from cmdr.index.errors import Cancelled, RootMissing
from cmdr.index.patch import Entry, Listing, Patch, read_listing
from cmdr.index.statx import OPEN_DIR, open_directory
from cmdr.index.view import View
from cmdr.model.names import to_wire

Fresh = tuple[bytes, int, int]  # a new directory: path, depth, device
_RACY_NS = 50_000_000  # a change within the clock's grain of the listing does not show in the time


@dataclass(frozen=True)
class Refreshed:
    """What a refresh found."""

    patch: Patch
    listed: int
    added: int
    removed: int


def changed_directories(view: View, stop: Callable[[], bool] = lambda: False) -> list[int]:
    """Numbers of the directories whose listing may be out of date."""
    live = view.live_dirs()
    paths = view.directory_paths()
    times = view.gather("mtime", view.dirs["drow"]).tolist()
    state, listed = view.dirs["dstate"].tolist(), view.dirs["dlisted"].tolist()
    if not os.path.isdir(view.root):
        raise RootMissing(f"{to_wire(view.root)} is not there any more.")
    found: list[int] = []
    again = {int(DirState.DENIED), int(DirState.FAILED), int(DirState.CANCELLED)}
    lstat = os.lstat
    deep = _Deep()
    for number in live.tolist():
        if state[number]:
            if state[number] in again:
                found.append(number)
            continue
        now: int | None
        try:
            now = lstat(paths[number]).st_mtime_ns
        except OSError:
            now = deep.time(paths[number])
        if now is None:
            continue  # its parent's listing tells
        if now != times[number] or now >= listed[number] - _RACY_NS:
            found.append(number)
        if not number & 0x3FF and stop():
            deep.close()
            raise Cancelled("The check for changes was stopped.")
    deep.close()
    return found


class _Deep:
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
        return os.fstat(fd).st_mtime_ns

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1


def refresh(
    view: View,
    patch: Patch,
    changed: list[int],
    depth_limit: int | None = None,
    cross: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Refreshed:
    """List these directories again, follow what is new, and give everything its id."""
    return _Refresh(view, patch, depth_limit, cross, stop).run(changed)


class _Refresh:
    def __init__(
        self, view: View, patch: Patch, depth_limit: int | None, cross: bool, stop: Callable[[], bool]
    ) -> None:
        self.view, self.patch, self.stop = view, patch, stop
        self.depth_limit, self.cross = depth_limit, cross
        self.device = int(view.base.devices[view.value("dev", 0)])
        self.listings: dict[bytes, Listing] = {}
        self.parent_id: dict[bytes, int] = {}  # id of each listed directory that had one before
        self.vanished: list[int] = []  # rows that are no longer where they were
        self.removed_dirs: set[bytes] = set()
        self.next_id = max(view.next_id, patch.next_id)
        self.added = self.listed = 0

    def run(self, changed: list[int]) -> Refreshed:
        fresh: list[Fresh] = []
        again = sorted(set(changed))
        while again:
            number = again.pop(0)
            path = self.view.directory_path(number)
            if path in self.listings or self.is_removed(path):
                continue
            listing = self.read(path)
            if listing.state == DirState.VANISHED:
                if not number:
                    raise RootMissing(f"{to_wire(path)} is not there any more.")
                parent = int(self.view.dirs["dpar"][number])
                if self.view.directory_path(parent) not in self.listings:
                    again.append(parent)
                continue
            fresh += self.compare(number, path, listing)
        self.follow(fresh)
        self.identify()
        return self.result()

    def read(self, path: bytes) -> Listing:
        if self.stop():
            raise Cancelled("The refresh was stopped.")
        self.listed += 1
        return read_listing(path)

    def is_removed(self, path: bytes) -> bool:
        """Whether a directory, or one above it, is no longer where it was."""
        while len(path) > len(self.view.root):
            if path in self.removed_dirs:
                return True
            path = path.rpartition(b"/")[0]
        return False

    def compare(self, number: int, path: bytes, listing: Listing) -> list[Fresh]:
        """Keep the ids of what is still there; answer the directories that are new."""
        view = self.view
        rows = np.arange(view.child_rows(number).start, view.child_rows(number).stop)
        before = dict(zip(view.names(rows), rows.tolist(), strict=True))
        self.parent_id[path] = view.id_of(int(view.dirs["drow"][number]))
        depth = int(view.dirs["ddepth"][number]) + 1
        fresh: list[Fresh] = []
        entries: list[Entry] = []
        for entry in listing.entries:
            row = before.get(entry.name)
            if row is not None and self.same(row, entry):
                entries.append(entry._replace(nid=view.id_of(row)))
                del before[entry.name]
                continue
            entries.append(entry)
            if entry.is_dir:
                fresh.append((path.rstrip(b"/") + b"/" + entry.name, depth, entry.device))
        for name, row in before.items():
            self.vanish(path.rstrip(b"/") + b"/" + name, row)
        self.listings[path] = Listing(listing.state, listing.listed_ns, tuple(entries))
        return fresh

    def same(self, row: int, entry: Entry) -> bool:
        view = self.view
        born = view.value("born", row)
        alike = view.value("ino", row) == entry.ino and view.value("mode", row) >> 12 == entry.mode >> 12
        return alike and (born == entry.born or not born or not entry.born)

    def vanish(self, path: bytes, row: int) -> None:
        self.vanished.append(row)
        number = self.view.directory(row)
        if number is None:
            return
        self.removed_dirs.add(path)
        below, mask = self.view.subtree(number)
        rows = np.arange(below.start, below.stop)
        if self.view.dead is not None:
            rows = rows[~self.view.dead[rows]]
        self.vanished += rows.tolist()
        if mask is not None and self.view.extra is not None:
            over = np.flatnonzero(mask[self.view.extra["pdir"]])
            self.vanished += (over + self.view.base_rows).tolist()

    def follow(self, fresh: list[Fresh]) -> None:
        """List new directories and what is below them; never onto another file system."""
        while fresh:
            path, depth, device = fresh.pop()
            if not self.cross and device != self.device:
                self.listings[path] = Listing(DirState.OTHER_SYSTEM, time.time_ns(), ())
                continue
            if self.depth_limit is not None and depth >= self.depth_limit:
                self.listings[path] = Listing(DirState.UNLISTED, time.time_ns(), ())
                continue
            listing = self.read(path)
            self.listings[path] = listing
            fresh += [(path + b"/" + one.name, depth + 1, one.device) for one in listing.entries if one.is_dir]

    def identify(self) -> None:
        """Ids for entries without one: moved here (by inode), put in place of another (by name), or new."""
        rows = np.array(self.vanished, np.int64)
        inodes = dict(zip(self.view.gather("ino", rows).tolist(), self.vanished, strict=True)) if len(rows) else {}
        parents = self.view.gather("pdir", rows)
        owners = self.view.gather("nid", self.view.dirs["drow"][parents]) if len(rows) else parents
        places = {
            (int(owner), self.view.name(row)): row for owner, row in zip(owners.tolist(), self.vanished, strict=True)
        }
        taken: set[int] = set()
        ids: dict[bytes, int] = dict(self.parent_id)
        for path in sorted(self.listings, key=lambda one: (one.count(b"/"), one)):
            listing = self.listings[path]
            entries = []
            for listed in listing.entries:
                entry = listed
                if entry.nid < 0:
                    entry = entry._replace(nid=self.old_id(entry, ids.get(path, -1), inodes, places, taken))
                if entry.is_dir:
                    ids[path.rstrip(b"/") + b"/" + entry.name] = entry.nid
                entries.append(entry)
            self.listings[path] = Listing(listing.state, listing.listed_ns, tuple(entries))
        self.found_again = taken

    def old_id(
        self, entry: Entry, parent: int, inodes: dict[int, int], places: dict[tuple[int, bytes], int], taken: set[int]
    ) -> int:
        for row in (inodes.get(entry.ino), places.get((parent, entry.name))):
            if row is None or row in taken or self.view.value("mode", row) >> 12 != entry.mode >> 12:
                continue
            if row == inodes.get(entry.ino) and not self.moved(row, entry) and row != places.get((parent, entry.name)):
                continue
            taken.add(row)
            return self.view.id_of(row)
        self.added += 1
        self.next_id += 1
        return self.next_id - 1

    def moved(self, row: int, entry: Entry) -> bool:
        born = self.view.value("born", row)
        if born and entry.born:
            return born == entry.born
        return self.view.value("mtime", row) == entry.mtime

    def result(self) -> Refreshed:
        lost = [row for row in self.vanished if row not in self.found_again]
        gone = dict(self.patch.gone)
        rows: Column = np.array(lost, np.int64)
        gone |= dict(zip(self.view.gather("nid", rows).tolist(), self.view.paths(rows), strict=True)) if lost else {}
        kept = {path: listing for path, listing in self.patch.listings.items() if not self.is_removed(path)}
        alive = {entry.nid for listing in self.listings.values() for entry in listing.entries}
        gone = {nid: path for nid, path in gone.items() if nid not in alive}
        return Refreshed(Patch(kept | self.listings, gone, self.next_id), self.listed, self.added, len(lost))
