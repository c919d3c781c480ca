"""One moment of an index as everybody reads it: the stored epoch, minus what was replaced, plus the overlay.

Rows of the epoch keep their numbers; rows of the overlay follow them. Directories work the same way. A view never
changes; a refresh makes another one.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cmdr.index.columns import DIR_COLUMNS, FORMAT_DIR, NO_ROW, Column, DirState
from cmdr.index.epoch import StoredColumns
from cmdr.index.errors import Gone, NotIndexed
from cmdr.index.segment import Segment, stored_segment
from cmdr.model.names import to_wire

_SMALL = 1 << 16
_STATES = tuple(DirState)
_U4 = np.uint32


@dataclass(frozen=True)
class Totals:
    """What lies below a directory. When it is not complete the numbers are lower bounds."""

    files: int
    dirs: int
    bytes: int
    allocated: int
    newest_ns: int | None
    complete: bool
    state: DirState


@dataclass(eq=False)
class View:
    """The rows, the directories, and the ways between ids, rows, paths and directories."""

    root: bytes
    epoch: int
    facts: dict[str, Any]
    base: Segment
    dirs: dict[str, Column]
    stored: StoredColumns
    extra: Segment | None = None
    dead: Column | None = None  # base rows that were replaced
    dead_dirs: Column | None = None
    extra_ids: dict[int, int] = field(default_factory=dict)  # id -> row of the overlay
    extra_dirs: dict[int, int] = field(default_factory=dict)  # row -> number of a directory known by the overlay
    extra_gone: dict[int, bytes] = field(default_factory=dict)
    next_id: int = 0
    revision: int = 0

    # -- columns --------------------------------------------------------------------------------------------------
    @property
    def base_rows(self) -> int:
        return self.base.rows

    @property
    def base_dirs(self) -> int:
        return int(self.facts["dirs"])

    def segments(self) -> list[tuple[int, Segment]]:
        """The segments with the number of their first row."""
        return [(0, self.base)] if self.extra is None else [(0, self.base), (self.base.rows, self.extra)]

    def gather(self, column: str, rows: Column) -> Column:
        """A column's values at many rows."""
        rows = np.asarray(rows, np.int64)
        if self.extra is None or not len(rows) or int(rows.max()) < self.base.rows:
            return self.base[column][rows]
        over = rows >= self.base.rows
        out = np.empty(len(rows), self.base[column].dtype)
        out[~over] = self.base[column][rows[~over]]
        out[over] = self.extra[column][rows[over] - self.base.rows]
        return out

    def _home(self, row: int) -> tuple[Segment, int]:
        if row < self.base.rows or self.extra is None:
            return self.base, row
        return self.extra, row - self.base.rows

    def value(self, column: str, row: int) -> int:
        segment, at = self._home(row)
        return int(segment[column][at])

    def name(self, row: int) -> bytes:
        segment, at = self._home(row)
        return segment.name(at)

    def names(self, rows: Column) -> list[bytes]:
        """Names of many rows, in their order."""
        if self.extra is None or not len(rows) or int(rows.max()) < self.base.rows:
            return self.base.names_of(rows)
        return [self.name(row) for row in rows.tolist()]

    def folded(self, rows: Column) -> list[bytes]:
        """Comparable names of many rows, in their order."""
        if self.extra is None or not len(rows) or int(rows.max()) < self.base.rows:
            return self.base.folded_of(rows)
        found = []
        for row in rows.tolist():
            segment, at = self._home(row)
            found += segment.folded_of(np.array([at]))
        return found

    # -- directories ----------------------------------------------------------------------------------------------
    def directory(self, row: int) -> int | None:
        """The number of the directory that stands in this row, or None for anything else."""
        if row >= self.base.rows:
            return self.extra_dirs.get(row)
        at = int(self._dir_rows.searchsorted(_U4(row)))  # of the column's own type, or the column would be copied
        if at < len(self._dir_rows) and self._dir_rows[at] == row:
            return int(self._dir_order[at])
        return None

    def directories(self, rows: Column) -> Column:
        """The numbers of the directories that stand in these rows; -1 for anything else."""
        rows = np.asarray(rows, np.int64)
        at = self._dir_rows.searchsorted(rows.clip(0, NO_ROW).astype(np.uint32)).clip(0, len(self._dir_rows) - 1)
        out = np.where(self._dir_rows[at] == rows, self._dir_order[at].astype(np.int64), -1)
        for place in np.flatnonzero(rows >= self.base.rows).tolist():
            out[place] = self.extra_dirs.get(int(rows[place]), -1)
        return out

    @cached_property
    def _dir_order(self) -> Column:
        return self.stored.column("dorder")

    @cached_property
    def _dir_rows(self) -> Column:
        return self.stored.column("drow")[self._dir_order]

    def child_rows(self, directory: int) -> range:
        """The rows of a directory's children."""
        first = int(self.dirs["dcs"][directory])
        return range(first, first + int(self.dirs["dcn"][directory]))

    def subtree(self, directory: int) -> tuple[range, Column | None]:
        """The epoch's rows below a directory, and the numbers of the directories below it for overlay rows."""
        below = range(0)
        if directory < self.base_dirs:
            original = int(self.stored_start[directory])
            below = range(original, int(self.dirs["dend"][directory]))
        if self.extra is None:
            return below, None
        mask = np.zeros(len(self.dirs["dpar"]), bool)
        mask[directory] = True
        if directory < self.base_dirs:
            mask[directory : int(self.dirs["dlast"][directory])] = True
        for number in range(self.base_dirs, len(mask)):  # parents come before their children
            mask[number] |= mask[int(self.dirs["dpar"][number])]
        return below, mask

    @cached_property
    def stored_start(self) -> Column:
        """Where each directory's block begins in the epoch, replaced or not."""
        return self.stored.column("dcs")

    def totals(self, directory: int) -> Totals:
        """Everything below a directory, in constant time."""
        dirs = self.dirs
        newest = int(dirs["dnewest"][directory])
        return Totals(
            int(dirs["dfiles"][directory]),
            int(dirs["ddirs"][directory]),
            int(dirs["dbytes"][directory]),
            int(dirs["dalloc"][directory]),
            None if newest == -(1 << 63) else newest,
            not dirs["dmiss"][directory],
            _STATES[dirs["dstate"][directory]],
        )

    def live_dirs(self) -> Column:
        """The numbers of all directories that exist in this view."""
        numbers = np.arange(len(self.dirs["dpar"]))
        return numbers if self.dead_dirs is None else numbers[~self.dead_dirs]

    # -- paths ----------------------------------------------------------------------------------------------------
    def directory_path(self, directory: int) -> bytes:
        """The full path of a directory."""
        parts: list[bytes] = []
        while directory:
            parts.append(self.name(int(self.dirs["drow"][directory])))
            directory = int(self.dirs["dpar"][directory])
        return _join(self.root, b"/".join(reversed(parts)))

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
                above = known[parent] = self.directory_path(parent)
            out.append(_join(above, name) if row else self.root)
        return out

    def directory_paths(self) -> list[bytes]:
        """The paths of all directories by number, quickly: a parent's number is always smaller."""
        parents = self.dirs["dpar"].tolist()
        names = self.names(self.dirs["drow"])
        out = [self.root]
        for number in range(1, len(parents)):
            above = out[parents[number]]
            out.append(above + b"/" + names[number] if above != b"/" else b"/" + names[number])
        return out

    def find(self, path: bytes) -> int:
        """The row at a path; raises NotIndexed."""
        if path == self.root:
            return 0
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        if not path.startswith(inside):
            raise NotIndexed(f"{to_wire(path)} is not below {to_wire(self.root)}.")
        row, directory = 0, 0
        parts = [part for part in path[len(inside) :].split(b"/") if part]
        for number, part in enumerate(parts):
            found = self.child(directory, part)
            if found is None:
                raise NotIndexed(f"The index does not know {to_wire(path)}.")
            row = found
            if number + 1 < len(parts):
                below = self.directory(row)
                if below is None:
                    raise NotIndexed(f"The index does not know {to_wire(path)}.")
                directory = below
        return row

    def child(self, directory: int, name: bytes) -> int | None:
        """The row of a directory's child by its name."""
        rows = self.child_rows(directory)
        if not rows or not name or b"\0" in name:
            return None
        segment, first = self._home(rows.start)
        start, end = int(segment.noff[first]), int(segment.noff[first + len(rows)])
        blob = segment._bytes[start:end]
        if end - start <= _SMALL:
            data = bytes(blob)
            at = 0 if data.startswith(name + b"\0") else data.find(b"\0" + name + b"\0") + 1
            if not at and not data.startswith(name + b"\0"):
                return None
            return rows.start + data.count(b"\0", 0, at)
        at = _find_name(blob, name)
        if at < 0:
            return None
        local = int(segment.noff.searchsorted(segment.noff.dtype.type(start + at), side="right")) - 1
        return rows.start + local - first

    # -- ids ------------------------------------------------------------------------------------------------------
    def id_of(self, row: int) -> int:
        return self.value("nid", row)

    def row_of(self, nid: int) -> int:
        """The row of a node; raises Gone with the last path, or KeyError for an id never given out."""
        over = self.extra_ids.get(nid)
        if over is not None:
            return over
        if not 0 <= nid < self.next_id:
            raise KeyError(nid)
        rows = self._id_row
        row = int(rows[nid]) if nid < len(rows) else NO_ROW
        if row != NO_ROW and (self.dead is None or not self.dead[row]):
            return row
        path = self.last_path(nid) if row == NO_ROW else self.extra_gone.get(nid)
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
            if self.extra_ids:
                for at, nid in enumerate(nids.tolist()):
                    out[at] = self.extra_ids.get(nid, out[at])
        return out

    @cached_property
    def _id_row(self) -> Column:
        return self.stored.column("idrow")

    def last_path(self, nid: int) -> bytes | None:
        """Where a vanished node was last seen."""
        if nid in self.extra_gone:
            return self.extra_gone[nid]
        ids = self.stored.column("gone_id")
        at = int(ids.searchsorted(_U4(nid)))
        if at >= len(ids) or ids[at] != nid:
            return None
        offsets = self.stored.column("gone_off")
        return bytes(self.stored.column("gone_path")[int(offsets[at]) : int(offsets[at + 1])])

    def is_directory(self, row: int) -> bool:
        return self.value("mode", row) >> 12 == FORMAT_DIR


def stored_view(stored: StoredColumns) -> View:
    """The view of a committed epoch without any overlay."""
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


def _join(above: bytes, name: bytes) -> bytes:
    if not name:
        return above
    return above + name if above.endswith(b"/") else above + b"/" + name


def _find_name(blob: memoryview, name: bytes) -> int:
    """Where a whole name begins among names that end with NUL."""
    from stringzilla import Str  # type: ignore[import-not-found]  # it ships no types

    if bytes(blob[: len(name) + 1]) == name + b"\0":
        return 0
    at = int(Str(blob).find(b"\0" + name + b"\0"))
    return at + 1 if at >= 0 else -1
