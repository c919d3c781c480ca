"""One moment of an index as everybody reads it: rows, paths and ids. A view never changes; a refresh makes another."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.errors import Corrupt, Gone, NotIndexed
from cmdr.index.snapshots.columns import DIR_COLUMNS, FORMAT_DIR, NO_ROW, Column
from cmdr.index.snapshots.rows_view import RowsView
from cmdr.index.snapshots.segment import Segment, stored_segment
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.model.names import to_wire

_SMALL = 1 << 16
_KNOWN = 4096


@dataclass(eq=False)
class View(RowsView):
    """The rows, the directories, and the ways between ids, rows, paths and directories."""

    def directory_path(self, directory: int) -> bytes:
        """The full path of a directory; the last ones asked for are remembered."""
        rows, parents, known = self.dirs["drow"], self.dirs["dpar"], self._known_paths
        below: list[int] = []
        while (path := known.get(directory)) is None:
            below.append(directory)
            above = parents.item(directory)
            if above >= directory:  # only damage can do that, and would lead around for ever
                raise Corrupt(f"The index of {to_wire(self.root)} is damaged; scan it again.")
            directory = above
        if len(known) > _KNOWN:
            known.clear()
            known[0] = self.root
        while below:
            directory = below.pop()
            path = known[directory] = _join(path, self.name(rows.item(directory)))
        return path

    @cached_property
    def _known_paths(self) -> dict[int, bytes]:
        return {0: self.root}

    def path(self, row: int) -> bytes:
        """The full path of a row."""
        if not row:
            return self.root
        return _join(self.directory_path(self.value("pdir", row)), self.name(row))

    def paths(self, rows: Column) -> list[bytes]:
        """Full paths of many rows; each directory's path is put together once."""
        known: dict[int, bytes] = {}
        out = []
        for row, name, parent in zip(rows.tolist(), self.names(rows), self.gather("pdir", rows).tolist(), strict=True):
            above = known.get(parent)
            if above is None:
                path = self.directory_path(parent)
                above = known[parent] = path if path.endswith(b"/") else path + b"/"
            out.append(above + name if row else self.root)
        return out

    def directory_paths(self) -> list[bytes]:
        """The paths of all directories by number."""
        return self.paths_of_directories(np.arange(len(self.dirs["dpar"])))

    def paths_of_directories(self, numbers: Column) -> list[bytes]:
        """The paths of many directories, quickly: a parent's number is always smaller."""
        wanted = np.zeros(len(self.dirs["dpar"]), bool)
        wanted[0] = True
        above = numbers
        while len(above):  # with all that are above them
            wanted[above] = True
            above = self.dirs["dpar"][above]
            above = above[~wanted[above]]
        known = np.flatnonzero(wanted)
        place = np.cumsum(wanted) - 1
        parents = place[self.dirs["dpar"][known]].tolist()
        names = self.packed_names(self.dirs["drow"][known]).tolist()
        out = [self.root]
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        for number in range(1, len(parents)):
            parent = parents[number]
            out.append(out[parent] + b"/" + names[number] if parent else inside + names[number])
        return [out[at] for at in place[numbers].tolist()]

    def find(self, path: bytes) -> int:
        """The row at a path; raises NotIndexed."""
        if path == self.root:
            return 0
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        if not path.startswith(inside):
            raise NotIndexed(f"{to_wire(path)} is not below {to_wire(self.root)}.")
        path = inside + b"/".join(part for part in path[len(inside) :].split(b"/") if part)
        above, _, name = path.rpartition(b"/")
        directory = self._folder(above or b"/")
        row = None if directory is None else self.child(directory, name)
        if row is None:
            raise NotIndexed(f"The index does not know {to_wire(path)}.")
        return row

    def _folder(self, path: bytes) -> int | None:
        """The number of the directory at a path below the root; the last ones asked for are remembered."""
        known, below = self._known_folders, []
        while (number := known.get(path)) is None:
            path, _, name = path.rpartition(b"/")
            path = path or b"/"
            below.append(name)
        while below:
            name = below.pop()
            row = self.child(number, name)
            number = None if row is None else self.directory(row)
            if number is None:
                return None
            path = _join(path, name)
            if len(known) > _KNOWN:
                known.clear()
                known[self.root] = 0
            known[path] = number
            self._known_paths[number] = path
        return number

    @cached_property
    def _known_folders(self) -> dict[bytes, int]:
        return {self.root: 0}

    def child(self, directory: int, name: bytes) -> int | None:
        """The row of a directory's child by its name."""
        rows = self.child_rows(directory)
        if not rows or not name or b"\0" in name:
            return None
        segment, first = self.home(rows.start)
        place = _whole_name(segment, first, len(rows), name)
        return None if place is None else rows.start + place

    def id_of(self, row: int) -> int:
        return self.value("nid", row)

    def row_of(self, nid: int) -> int:
        """The row of a node; raises Gone with the last path, or KeyError for an id never given out."""
        over = self.delta_ids.get(nid)
        if over is not None:
            return over
        if not 0 <= nid < self.next_id:
            raise KeyError(nid)
        rows = self._id_row
        row = int(rows[nid]) if nid < len(rows) else NO_ROW
        if row != NO_ROW and (self.dead is None or not self.dead[row]):
            return row
        path = self.last_path(nid) if row == NO_ROW else self.delta_gone.get(nid)
        where = f"; it was {to_wire(path)}" if path else ""
        raise Gone(f"This node is gone{where}.", path)

    def rows_of(self, nids: Column) -> Column:
        """Rows of many nodes; NO_ROW for those that are gone."""
        nids = np.asarray(nids, np.int64)
        out = np.full(len(nids), NO_ROW, np.int64)
        stored = nids < len(self._id_row)
        out[stored] = self._id_row[nids[stored]]
        if self.dead is not None:
            live = np.flatnonzero(out != NO_ROW)
            out[live[self.dead[out[live]]]] = NO_ROW
            if self.delta_ids:  # what stands in the delta is dead in the snapshot
                for at in np.flatnonzero(out == NO_ROW).tolist():
                    out[at] = self.delta_ids.get(int(nids[at]), NO_ROW)
        return out

    @cached_property
    def _id_row(self) -> Column:
        return self.stored.column("idrow")

    def last_path(self, nid: int) -> bytes | None:
        """Where a vanished node was last seen."""
        if nid in self.delta_gone:
            return self.delta_gone[nid]
        ids = self.stored.column("gone_id")
        at = int(ids.searchsorted(np.uint32(nid)))
        if at >= len(ids) or ids[at] != nid:
            return None
        offsets = self.stored.column("gone_off")
        return bytes(self.stored.column("gone_path")[int(offsets[at]) : int(offsets[at + 1])])

    def is_directory(self, row: int) -> bool:
        return self.value("mode", row) >> 12 == FORMAT_DIR


