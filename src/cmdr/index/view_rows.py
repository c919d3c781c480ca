"""One moment of an index by rows and folders: the stored epoch, minus what was replaced, plus the overlay.

Rows of the epoch keep their numbers; rows of the overlay follow them. Directories work the same way.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cmdr.index.columns import Column, DirState
from cmdr.index.epoch import StoredColumns
from cmdr.index.segment import Segment

_STATES = tuple(DirState)


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
class RowsView:
    """The columns of all rows and all directories, and what lies below each directory."""

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

    @cached_property
    def base_rows(self) -> int:
        return self.base.rows

    @cached_property
    def base_dirs(self) -> int:
        return int(self.facts["dirs"])

    def segments(self) -> list[tuple[int, Segment]]:
        """The segments with the number of their first row."""
        return [(0, self.base)] if self.extra is None else [(0, self.base), (self.base_rows, self.extra)]

    def gather(self, column: str, rows: Column) -> Column:
        """A column's values at many rows."""
        if self.extra is None or not len(rows) or int(rows.max()) < self.base_rows:
            return self.base.columns[column].take(rows)
        rows = np.asarray(rows, np.int64)
        over = rows >= self.base_rows
        out = np.empty(len(rows), self.base[column].dtype)
        out[~over] = self.base[column][rows[~over]]
        out[over] = self.extra[column][rows[over] - self.base_rows]
        return out

    def home(self, row: int) -> tuple[Segment, int]:
        if row < self.base_rows or self.extra is None:
            return self.base, row
        return self.extra, row - self.base_rows

    def value(self, column: str, row: int) -> int:
        segment, at = self.home(row)
        return int(segment[column][at])

    def name(self, row: int) -> bytes:
        segment, at = self.home(row)
        return segment.name(at)

    def names(self, rows: Column) -> list[bytes]:
        """Names of many rows, in their order."""
        if self.extra is None or not len(rows) or int(rows.max()) < self.base_rows:
            return self.base.names_of(rows)
        return [self.name(row) for row in rows.tolist()]

    def folded(self, rows: Column) -> list[bytes]:
        """Comparable names of many rows, in their order."""
        if self.extra is None or not len(rows) or int(rows.max()) < self.base_rows:
            return self.base.folded_of(rows)
        found = []
        for row in rows.tolist():
            segment, at = self.home(row)
            found += segment.folded_of(np.array([at]))
        return found

    # -- directories ----------------------------------------------------------------------------------------------
    def directory(self, row: int) -> int | None:
        """The number of the directory that stands in this row, or None for anything else."""
        if row >= self.base_rows:
            return self.extra_dirs.get(row)
        at = int(self._dir_rows.searchsorted(np.uint32(row)))  # of the column's own type, or it would be copied
        if at < len(self._dir_rows) and self._dir_rows[at] == row:
            return int(self._dir_order[at])
        return None

    def directories(self, rows: Column) -> Column:
        """The numbers of the directories that stand in these rows; -1 for anything else."""
        rows = np.asarray(rows, np.int64)
        at = self._dir_rows.searchsorted(rows.astype(np.uint32))
        at[at == len(self._dir_rows)] = 0
        out = np.where(self._dir_rows[at] == rows, self._dir_order[at].astype(np.int64), -1)
        if self.extra is None:
            return out
        for place in np.flatnonzero(rows >= self.base_rows).tolist():
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

    @cached_property
    def dir_states(self) -> tuple[int, ...]:
        """How many directories there are in each state."""
        return tuple(np.bincount(self.dirs["dstate"][self.live_dirs()], minlength=len(_STATES)).tolist())

    def live_dirs(self) -> Column:
        """The numbers of all directories that exist in this view."""
        numbers = np.arange(len(self.dirs["dpar"]))
        return numbers if self.dead_dirs is None else numbers[~self.dead_dirs]
