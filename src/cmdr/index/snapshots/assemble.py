"""Turning rows in any order into the columns of one epoch.

Works column by column and in slices, so that the peak stays near two columns and the names, however many rows.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cmdr.index.errors import IndexFull
from cmdr.index.snapshots import order
from cmdr.index.snapshots.below import Below
from cmdr.index.snapshots.columns import FORMAT_FILE, ROW_COLUMNS, Column, Flag
from cmdr.index.snapshots.epoch import EpochWriter
from cmdr.index.snapshots.extensions import distinct
from cmdr.index.snapshots.identity import Identities, Known
from cmdr.index.snapshots.names_written import WrittenNames, write_names
from cmdr.index.snapshots.runs import runs_of
from cmdr.index.snapshots.source import Source

MAX_ROWS = 0xFFFFFFF0


@dataclass(frozen=True)
class Assembled:
    """What the manifest says about a new epoch."""

    facts: dict[str, Any]


def assemble(source: Source, writer: EpochWriter, known: Known) -> Assembled:
    """Write all columns of `source` in block-DFS order; ids come from `known` where a node was known before."""
    if source.rows > MAX_ROWS:
        raise IndexFull("This tree has more entries than one index can number.")
    return Assembled(_Assembling(source, writer).run(known))


class _Assembling:
    """One epoch on its way: the order of its directories first, then column by column."""

    def __init__(self, source: Source, writer: EpochWriter) -> None:
        self.source, self.writer = source, writer
        self.tree = order.preorder(_parents(source) if source.parent is None else source.parent)
        old, above = self.tree.old, self.tree.parent
        self.count = source.block_rows[old]
        self.start = np.ones(len(old) + 1, np.int64)
        np.cumsum(self.count, out=self.start[1:])
        self.start[1:] += 1
        # A directory's own row stands in the block of the directory above it.
        self.dir_row = self.start[above] + source.dir_row[old] - source.block_start[old[above]]
        self.dir_row[0] = 0
        self.runs = runs_of(source.block_start[old], self.count)
        self.facts: dict[str, Any] = {"rows": source.rows, "dirs": len(old)}

    def run(self, known: Known) -> dict[str, Any]:
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
        below = Below(self.tree, self.start, self.count)
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

    def write_ids(self, known: Known, names: WrittenNames) -> None:
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
        gone.write(self.writer)

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
