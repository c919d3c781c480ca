"""The rows and folders of a view: the stored snapshot, minus what was replaced, plus the delta.

Rows of the snapshot keep their numbers; rows of the delta follow them. Directories work the same way.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_DIR, Column, Flag
from cmdr.index.snapshots.name_blobs import PackedNames, joined_names, take_names
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.model.trees.node import DirState, Totals

Rows = Column | range
"""Row numbers; those in a range stand next to each other in one segment, as the children of a folder do."""
_STATES = tuple(DirState)
_FOLLOWED = np.uint8(Flag.FOLLOWED)


@dataclass(eq=False)
class RowsView:
    """The columns of all rows and all directories, and what lies below each directory."""

    root: bytes
    epoch: int
    facts: dict[str, Any]
    base: Segment
    dirs: dict[str, Column]
    stored: StoredColumns
    delta: Segment | None = None
    dead: Column | None = None  # base rows that were replaced
    dead_dirs: Column | None = None
    edited: Column | None = None  # base rows of which facts are no longer as they are stored
    delta_ids: dict[int, int] = field(default_factory=dict)  # id -> row of the delta
    delta_dirs: dict[int, int] = field(default_factory=dict)  # row -> number of a directory known by the delta
    delta_gone: dict[int, bytes] = field(default_factory=dict)
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
        return [(0, self.base)] if self.delta is None else [(0, self.base), (self.base_rows, self.delta)]

    def gather(self, column: str, rows: Rows) -> Column:
        """A column's values at many rows."""
        if isinstance(rows, range):
            segment, first = self.home(rows.start)
            return segment.columns[column][first : first + len(rows)]
        if self.delta is None or not len(rows) or int(rows.max()) < self.base_rows:
            return self.base.columns[column].take(rows)
        rows = np.asarray(rows, np.int64)
        over = rows >= self.base_rows
        out = np.empty(len(rows), self.base[column].dtype)
        out[~over] = self.base[column][rows[~over]]
        out[over] = self.delta[column][rows[over] - self.base_rows]
        return out

    def home(self, row: int) -> tuple[Segment, int]:
        if row < self.base_rows or self.delta is None:
            return self.base, row
        return self.delta, row - self.base_rows

    def value(self, column: str, row: int) -> int:
        segment, at = self.home(row)
        return int(segment.columns[column].item(at))

    def name(self, row: int) -> bytes:
        segment, at = self.home(row)
        return segment.name(at)

    def names(self, rows: Rows) -> list[bytes]:
        """Names of many rows, in their order."""
        if isinstance(rows, range):
            segment, first = self.home(rows.start)
            return segment.names_in(first, len(rows))
        if self.delta is None or not len(rows) or int(rows.max()) < self.base_rows:
            return self.base.names_of(rows)
        return [self.name(row) for row in rows.tolist()]

    def packed_names(self, rows: Column) -> PackedNames:
        """Names of many rows, in their order, in one piece."""
        rows = np.asarray(rows, np.int64)
        over = rows >= self.base_rows
        if self.delta is None or not over.any():
            return take_names(self.base.names, self.base.noff, rows)
        parts = (
            take_names(self.base.names, self.base.noff, rows[~over]),
            take_names(self.delta.names, self.delta.noff, rows[over] - self.base_rows),
        )
        both = joined_names(*parts)
        place = np.empty(len(rows), np.int64)
        place[~over] = np.arange(len(parts[0]))
        place[over] = np.arange(len(parts[0]), len(both))
        return take_names(both.blob, both.offsets, place)

    # -- directories ----------------------------------------------------------------------------------------------
    def directory(self, row: int) -> int | None:
        """The number of the directory that stands in this row, or None for anything else."""
        if row >= self.base_rows:
            return self.delta_dirs.get(row)
        at = int(self._dir_rows.searchsorted(np.uint32(row)))  # of the column's own type, or it would be copied
        if at < len(self._dir_rows) and self._dir_rows.item(at) == row:
            return int(self._dir_order.item(at))
        return None

    def directories(self, rows: Rows) -> Column:
        """The numbers of the directories that stand in these rows; -1 for anything else."""
        if isinstance(rows, range):
            return self._directories_in(rows)
        rows = np.asarray(rows, np.int64)
        at = self._dir_rows.searchsorted(rows.astype(np.uint32))
        at[at == len(self._dir_rows)] = 0
        out = np.where(self._dir_rows[at] == rows, self._dir_order[at].astype(np.int64), -1)
        over = np.flatnonzero(rows >= self.base_rows)
        if len(over):
            known, numbers = self._delta_dir_rows
            at = np.searchsorted(known, rows[over]).clip(0, len(known) - 1)
            out[over] = np.where(known[at] == rows[over], numbers[at], -1) if len(known) else -1
        return out

    def directories_among(self, rows: Rows) -> tuple[Column, Column]:
        """At which places among many rows directories stand, and their numbers."""
        at = np.flatnonzero(
            ((self.gather("mode", rows) >> 12) == FORMAT_DIR) | ((self.gather("flags", rows) & _FOLLOWED) != 0)
        )
        numbers = self.directories(rows[at] if not isinstance(rows, range) else at + rows.start)
        known = numbers >= 0
        return at[known], numbers[known]

    def _directories_in(self, rows: range) -> Column:
        known, numbers = self._delta_dir_rows if rows.start >= self.base_rows else (self._dir_rows, self._dir_order)
        out = np.full(len(rows), -1)
        first, last = known.searchsorted(np.array((rows.start, rows.stop), known.dtype)).tolist()
        if first < last:
            out[known[first:last] - known.dtype.type(rows.start)] = numbers[first:last]
        return out

    @cached_property
    def _delta_dir_rows(self) -> tuple[Column, Column]:
        """The delta's rows of directories, ascending, and their numbers."""
        rows = sorted(self.delta_dirs)
        return np.array(rows, np.int64), np.array([self.delta_dirs[row] for row in rows], np.int64)

    @cached_property
    def _dir_order(self) -> Column:
        return self.stored.column("dorder")

    @cached_property
    def _dir_rows(self) -> Column:
        return self.stored.column("drow")[self._dir_order]

    def child_rows(self, directory: int) -> range:
        """The rows of a directory's children."""
        first = self.dirs["dcs"].item(directory)
        return range(first, first + self.dirs["dcn"].item(directory))

    def subtree(self, directory: int) -> tuple[range, Column | None]:
        """The snapshot's rows below a directory, and the numbers of the directories below it for delta rows."""
        below = range(0)
        if directory < self.base_dirs:
            original = int(self.stored_start[directory])
            below = range(original, int(self.dirs["dend"][directory]))
        if self.delta is None:
            return below, None
        mask = np.zeros(len(self.dirs["dpar"]), bool)
        mask[directory] = True
        if directory < self.base_dirs:
            mask[directory : int(self.dirs["dlast"][directory])] = True
        return below, self.with_delta_children(mask)

    def with_delta_children(self, mask: Column) -> Column:
        """A mask over directories; those of the delta join it when the one above them is in it."""
        parents = self.dirs["dpar"]
        for number in range(self.base_dirs, len(mask)):  # parents come before their children
            mask[number] |= mask[int(parents[number])]
        return mask

    @cached_property
    def stored_start(self) -> Column:
        """Where each directory's block begins in the snapshot, replaced or not."""
        return self.stored.column("dcs")

    def totals(self, directory: int) -> Totals:
        """Everything below a directory, in constant time."""
        dirs = self.dirs
        newest = dirs["dnewest"].item(directory)
        return Totals(
            dirs["dfiles"].item(directory),
            dirs["ddirs"].item(directory),
            dirs["dbytes"].item(directory),
            dirs["dalloc"].item(directory),
            None if newest == -(1 << 63) else newest,
            not dirs["dmiss"].item(directory),
            _STATES[dirs["dstate"].item(directory)],
        )

    @cached_property
    def dir_states(self) -> tuple[int, ...]:
        """How many directories there are in each state."""
        return tuple(np.bincount(self.dirs["dstate"][self.live_dirs()], minlength=len(_STATES)).tolist())

    def states_below(self, directory: int) -> tuple[int, ...]:
        """How many directories there are in each state, from one directory down."""
        if not directory:
            return self.dir_states
        _, inside = self.subtree(directory)
        if inside is None:
            inside = np.zeros(len(self.dirs["dpar"]), bool)
            inside[directory : int(self.dirs["dlast"][directory])] = True
        if self.dead_dirs is not None:
            inside &= ~self.dead_dirs
        return tuple(np.bincount(self.dirs["dstate"][inside], minlength=len(_STATES)).tolist())

    def live_dirs(self) -> Column:
        """The numbers of all directories that exist in this view."""
        numbers = np.arange(len(self.dirs["dpar"]))
        return numbers if self.dead_dirs is None else numbers[~self.dead_dirs]

    def live_rows(self) -> Column:
        """All rows that exist in this view, the root first."""
        if self.dead is None:
            return np.arange(self.base_rows)
        delta = self.delta.rows if self.delta is not None else 0
        return np.concatenate([np.flatnonzero(~self.dead), np.arange(self.base_rows, self.base_rows + delta)])
