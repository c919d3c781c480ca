"""The snapshot with a delta applied: the view that is served between two compactions.

Replaced rows of the snapshot are marked dead and the new listings follow behind its last row. Of a large directory in
which only files were edited, the rows are edited where they stand. Totals are added up again for the directories that
changed and for those above them.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cmdr.index.delta.delta import Delta, Entry, Listing
from cmdr.index.delta.delta_rows import (
    DeltaIds,
    UnchangedRows,
    children_named,
    count_once,
    rows_of_entries,
    with_unchanged,
)
from cmdr.index.delta.edited_files import EditedRows, edit_files
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import INCOMPLETE, DirState

_NO_TIME = -(1 << 63)
_SHARED, _UNKNOWN = np.uint8(Flag.SHARED), np.uint8(Flag.UNKNOWN)


def apply_delta(base: View, delta: Delta, revision: int) -> View:
    """A view of the stored snapshot `base` (without delta) as the delta changes it."""
    if not delta.listings:
        return replace(base, next_id=max(base.next_id, delta.next_id), delta_gone=delta.gone, revision=revision)
    return _DeltaBuilder(base, delta).view(revision)


class _DeltaBuilder:
    def __init__(self, base: View, delta: Delta) -> None:
        self.base, self.delta = base, delta
        self.dead = np.zeros(base.base_rows, bool)
        self.dead_spans: list[tuple[int, int]] = []
        self.entries: list[Entry] = []
        self.parents: list[int] = []
        self.kept: list[UnchangedRows] = []  # of large directories, what is in them as it was
        self.rows = 0
        self.new_dirs: list[dict[str, int]] = []
        self.changed: dict[str, dict[int, int]] = {name: {} for name in base.dirs}
        self.numbers: dict[bytes, int] = {base.root: 0}
        self.delta_dirs: dict[int, int] = {}
        self.touched: set[int] = set()  # directories whose totals are no longer right
        self.replaced: set[int] = set()  # directories whose rows stand in the delta
        self.edits = EditedRows(base)

    def view(self, revision: int) -> View:
        own: dict[int, Listing] = {}
        for path in sorted(self.delta.listings, key=lambda one: (one.count(b"/"), one)):
            number = self.number(path)
            if number is not None:
                own[number] = listing = self.delta.listings[path]
                if edit_files(self.base, number, listing, self.edits):
                    self.put(number, "dlisted", listing.listed_ns)
                    self.touched.add(number)
                else:
                    self.replace_block(number, path, listing)
        dead_dirs = np.zeros(self.base.base_dirs + len(self.new_dirs), bool)
        for first, last in self.dead_spans:
            dead_dirs[first:last] = True
        dirs, flags = self.directories(), self.count_names()
        listed = rows_of_entries(self.base.base, self.entries, self.parents, flags)
        times = self.own_times(own, dirs)
        base = self.edits.segment()
        over = with_unchanged(base, listed, self.kept) if self.kept else listed
        for row, (mtime, ctime) in times.items():
            over["mtime"][row], over["ctime"][row] = mtime, ctime
        edited = self.edits.rows
        view = View(
            self.base.root,
            self.base.epoch,
            self.base.facts,
            base,
            dirs,
            self.base.stored,
            over,
            self.dead,
            dead_dirs,
            edited if len(edited) else None,
            DeltaIds(
                self.base, self.kept, {entry.nid: row for entry, row in zip(self.entries, self.places(), strict=True)}
            ),
            self.delta_dirs,
            self.delta.gone,
            next_id=max(self.base.next_id, self.delta.next_id),
            revision=revision,
        )
        _roll_up(view, self.touched)
        return view

    def own_times(self, own: dict[int, Listing], dirs: dict[str, Column]) -> dict[int, tuple[int, int]]:
        """The times of directories that were listed after the one above them; answers those of the delta's rows.

        Without them the next check would take what was listed just now for changed.
        """
        over: dict[int, tuple[int, int]] = {}
        for number, listing in own.items():
            above = int(dirs["dpar"][number])
            if listing.own is None or (number and listing.listed_ns < int(dirs["dlisted"][above])):
                continue
            row = int(dirs["drow"][number])
            if row >= self.base.base_rows:
                over[row - self.base.base_rows] = listing.own
            else:
                self.edits.put(row, "mtime", listing.own[0])
                self.edits.put(row, "ctime", listing.own[1])
            self.touched.add(above)
        return over

    def count_names(self) -> list[int]:
        """The flags of all entries; a name of the snapshot that counts from now on is edited."""
        dead = self.dead.copy()
        for kept in self.kept:
            dead[kept.rows] = False
        flags, now_counted = count_once(self.base.base, dead, self.entries)
        for row in now_counted:
            self.edits.put(row, "flags", self.base.value("flags", row) & ~int(Flag.SHARED))
            self.touched.add(self.base.value("pdir", row))
        return flags

    def number(self, path: bytes) -> int | None:
        """A directory's number; None when it is no longer there."""
        if path in self.numbers:
            return self.numbers[path]
        above, _, name = path.rpartition(b"/")
        above = above or b"/"
        if len(above) < len(self.base.root):
            return None
        parent = self.number(above)
        if parent is None or parent >= self.base.base_dirs or parent in self.replaced:
            return None  # a listing of the parent would have named it
        row = self.base.child(parent, name)
        number = None if row is None else self.base.directory(row)
        if number is not None:
            self.numbers[path] = number
        return number

    def replace_block(self, number: int, path: bytes, listing: Listing) -> None:
        first = self.base.base_rows + self.rows
        before: dict[bytes, int] = {}  # directories that stood here
        if number < self.base.base_dirs:
            rows = self.base.child_rows(number)
            self.dead[rows.start : rows.stop] = True
            gone: Column = np.arange(rows.start, rows.stop)
            if listing.instead_of is not None:
                gone = self.keep_unchanged(number, path, listing.instead_of)
            below = self.base.directories(gone)
            for row, child in zip(gone[below >= 0].tolist(), below[below >= 0].tolist(), strict=True):
                before[self.base.name(row)] = child
        row = self.base.base_rows + self.rows
        for at, entry in enumerate(listing.entries):
            child = before.get(entry.name)
            followed = child is not None and not entry.is_dir and self.inode(child) == entry.ino
            self.entries.append(entry._replace(flags=entry.flags | int(Flag.FOLLOWED)) if followed else entry)
            self.parents.append(number)
            if entry.is_dir or followed:
                before.pop(entry.name, None)
                self.keep_or_add(number, path, row + at, entry, child)
        self.rows += len(listing.entries)
        count = self.base.base_rows + self.rows - first
        facts = {"dcs": first, "dcn": count, "dstate": int(listing.state), "dlisted": listing.listed_ns}
        for name, value in facts.items():
            self.put(number, name, value)
        for child in before.values():
            self.remove_directory(child)
        self.touched.add(number)
        self.replaced.add(number)

    def keep_unchanged(self, number: int, path: bytes, names: frozenset[bytes]) -> Column:
        """Take over what a large directory had but these names, as it was; answers the rows of the names."""
        rows = self.base.child_rows(number)
        gone = np.array(children_named(self.base, number, names), np.int64)
        stays = np.ones(len(rows), bool)
        stays[gone - rows.start] = False
        kept = UnchangedRows(number, np.flatnonzero(stays) + rows.start, self.rows, len(self.entries))
        self.kept.append(kept)
        self.rows += len(kept.rows)
        below = self.base.directories(rows)[stays]
        for at in np.flatnonzero(below >= 0).tolist():
            child, row = int(below[at]), self.base.base_rows + kept.first + at
            self.put(child, "drow", row)
            self.delta_dirs[row] = child
            self.numbers[path.rstrip(b"/") + b"/" + self.base.name(int(kept.rows[at]))] = child
        return gone

    def places(self) -> list[int]:
        """The row of every entry."""
        row = np.arange(len(self.entries)) + self.base.base_rows
        for kept in self.kept:
            row[kept.entries_before :] += len(kept.rows)
        return row.tolist()

    def put(self, number: int, name: str, value: int) -> None:
        if number < self.base.base_dirs:
            self.changed[name][number] = value
        else:
            self.new_dirs[number - self.base.base_dirs][name] = value

    def keep_or_add(self, parent: int, path: bytes, row: int, entry: Entry, child: int | None) -> None:
        if child is not None and self.inode(child) != entry.ino:
            self.remove_directory(child)
            child = None
        if child is None:
            child = self.base.base_dirs + len(self.new_dirs)
            depth = self.depth(parent) + 1
            self.new_dirs.append({"dpar": parent, "ddepth": depth, "dstate": int(DirState.UNLISTED)})
            self.touched.add(child)
        self.put(child, "drow", row)
        self.delta_dirs[row] = child
        self.numbers[path.rstrip(b"/") + b"/" + entry.name] = child

    def inode(self, number: int) -> int:
        return self.base.value("ino", int(self.base.dirs["drow"][number]))

    def depth(self, number: int) -> int:
        if number < self.base.base_dirs:
            return int(self.base.dirs["ddepth"][number])
        return self.new_dirs[number - self.base.base_dirs]["ddepth"]

    def remove_directory(self, number: int) -> None:
        """A directory of the snapshot is gone, with everything below it."""
        dirs = self.base.dirs
        self.dead[int(dirs["dcs"][number]) : int(dirs["dend"][number])] = True
        self.dead_spans.append((number, int(dirs["dlast"][number])))

    def directories(self) -> dict[str, Column]:
        out: dict[str, Column] = {}
        for name, column in self.base.dirs.items():
            blank = _NO_TIME if name == "dnewest" else 0
            behind = np.array([one.get(name, blank) for one in self.new_dirs], column.dtype)
            out[name] = np.concatenate([column, behind])
            for number, value in self.changed[name].items():
                out[name][number] = value
        return out


