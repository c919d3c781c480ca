"""Listing again what changed, and only that; entries that moved or were replaced keep the ids of their nodes."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cmdr.index.delta.delta import Delta, Entry, Listing, read_listing
from cmdr.index.delta.delta_rows import known_alone, linked
from cmdr.index.delta.large_directory import Differences, is_large, read_differences, read_named
from cmdr.index.errors import Cancelled, RootMissing
from cmdr.index.snapshots.columns import Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState

NewDirectory = tuple[bytes, int, int]  # a new directory: path, depth, device


@dataclass(frozen=True)
class RefreshResult:
    """What a refresh found."""

    delta: Delta
    paths: tuple[bytes, ...]  # the directories that were listed
    whole: tuple[bytes, ...]  # those of them of which every entry was examined
    listed: int
    added: int
    removed: int


@dataclass(frozen=True)
class RefreshOptions:
    """How directories are listed again.

    Without `edits`, of a large directory only the names that came, went or were replaced are looked at; where the
    names that changed are known, nothing but those.
    """

    depth_limit: int | None = None
    cross: bool = False
    edits: bool = True
    names: Mapping[int, frozenset[bytes]] | None = None
    count: Callable[[int], None] = lambda _: None
    """Told of every listing: how many entries it has."""


def refresh(
    view: View, delta: Delta, changed: list[int], wanted: RefreshOptions, stop: Callable[[], bool] = lambda: False
) -> RefreshResult:
    """List these directories again, follow what is new, and give everything its id."""
    return _Refresh(view, delta, wanted, stop).run(changed)


def rows_to_list(view: View, changed: list[int]) -> int:
    """How many entries are looked at when these directories are listed again without edits."""
    return sum(int(view.dirs["dcn"][number]) for number in changed if not is_large(view, number))


def is_same(view: View, row: int, entry: Entry) -> bool:
    """Whether an entry is what stands in the row of its name."""
    born = view.value("born", row)
    alike = view.value("ino", row) == entry.ino and view.value("mode", row) >> 12 == entry.mode >> 12
    return alike and (born == entry.born or not born or not entry.born)


class NodeMatcher:
    """Gives every entry without an id the one of a row that vanished elsewhere, or a new one."""

    def __init__(self, view: View, vanished: list[int], next_id: int) -> None:
        self.view, self.next_id = view, next_id
        self.added = 0
        self.found: set[int] = set()
        rows = np.array(vanished, np.int64)
        self._inodes = dict(zip(view.gather("ino", rows).tolist(), vanished, strict=True)) if vanished else {}
        parents = view.gather("pdir", rows)
        owners = view.gather("nid", view.dirs["drow"][parents]) if vanished else parents
        self._places = {(int(owner), view.name(row)): row for owner, row in zip(owners.tolist(), vanished, strict=True)}

    def identify(self, listings: dict[bytes, Listing], directory_ids: dict[bytes, int]) -> dict[bytes, Listing]:
        """The listings with all their ids; those of the directories that had one before are given."""
        ids, out = dict(directory_ids), dict(listings)
        for path in sorted(listings, key=lambda one: (one.count(b"/"), one)):
            entries = []
            for listed in listings[path].entries:
                entry = listed
                if entry.nid < 0:
                    entry = entry._replace(nid=self._id(entry, ids.get(path, -1)))
                if entry.is_dir:
                    ids[path.rstrip(b"/") + b"/" + entry.name] = entry.nid
                entries.append(entry)
            out[path] = replace(listings[path], entries=tuple(entries))
        return out

    def _id(self, entry: Entry, parent: int) -> int:
        moved, replaced = self._inodes.get(entry.ino), self._places.get((parent, entry.name))
        for row in (moved, replaced):
            if row is None or row in self.found or self.view.value("mode", row) >> 12 != entry.mode >> 12:
                continue
            if row == moved and row != replaced and not self._is_moved(row, entry):
                continue
            self.found.add(row)
            return self.view.id_of(row)
        self.added += 1
        self.next_id += 1
        return self.next_id - 1

    def _is_moved(self, row: int, entry: Entry) -> bool:
        born = self.view.value("born", row)
        if born and entry.born:
            return born == entry.born
        return self.view.value("mtime", row) == entry.mtime


class _Refresh:
    def __init__(self, view: View, delta: Delta, wanted: RefreshOptions, stop: Callable[[], bool]) -> None:
        self.view, self.delta, self.wanted, self.stop = view, delta, wanted, stop
        self.device = int(view.base.devices[view.value("dev", 0)])
        self.listings: dict[bytes, Listing] = {}
        self.parent_id: dict[bytes, int] = {}  # id of each listed directory that had one before
        self.vanished: list[int] = []  # rows that are no longer where they were
        self.removed_dirs: set[bytes] = set()
        self.names = dict(wanted.names or {})
        self.listed = 0

    def run(self, changed: list[int]) -> RefreshResult:
        self.relist(changed)
        while more := self.linked_elsewhere():
            self.relist(more)
        known = NodeMatcher(self.view, self.vanished, max(self.view.next_id, self.delta.next_id))
        self.listings = known.identify(self.listings, self.parent_id)
        return self.result(known)

    def relist(self, changed: Iterable[int]) -> None:
        """List directories, and whatever is new below them."""
        fresh: list[NewDirectory] = []
        again = sorted(set(changed))
        while again:
            number = again.pop(0)
            path = self.view.directory_path(number)
            if path in self.listings or self.is_removed(path):
                continue
            different = self.read_differences(number, path)
            listing = self.read(path) if different is None else different.entries
            if listing.state == DirState.VANISHED:
                if not number:
                    raise RootMissing(f"{to_wire(path)} is not there any more.")
                parent = int(self.view.dirs["dpar"][number])
                if self.view.directory_path(parent) not in self.listings:
                    again.append(parent)
                continue
            fresh += self.compare(number, path, listing, None if different is None else different.rows)
        self.follow(fresh)

    def linked_elsewhere(self) -> list[int]:
        """The directories of files that got another name, where seen alone their bytes would count twice; and those
        of files that were edited, or lost a name, under another name."""
        new = [entry for listing in self.listings.values() for entry in listing.entries if entry.nid < 0]
        rows = known_alone(self.view, {entry.ino for entry in new if entry.flags & Flag.HARD})
        if links := self.changed_links():
            others = linked(self.view, set(links))
            inodes, times = (self.view.gather(name, others).tolist() for name in ("ino", "ctime"))
            known = [links[inode] == when for inode, when in zip(inodes, times, strict=True)]
            rows = np.union1d(rows, others[~np.array(known, bool)])
        found: dict[int, set[bytes]] = {}
        for name, number in zip(self.view.names(rows), self.view.gather("pdir", rows).tolist(), strict=True):
            path = self.view.directory_path(number)
            if path not in self.listings and not self.is_removed(path):
                found.setdefault(number, set()).add(name)
        self.names |= {number: frozenset(names) for number, names in found.items() if is_large(self.view, number)}
        return list(found)

    def changed_links(self) -> dict[int, int | None]:
        """The inodes of files with several names that were seen or lost a name, and when each was changed last (None:
        not seen): the system tells of a change by one name only."""
        rows = np.array(self.vanished, np.int64)
        rows = rows[(self.view.gather("flags", rows) & np.uint8(Flag.HARD)) != 0] if len(rows) else rows
        links: dict[int, int | None] = dict.fromkeys(self.view.gather("ino", rows).tolist() if len(rows) else ())
        for listing in self.listings.values():
            links |= {entry.ino: entry.ctime for entry in listing.entries if entry.flags & Flag.HARD}
        return links

    def read(self, path: bytes) -> Listing:
        self.pause()
        self.listed += 1
        listing = read_listing(path)
        self.wanted.count(len(listing.entries))
        return listing

    def pause(self) -> None:
        if self.stop():
            raise Cancelled("The refresh was stopped.")

    def is_removed(self, path: bytes) -> bool:
        """Whether a directory, or one above it, is no longer where it was."""
        while len(path) > len(self.view.root):
            if path in self.removed_dirs:
                return True
            path = path.rpartition(b"/")[0]
        return False

    def read_differences(self, number: int, path: bytes) -> Differences | None:
        """What changed in a directory of very many entries; None when it must be listed as a whole."""
        kept = self.delta.listings.get(path)
        names = self.names.get(number)
        if not is_large(self.view, number) or (kept is not None and kept.instead_of is None):
            return None
        if self.wanted.edits and names is None:
            return None
        self.pause()
        if names is not None:
            found = read_named(self.view, number, path, names, kept)
        else:
            found = read_differences(self.view, number, path, kept)
        if found.entries.state not in (DirState.LISTED, DirState.VANISHED):
            return None
        self.listed += 1
        return found

    def compare(self, number: int, path: bytes, listing: Listing, changed: Column | None) -> list[NewDirectory]:
        """Keep the ids of what is still there; answer the directories that are new.

        With the rows that `changed`, the listing tells what stands in their place and what is new; else it is whole.
        """
        view = self.view
        children = view.child_rows(number)
        rows = np.arange(children.start, children.stop) if changed is None else changed
        before = dict(zip(view.names(rows), rows.tolist(), strict=True))
        replaced = None if changed is None else frozenset(before)
        self.parent_id[path] = view.id_of(int(view.dirs["drow"][number]))
        depth = int(view.dirs["ddepth"][number]) + 1
        fresh: list[NewDirectory] = []
        entries: list[Entry] = []
        for entry in listing.entries:
            row = before.get(entry.name)
            if row is not None and is_same(view, row, entry):
                entries.append(entry._replace(nid=view.id_of(row)))
                del before[entry.name]
                continue
            entries.append(entry)
            if entry.is_dir:
                fresh.append((path.rstrip(b"/") + b"/" + entry.name, depth, entry.device))
        for name, row in before.items():
            self.vanish(path.rstrip(b"/") + b"/" + name, row)
        self.listings[path] = replace(listing, entries=tuple(entries))
        if replaced is not None:
            self.listings[path] = self.amended(path, self.listings[path], replaced)
        return fresh

    def amended(self, path: bytes, latest: Listing, replaced: frozenset[bytes]) -> Listing:
        """What changed now together with what had changed before, against the snapshot."""
        earlier = self.delta.listings.get(path, Listing(latest.state, 0, (), frozenset()))
        replaced |= {entry.name for entry in latest.entries}
        kept = tuple(entry for entry in earlier.entries if entry.name not in replaced)
        instead_of = (earlier.instead_of or frozenset()) | replaced
        return replace(latest, entries=kept + latest.entries, instead_of=instead_of)

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
        if mask is not None and self.view.delta is not None:
            over = np.flatnonzero(mask[self.view.delta["pdir"]])
            self.vanished += (over + self.view.base_rows).tolist()

    def follow(self, fresh: list[NewDirectory]) -> None:
        """List new directories and what is below them; never onto another file system."""
        limit = self.wanted.depth_limit
        while fresh:
            path, depth, device = fresh.pop()
            if not self.wanted.cross and device != self.device:
                self.listings[path] = Listing(DirState.OTHER_SYSTEM, time.time_ns(), ())
                continue
            if limit is not None and depth >= limit:
                self.listings[path] = Listing(DirState.UNLISTED, time.time_ns(), ())
                continue
            listing = self.read(path)
            self.listings[path] = listing
            fresh += [(path + b"/" + one.name, depth + 1, one.device) for one in listing.entries if one.is_dir]

    def result(self, known: NodeMatcher) -> RefreshResult:
        lost = [row for row in self.vanished if row not in known.found]
        gone = dict(self.delta.gone)
        rows: Column = np.array(lost, np.int64)
        gone |= dict(zip(self.view.gather("nid", rows).tolist(), self.view.paths(rows), strict=True)) if lost else {}
        kept = {path: listing for path, listing in self.delta.listings.items() if not self.is_removed(path)}
        alive = {entry.nid for listing in self.listings.values() for entry in listing.entries}
        gone = {nid: path for nid, path in gone.items() if nid not in alive}
        delta = Delta(kept | self.listings, gone, known.next_id)
        whole = tuple(path for path, listing in self.listings.items() if listing.instead_of is None)
        return RefreshResult(delta, tuple(self.listings), whole, self.listed, known.added, len(lost))