def _join(above: bytes, name: bytes) -> bytes:
    if not name:
        return above
    return above + name if above.endswith(b"/") else above + b"/" + name


def _whole_name(segment: Segment, first: int, count: int, name: bytes) -> int | None:
    """Which of `count` names, from row `first` on, is this one."""
    start, end = segment.noff.item(first), segment.noff.item(first + count)
    if end - start > _SMALL:
        return _among_many(segment, first, start, end, name)
    data = b"\0" + segment.blob[start:end]
    at = data.find(b"\0" + name + b"\0")
    return None if at < 0 else data.count(b"\0", 0, at)


def _among_many(segment: Segment, first: int, start: int, end: int, name: bytes) -> int | None:
    from stringzilla import Str  # type: ignore[import-not-found]  # it ships no types  # noqa: PLC0415

    blob = segment.blob[start:end]
    if bytes(blob[: len(name) + 1]) == name + b"\0":
        return 0
    at = int(Str(blob).find(b"\0" + name + b"\0"))
    if at < 0:
        return None
    row = int(segment.noff.searchsorted(segment.noff.dtype.type(start + at + 1), side="right")) - 1
    return row - first


def stored_view(stored: StoredColumns) -> View:
    """The view of a committed snapshot without any delta."""
    facts = stored.manifest.facts
    return View(
        bytes.fromhex(facts["root"]),
        int(facts["epoch"]),
        facts,
        stored_segment(stored),
        {name: stored.column(name) for name in DIR_COLUMNS},
        stored,
        next_id=int(facts["next_id"]),
    )
