"""What filled the disk: the folders and files that changed between two epochs, the biggest change first."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cmdr.index.snapshots.columns import NO_ROW, Column
from cmdr.index.snapshots.file_changes import FileChanges
from cmdr.index.snapshots.folder_totals import FolderTotals
from cmdr.index.snapshots.view import View

Change = Literal["added", "removed", "grown", "shrunk"]
_EXPLAINED = 0.8
"""A folder is not told when one thing in it made this part of its change: that one is told instead."""


@dataclass(frozen=True)
class Grown:
    """How one folder or file changed; of a folder also the number of files in it now."""

    nid: int
    is_folder: bool
    change: Change
    before: int
    after: int
    files: int | None

    @property
    def delta(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, eq=False)
class Growth:
    """All changes as columns, in the order they are told: by the size of the change, then by id."""

    ids: Column
    parents: Column
    folder: Column
    was: Column
    present: Column
    before: Column
    after: Column
    files: Column

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def delta(self) -> Column:
        return self.after - self.before

    def only(self, chosen: Column) -> "Growth":
        """Some of the changes: a mask, or their places."""
        names = ("ids", "parents", "folder", "was", "present", "before", "after", "files")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def behind(self, amount: int, nid: int) -> "Growth":
        """What follows a change of this size with this id."""
        sizes = np.abs(self.delta)
        return self.only((sizes < amount) | ((sizes == amount) & (self.ids > nid)))

    def told(self, count: int) -> list[Grown]:
        """The first changes."""
        first = self.only(np.arange(min(count, len(self))))
        columns = (first.ids, first.folder, first.was, first.present, first.before, first.after, first.files)
        return [
            Grown(nid, folder, _word(was, present, after > before), before, after, files if folder else None)
            for nid, folder, was, present, before, after, files in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]


def compare(before: FolderTotals, after: FolderTotals, files: FileChanges | None) -> Growth:
    """Every folder and file that changed. Without `files`, folders only."""
    folders = _folders(before, after)
    both = folders if files is None else _together(folders, _files(files))
    both = both.only(np.lexsort((both.ids, -np.abs(both.delta))))
    return both.only(~_explained(both))


def below(view: View, growth: Growth, inside: bytes) -> Growth:
    """Only what lies at or below a folder."""
    prefix = inside.rstrip(b"/") + b"/"
    rows = view.rows_of(growth.ids)
    live = rows != NO_ROW
    keep = np.zeros(len(growth), bool)
    keep[live] = [(path + b"/").startswith(prefix) for path in view.paths(rows[live])]
    for at in np.flatnonzero(~live).tolist():
        keep[at] = ((view.last_path(int(growth.ids[at])) or b"") + b"/").startswith(prefix)
    return growth.only(keep)


def place_of(view: View) -> Callable[[int], bytes | None]:
    """Where a node is, or was when it is gone."""

    def find(nid: int) -> bytes | None:
        row = int(view.rows_of(np.array([nid]))[0])
        return view.path(row) if row != NO_ROW else view.last_path(nid)

    return find


def _folders(before: FolderTotals, after: FolderTotals) -> Growth:
    ids = np.union1d(before.ids, after.ids).astype(np.int64)
    old, new = np.searchsorted(ids, before.ids), np.searchsorted(ids, after.ids)
    was, present = np.zeros(len(ids), bool), np.zeros(len(ids), bool)
    was[old], present[new] = True, True
    parents, first, last, files = (np.zeros(len(ids), np.int64) for _ in range(4))
    parents[old] = before.parents
    parents[new] = after.parents
    first[old], last[new], files[new] = before.bytes, after.bytes, after.files
    growth = Growth(ids, parents, np.ones(len(ids), bool), was, present, first, last, files)
    return growth.only((first != last) | (was != present))


def _files(files: FileChanges) -> Growth:
    none = np.zeros(len(files.ids), np.int64)
    return Growth(
        files.ids.astype(np.int64),
        files.parents.astype(np.int64),
        none.astype(bool),
        files.before >= 0,
        files.after >= 0,
        files.before.clip(0).astype(np.int64),
        files.after.clip(0).astype(np.int64),
        none,
    )


def _together(one: Growth, other: Growth) -> Growth:
    names = ("ids", "parents", "folder", "was", "present", "before", "after", "files")
    return replace(one, **{name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names})


def _explained(growth: Growth) -> Column:
    """Folders whose change is nearly all that of one thing in them."""
    at_folder = np.flatnonzero(growth.folder)
    by_id = at_folder[np.argsort(growth.ids[at_folder], kind="stable")]
    out = np.zeros(len(growth), bool)
    if not len(by_id):
        return out
    place = np.searchsorted(growth.ids[by_id], growth.parents).clip(0, len(by_id) - 1)
    above = by_id[place]
    mine, theirs = growth.delta, growth.delta[above]
    inside = (growth.ids[above] == growth.parents) & (growth.ids != growth.parents)
    makes = inside & (theirs != 0) & (np.sign(mine) == np.sign(theirs)) & (np.abs(mine) >= _EXPLAINED * np.abs(theirs))
    out[above[makes]] = True
    return out


def _word(was: bool, present: bool, more: bool) -> Change:
    if not was:
        return "added"
    if not present:
        return "removed"
    return "grown" if more else "shrunk"
