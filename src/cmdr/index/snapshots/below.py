"""What lies below every directory of an epoch on its way, added up column by column."""

from typing import Any

import numpy as np

from cmdr.index.snapshots import order
from cmdr.index.snapshots.columns import DIR_COLUMNS, FORMAT_DIR, FORMAT_FILE, ZONE, Column, Flag
from cmdr.index.snapshots.epoch import EpochWriter
from cmdr.index.snapshots.source import Source
from cmdr.model.trees.node import INCOMPLETE

_NO_TIME = -(1 << 63)


class Below:
    """Totals of whole subtrees: their rows are one stretch, so each is a difference of two running sums."""

    def __init__(self, tree: order.Preorder, start: Column, count: Column) -> None:
        self.tree, self.first, self.count = tree, start[:-1], count
        self.end = start[tree.last]
        self.totals: dict[str, Column] = {}
        self.zones: Column = np.zeros(0, np.int64)

    def see_kinds(self, mode: Column, flags: Column) -> None:
        """Files and directories; must come before the sizes."""
        form = mode >> 12
        self.counted = (flags & int(Flag.SHARED)) == 0
        self.is_file = form == FORMAT_FILE
        inner = self._total(form == FORMAT_DIR)
        self.totals |= {"dfiles": self.end - self.first - inner, "ddirs": inner}
        self.totals["dmiss"] = self._total((flags & int(Flag.UNKNOWN)) != 0)

    def see_sizes(self, size: Column) -> None:
        sizes = np.zeros(-(-len(size) // ZONE) * ZONE, np.int64)
        np.copyto(sizes[: len(size)], size, where=self.is_file)
        self.zones = sizes.reshape(-1, ZONE).max(axis=1)
        sizes = sizes[: len(size)]
        sizes[~self.counted] = 0
        self.totals["dbytes"] = self._total(sizes)

    def see_allocated(self, allocated: Column) -> None:
        self.totals["dalloc"] = self._total(np.where(self.counted, allocated, 0))

    def see_times(self, mtime: Column) -> None:
        newest = order.max_blocks(mtime, self.first, self.count, _NO_TIME)
        self.totals["dnewest"] = order.max_subtrees(newest, self.tree.parent, self.tree.levels)

    def _total(self, values: Column) -> Column:
        running = np.zeros(len(values) + 1, np.int64)
        np.cumsum(values, out=running[1:])
        return np.asarray(running[self.end] - running[self.first])

    def write(self, source: Source, writer: EpochWriter, dir_row: Column) -> dict[str, Any]:
        """All columns of the directories; answers what the manifest tells of the whole."""
        tree, state = self.tree, source.state[self.tree.old]
        unread = np.isin(state, [int(one) for one in INCOMPLETE]).astype(np.int64)
        self.totals["dmiss"] += order.sum_subtrees(unread, tree.last)
        shape = {
            "drow": dir_row,
            "dpar": tree.parent,
            "dcs": self.first,
            "dcn": self.count,
            "dlast": tree.last,
            "dend": self.end,
            "ddepth": tree.depth,
            "dstate": state,
            "dlisted": source.listed[tree.old],
        }
        for name, values in (shape | self.totals).items():
            writer.put(name, values, DIR_COLUMNS[name])
        writer.put("dorder", np.argsort(dir_row, kind="stable"), "<u4")
        writer.put("zmax", self.zones, "<i8")
        states = zip(*np.unique(state, return_counts=True), strict=True)
        return {
            "bytes": int(self.totals["dbytes"][0]),
            "files": int(self.totals["dfiles"][0]),
            "missing": int(self.totals["dmiss"][0]),
            "states": {str(int(key)): int(number) for key, number in states},
        }
