"""Turning rows in any order into the columns of one snapshot.

Works column by column and in slices, so that the peak stays near two columns and the names, however many rows.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cmdr.index.errors import IndexFull
from cmdr.index.snapshots import preorder
from cmdr.index.snapshots.columns import DIR_COLUMNS, FORMAT_DIR, FORMAT_FILE, ROW_COLUMNS, ZONE, Column, Flag
from cmdr.index.snapshots.identity import Identities, PreviousNodes, write_gone
from cmdr.index.snapshots.names import WrittenNames, distinct, write_names
from cmdr.index.snapshots.snapshot import SnapshotWriter, StoredColumns, snapshot_name
from cmdr.index.snapshots.source import Source, row_runs
from cmdr.model.trees.node import INCOMPLETE

MAX_ROWS = 0xFFFFFFF0
_NO_TIME = -(1 << 63)


def write_snapshot(
    source: Source, known: PreviousNodes, home: str, number: int, about: dict[str, Any]
) -> StoredColumns:
    """Write a snapshot of `source` under `home` and commit it; on any error nothing of it is left."""
    writer = SnapshotWriter(home, snapshot_name(number))
    try:
        facts = assemble(source, writer, known)
    except OSError as trouble:
        writer.abandon()
        raise writer.translate(trouble) from trouble
    except BaseException:
        writer.abandon()
        raise
    return StoredColumns(writer.commit(facts | about | {"epoch": number}))


def assemble(source: Source, writer: SnapshotWriter, known: PreviousNodes) -> dict[str, Any]:
    """Write all columns of `source` in block-DFS order; ids come from `known` where a node was known before.

    Answers what the manifest says of them.
    """
    if source.rows > MAX_ROWS:
        raise IndexFull("This tree has more entries than one index can number.")
    return _Assembling(source, writer).run(known)


class _Assembling:
    """One snapshot on its way: the order of its directories first, then column by column."""

    def __init__(self, source: Source, writer: SnapshotWriter) -> None:
        self.source, self.writer = source, writer
        self.tree = preorder.preorder(_parents(source) if source.parent is None else source.parent)
        old, above = self.tree.old, self.tree.parent
        self.count = source.block_rows[old]
        self.start = np.ones(len(old) + 1, np.int64)
        np.cumsum(self.count, out=self.start[1:])
        self.start[1:] += 1
        # A directory's own row stands in the block of the directory above it.
        self.dir_row = self.start[above] + source.dir_row[old] - source.block_start[old[above]]
        self.dir_row[0] = 0
        self.runs = row_runs(source.block_start[old], self.count)
        self.facts: dict[str, Any] = {"rows": source.rows, "dirs": len(old)}

    def run(self, known: PreviousNodes) -> dict[str, Any]:
        with ThreadPoolExecutor(1, "cmdr-index-names") as beside:  # names and numbers do not need each other
            writing = beside.submit(write_names, self.source, self.writer, self.runs)
            try:
                is_file = self.write_numbers()
                names = writing.result()
            finally:
                del writing  # a failure in it and this frame would hold each other, and the room of part files
        self.put("ext", names.extensions.codes(is_file))
        self.facts["extensions"] = names.extensions.table()
        self.write_ids(known, names)
        return self.facts

    def put(self, name: str, values: Column) -> Column:
        return self.writer.put(name, values, ROW_COLUMNS[name])

    def column(self, name: str) -> Column:
        return self.source.column(name, self.runs)

    def write_numbers(self) -> Column:
        """All columns of numbers; the totals take what they need of each while it is there. Tells which are files."""
        mode = self.put("mode", self.column("mode"))
        ino = self.put("ino", self.column("ino"))
        dev = self.write_codes("dev", "device", "devices", 255)
        flags = self.put("flags", _count_once(self.column("flags"), ino, dev))
        below = SubtreeTotals(self.tree, self.start, self.count)
        below.see_kinds(mode, flags)
        del ino, dev, flags
        below.see_sizes(self.put("size", self.column("size")))
        below.see_allocated(self.put("allocated", self.column("allocated")))
        below.see_times(self.put("mtime", self.column("mtime")))
        self.facts |= below.write(self.source, self.writer, self.dir_row)
        self.put("ctime", self.column("ctime"))
        self.put("born", self.column("born"))
        self.write_codes("owner", "uid", "owners", 65535)
        pdir = np.zeros(self.source.rows, np.uint32)
        pdir[1:] = np.repeat(np.arange(len(self.count), dtype=np.uint32), self.count)
        self.put("pdir", pdir)
        return np.asarray((mode >> 12) == FORMAT_FILE)

    def write_codes(self, name: str, of: str, table: str, most: int) -> Column:
        """A column of which few values are different, as codes into a table in the manifest."""
        values = self.column(of)
        found, codes = distinct(values, values[:1])
        self.facts[table] = [int(one) for one in found[:most]]
        return self.put(name, np.minimum(codes, most))

    def write_ids(self, known: PreviousNodes, names: WrittenNames) -> None:
        identities = Identities(known)
        if self.source.has_ids:
            nid = self.column("nid")
            gone = identities.lost(nid)
        else:
            columns = self.to_match() if len(known.nid) else {}
            nid, gone = identities.match(self.source.rows, columns, self.dir_row, names.name)
        self.facts["next_id"] = identities.next_id
        self.put("nid", nid)
        id_row = np.full(identities.next_id, 0xFFFFFFFF, np.uint32)
        id_row[nid] = np.arange(self.source.rows, dtype=np.uint32)
        self.writer.put("idrow", id_row, "<u4")
        write_gone(self.writer, gone)

    def to_match(self) -> dict[str, Column]:
        """The columns by which nodes are known again, as they are on the disk by now."""
        found = {name: self.writer.written(name) for name in ("ino", "born", "mode", "mtime", "size", "flags", "pdir")}
        devices = np.array(self.facts["devices"], np.uint64)
        if len(devices) == 1:
            return found | {"device": np.broadcast_to(devices, self.source.rows)}
        return found | {"device": devices[np.minimum(self.writer.written("dev"), len(devices) - 1)]}


def _parents(source: Source) -> Column:
    """The directory in whose block each directory's row stands."""
    owners = np.flatnonzero(source.block_rows)
    if not len(owners):
        return np.zeros(len(source.dir_row), np.int64)
    owners = owners[np.argsort(source.block_start[owners], kind="stable")]
    parent = owners[np.searchsorted(source.block_start[owners], source.dir_row, side="right") - 1]
    parent[0] = 0
    return parent


