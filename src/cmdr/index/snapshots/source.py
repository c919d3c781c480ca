"""Rows on their way into a snapshot: in any order of directories, each directory's rows together.

A walk's part files and a view with a delta both become a Source; the assembling that follows does not know which. The
new order is given as runs of rows of the old one: a walk reads most rows in order already.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cmdr.index.snapshots.columns import Column

Stretch = tuple[int, int, int]  # the piece, its first row in there, and one past its last
_SHORT = 64  # rows; where stretches are shorter than that, taking row by row is quicker


@dataclass(frozen=True, eq=False)
class RowRuns:
    """Old rows from `begin` up to `end`, one stretch after the other: together the new order, each row once."""

    begin: Column
    end: Column
    _cut: dict[tuple[int, ...], list[Stretch]] = field(default_factory=dict)  # by the lengths of the pieces

    @cached_property
    def start(self) -> Column:
        """The new row of each stretch's first."""
        length = self.end - self.begin
        return np.asarray(np.cumsum(length) - length)

    @cached_property
    def rows(self) -> int:
        return int((self.end - self.begin).sum())

    def now_at(self, old: Column) -> Column:
        """Where old rows stand in the new order."""
        order = np.argsort(self.begin, kind="stable")
        at = order[np.searchsorted(self.begin[order], old, side="right") - 1]
        return np.asarray(self.start[at] + old - self.begin[at])

    def gather(self, pieces: Sequence[Column]) -> Column:
        """A column in the new order; the pieces one behind the other are the column in the old order."""
        if len(self.begin) * _SHORT > self.rows:
            whole = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            length = self.end - self.begin
            index = np.repeat(self.begin - self.start, length)
            index += np.arange(len(index))
            return np.asarray(whole[index])
        stretches = self.stretches(tuple(len(piece) for piece in pieces))
        return np.concatenate([pieces[piece][first:last] for piece, first, last in stretches])

    def stretches(self, lengths: tuple[int, ...]) -> list[Stretch]:
        """The stretches cut where the pieces of these lengths meet."""
        if lengths not in self._cut:
            self._cut[lengths] = self._stretches(lengths)
        return self._cut[lengths]

    def _stretches(self, lengths: tuple[int, ...]) -> list[Stretch]:
        edges = np.cumsum([0, *lengths])
        found: list[Stretch] = []
        pieces = (np.searchsorted(edges, self.begin, side="right") - 1).tolist()
        edge = edges.tolist()
        for piece, begin, end in zip(pieces, self.begin.tolist(), self.end.tolist(), strict=True):
            at, first = piece, begin
            while first < end:
                last = min(end, edge[at + 1])
                if first < last:
                    found.append((at, first - edge[at], last - edge[at]))
                at, first = at + 1, last
        return found


def row_runs(begin: Column, count: Column) -> RowRuns:
    """The root's row and then these blocks of rows; blocks that follow each other in both orders are one stretch."""
    full = np.flatnonzero(count)
    begin, end = np.append(0, begin[full]), np.append(1, begin[full] + count[full])
    apart = np.flatnonzero(begin[1:] != end[:-1])
    return RowRuns(np.append(begin[:1], begin[apart + 1]), np.append(end[apart], end[-1:]))


@dataclass
class Source:
    """Rows in blocks; row 0 is the root. Directory 0 is the root's; `dir_row` says where each stands."""

    rows: int
    column: Callable[
        [str, RowRuns], Column
    ]  # size allocated mtime ctime born ino mode uid device flags (nid), in order
    names: Callable[[RowRuns], Iterator[Column]]  # bytes of whole names in order, the root's empty one first
    dir_row: Column
    block_start: Column
    block_rows: Column
    state: Column
    listed: Column
    parent: Column | None = None  # of each directory, when known; else found from the blocks, which then have no gaps
    has_ids: bool = False  # every row knows its node already; else they are matched with the snapshot before
