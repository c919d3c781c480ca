"""Which entries of new listings are nodes that were known: moved here, or put in place of another."""

from dataclasses import replace

import numpy as np

from cmdr.index.delta.patch import Entry, Listing
from cmdr.index.snapshots.view import View


def is_same(view: View, row: int, entry: Entry) -> bool:
    """Whether an entry is what stands in the row of its name."""
    born = view.value("born", row)
    alike = view.value("ino", row) == entry.ino and view.value("mode", row) >> 12 == entry.mode >> 12
    return alike and (born == entry.born or not born or not entry.born)


class KnownAgain:
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