def _count_once(flags: Column, ino: Column, dev: Column) -> Column:
    """Mark every further name of a file: its bytes count where its first name stands."""
    flags = flags & (255 - int(Flag.SHARED))
    flags[flags & int(Flag.ALIAS) != 0] |= int(Flag.SHARED)
    many = np.flatnonzero((flags & int(Flag.HARD | Flag.ALIAS)) == int(Flag.HARD))
    if len(many):
        key = np.stack([ino[many], dev[many].astype(np.uint64)], axis=1)
        _, first = np.unique(key, axis=0, return_index=True)
        rest = np.ones(len(many), bool)
        rest[first] = False
        flags[many[rest]] |= int(Flag.SHARED)
    return flags


class SubtreeTotals:
    """Totals of whole subtrees: their rows are one stretch, so each is a difference of two running sums."""

    def __init__(self, tree: preorder.Preorder, start: Column, count: Column) -> None:
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
        newest = preorder.max_blocks(mtime, self.first, self.count, _NO_TIME)
        self.totals["dnewest"] = preorder.max_subtrees(newest, self.tree.parent, self.tree.levels)

    def _total(self, values: Column) -> Column:
        running = np.zeros(len(values) + 1, np.int64)
        np.cumsum(values, out=running[1:])
        return np.asarray(running[self.end] - running[self.first])

    def write(self, source: Source, writer: SnapshotWriter, dir_row: Column) -> dict[str, Any]:
        """All columns of the directories; answers what the manifest tells of the whole."""
        tree, state = self.tree, source.state[self.tree.old]
        unread = np.isin(state, [int(one) for one in INCOMPLETE]).astype(np.int64)
        self.totals["dmiss"] += preorder.sum_subtrees(unread, tree.last)
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
