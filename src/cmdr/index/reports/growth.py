"""The report on growth: what filled the disk between two snapshots, the biggest change first."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cmdr.index.errors import BadQuestion
from cmdr.index.query.cursor import Scope, make_cursor, read_cursor
from cmdr.index.query.queries import IndexQueries
from cmdr.index.snapshots.columns import NO_ROW, Column
from cmdr.index.snapshots.history import changes_since, nearest_totals
from cmdr.index.snapshots.history_files import FileChanges, FolderTotals, folder_totals, load_totals, totals_epochs
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_handle
from cmdr.index.store.set_members import SetMembers
from cmdr.model.names import printable, to_wire
from cmdr.model.trees.reports import Report, ReportRow
from cmdr.model.units import TIME_HINT, UnitError, read_time, time_ns

Change = Literal["added", "removed", "grown", "shrunk"]
_EXPLAINED = 0.8
"""A folder is not told when one thing in it made this part of its change: that one is told instead."""
WEEK = 7 * 86_400.0
_UNREAD = "The earlier scan could not read everything: where the later one could, growth is overstated."
_FOLDERS_ONLY = "Which files changed since then is not known; only folders are told."
MAX_REPLACED_FILES = 100_000
"""Files that went from folders where others came; beyond that they are told apart, because each is looked up."""


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

    def first(self, count: int) -> list[Grown]:
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


def growth_report(
    answers: IndexQueries,
    limit: int,
    since: str | None = None,
    inside: str | bytes | None = None,
    members: SetMembers | None = None,
    cursor: str | None = None,
) -> Report:
    """What changed since a snapshot or a moment (the last week, when nobody says), in a folder or a set."""
    view, home = answers.view, answers.indexed.home
    before = _start(home, view, since)
    if before is None:
        return Report("growth", (), 0, True, (), "There is no earlier epoch to compare with yet.")
    after = folder_totals(view)
    files = changes_since(home, before.epoch, view)
    growth = compare(before, after, None if files is None else merge_replaced_files(view, files))
    row = 0 if inside is None else answers.row(inside, view)
    place = view.path(row)
    if place != view.root:
        growth = below(view, growth, place)
    if members is not None:
        growth = growth.only(np.isin(growth.ids, members.ids))
    total = len(growth)
    scope = Scope(answers.indexed.record.id, before.epoch, f"growth\0{to_wire(place)}")
    if cursor is not None:
        amount, nid = read_cursor(answers.indexed.catalogue.secret, scope, cursor)
        growth = growth.behind(int(amount), nid)
    notes = [_UNREAD] if total and not before.complete else []
    if files is None:
        notes.append(_FOLDERS_ONLY)
    elif not files.whole:
        notes.append("So many files changed that only the biggest changes are told.")
    return Report(
        "growth",
        _rows(view, answers.tag, growth, limit),
        total,
        before.complete and files is not None and files.whole,
        (),
        " ".join(notes),
        cursor=_cursor(answers, scope, growth, limit),
        since_ns=before.taken_ns,
        before=_size_of(before, view.id_of(row)),
        after=_size_of(after, view.id_of(row)),
    )


def _start(home: str, view: View, since: str | None) -> FolderTotals | None:
    """What to compare with; a number is a snapshot, anything else a moment."""
    kept = totals_epochs(home)
    if since is not None and since.isdecimal():
        if int(since) not in kept:
            known = ", ".join(str(epoch) for epoch in kept) or "none"
            raise BadQuestion(f"The totals of epoch {printable(since, 20)} are not kept; there are: {known}.")
        return load_totals(home, int(since))
    try:
        when = time.time() - WEEK if since is None else time_ns(read_time(since), time.time_ns()) / 1e9
    except UnitError:
        raise BadQuestion(f'"since" is an epoch or a time; {TIME_HINT}.') from None
    return nearest_totals(home, [epoch for epoch in kept if epoch < view.epoch or view.revision], when)


def _rows(view: View, tag: int, growth: Growth, limit: int) -> tuple[ReportRow, ...]:
    find = place_of(view)
    lines = []
    for one in growth.first(limit):
        path = find(one.nid)
        label, node = f"{one.change} {to_wire(path) if path else '(unknown)'}", node_handle(tag, one.nid)
        lines.append(
            ReportRow(
                label, one.files, one.after, node, path, before=one.before, change=one.change, folder=one.is_folder
            )
        )
    return tuple(lines)


def _cursor(answers: IndexQueries, scope: Scope, growth: Growth, limit: int) -> str | None:
    if not 0 < limit < len(growth):
        return None
    last = growth.first(limit)[-1]
    return make_cursor(answers.indexed.catalogue.secret, scope, abs(last.delta), last.nid)


def _size_of(totals: FolderTotals, nid: int) -> int | None:
    at = int(np.searchsorted(totals.ids, nid))
    return int(totals.bytes[at]) if at < len(totals.ids) and totals.ids[at] == nid else None


def merge_replaced_files(view: View, files: FileChanges) -> FileChanges:
    """The same changes, with each file that went and the one that came under its name as one."""
    came, went = files.before < 0, files.after < 0
    went_at = np.flatnonzero(went & np.isin(files.parents, files.parents[came]))
    came_at = np.flatnonzero(came & np.isin(files.parents, files.parents[went_at]))
    if not len(went_at) or len(went_at) > MAX_REPLACED_FILES:
        return files
    names = view.names(view.rows_of(files.ids[came_at]).astype(np.int64))
    there = dict(zip(zip(files.parents[came_at].tolist(), names, strict=True), came_at.tolist(), strict=True))
    before, kept = files.before.copy(), np.ones(len(files.ids), bool)
    for at in went_at.tolist():
        name = os.path.basename(view.last_path(int(files.ids[at])) or b"")
        successor = there.get((int(files.parents[at]), name))
        if successor is not None:
            before[successor], kept[at] = files.before[at], False
    kept &= before != files.after
    return replace(
        files,
        ids=files.ids[kept],
        parents=files.parents[kept],
        before=before[kept],
        after=files.after[kept],
    )
