"""What a report is made from: a view, the rows it is about, and its lines."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_handle_start
from cmdr.model.names import to_wire
from cmdr.model.trees.reports import Keep, ReportRow

Lines = tuple[list[ReportRow], int, str]
"""The first lines, how many there are in all, and what the reader should know about them."""


@dataclass(frozen=True, eq=False)
class Spare:
    """Of every group of equal files all but the one to keep; of equally old ones the shortest path is kept."""

    view: View
    rows: Column
    bytes: int
    keep: Keep = "oldest"
    behind: int = 0
    """Folders that were not known as they are."""


@dataclass
class ReportBasis:
    """The rows of a report: those given, or all."""

    view: View
    tag: int
    """Of the index: the nodes' ids begin with it."""
    given: Column | None
    limit: int
    stop: Callable[[], bool]
    now_ns: int
    keep: Keep = "oldest"
    below: int | None = 0
    """The directory that the rows are below; None when they are the members of a set."""
    spare: Spare | None = None
    """What a report on equal files found that could go."""

    def rows(self) -> Column:
        return self.view.live_rows()[1:] if self.given is None else self.given

    def files(self) -> Column:
        """Counted files only: a file with several names counts once."""
        hidden = int(Flag.SHARED | Flag.UNKNOWN)
        if self.given is None and self.view.dead is None:  # whole columns, without a copy of each
            base = self.view.base
            return np.flatnonzero(((base["mode"] >> 12) == FORMAT_FILE) & ((base["flags"] & hidden) == 0))
        rows = self.rows()
        good = (self.view.gather("mode", rows) >> 12) == FORMAT_FILE
        good &= (self.view.gather("flags", rows) & hidden) == 0
        return np.asarray(rows[good])

    def lines(self, rows: Column) -> list[ReportRow]:
        paths = self.view.paths(rows)
        sizes, ids = self.view.gather("size", rows).tolist(), self.view.gather("nid", rows).tolist()
        times, start = self.view.gather("mtime", rows).tolist(), node_handle_start(self.tag)
        return [
            ReportRow(to_wire(path), 1, size, f"{start}{nid:x}", path, mtime)
            for path, size, nid, mtime in zip(paths, sizes, ids, times, strict=True)
        ]

    def grouped(self, files: Column, group: Column, labels: list[str], in_order: bool = False) -> Lines:
        """Count and bytes per group; by bytes, unless the groups have an order of their own."""
        count = np.bincount(group, minlength=len(labels))
        sizes = self.view.gather("size", files)
        size = np.zeros(len(labels), np.int64)
        for shift in (0, 21, 42):  # in floating point, sums of 21 bits are exact for as many rows as there can be
            piece = np.bincount(group, (sizes >> shift) & 0x1FFFFF, len(labels))
            size += piece.astype(np.int64) << shift
        full = np.flatnonzero(count)
        if not in_order:
            full = full[np.argsort(-size[full], kind="stable")]
        chosen = full[: self.limit].tolist()
        return [ReportRow(labels[i], int(count[i]), int(size[i])) for i in chosen], len(full), ""