def _roll_up(view: View, changed: Iterable[int]) -> None:
    """Count what lies below these directories and below everything above them, the deepest first."""
    above: set[int] = set()
    for one in changed:
        number = one
        while number not in above:
            above.add(number)
            number = int(view.dirs["dpar"][number])
    for number in sorted(above, key=lambda one: -int(view.dirs["ddepth"][one])):
        _total(view, number)


def _total(view: View, number: int) -> None:
    dirs, rows = view.dirs, view.child_rows(number)
    form, flags = view.gather("mode", rows) >> 12, view.gather("flags", rows)
    counted = (flags & _SHARED) == 0
    _, below = view.directories_among(rows)
    is_dir = int(np.count_nonzero(form == FORMAT_DIR))
    dirs["dfiles"][number] = len(rows) - is_dir + int(dirs["dfiles"][below].sum())
    dirs["ddirs"][number] = is_dir + int(dirs["ddirs"][below].sum())
    bytes_here = int(view.gather("size", rows).sum(where=counted & (form == FORMAT_FILE)))
    dirs["dbytes"][number] = bytes_here + int(dirs["dbytes"][below].sum())
    dirs["dalloc"][number] = int(view.gather("allocated", rows).sum(where=counted)) + int(dirs["dalloc"][below].sum())
    newest = [int(times.max()) for times in (view.gather("mtime", rows), dirs["dnewest"][below]) if len(times)]
    dirs["dnewest"][number] = max(newest, default=_NO_TIME)
    unread = int(DirState(int(dirs["dstate"][number])) in INCOMPLETE)
    dirs["dmiss"][number] = unread + int(np.count_nonzero(flags & _UNKNOWN)) + int(dirs["dmiss"][below].sum())
