"""Which node of a new snapshot is which node of the one before.

A node keeps its id when it keeps its inode (on one device, with one birth time), else when it keeps its path. Names
of a file with several names are told apart by path first. Ids are never used twice; a node that is gone leaves its
last path behind.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cmdr.index.errors import IndexFull
from cmdr.index.snapshots.columns import Column, Flag
from cmdr.index.snapshots.snapshot import SnapshotWriter
from cmdr.index.snapshots.view import View

_LAST_PATHS = 1_000_000  # of the nodes gone longest, only the id is remembered
_LAST_ID = 0xFFFFFFF0
_STEP = 1 << 20


@dataclass
class PreviousNodes:
    """What is remembered of the nodes before: live rows by column, ids given out, and paths of what is gone."""

    next_id: int = 0
    nid: Column = field(default_factory=lambda: np.empty(0, np.uint32))
    columns: dict[str, Column] = field(default_factory=dict)  # ino, born, mode, flags, device, pdir, mtime, size
    dir_row: Column = field(default_factory=lambda: np.empty(0, np.int64))
    name: Callable[[int], bytes] = lambda row: b""
    path: Callable[[int], bytes] = lambda row: b""
    gone: dict[int, bytes] = field(default_factory=dict)


def write_gone(writer: SnapshotWriter, gone: dict[int, bytes]) -> None:
    """Store ids without a node, each with its last path, sorted so that one can be found by bisection."""
    ids = sorted(gone)[-_LAST_PATHS:]
    blobs = [gone[one] for one in ids]
    offsets = np.zeros(len(ids) + 1, np.int64)
    np.cumsum([len(one) for one in blobs], out=offsets[1:])
    writer.put("gone_id", np.array(ids, np.uint32), "<u4")
    writer.put("gone_off", offsets, "<i8")
    writer.put("gone_path", np.frombuffer(b"".join(blobs), np.uint8), "u1")


class Identities:
    """Gives every row of a new snapshot its id."""

    def __init__(self, known: PreviousNodes) -> None:
        self.known = known
        self.next_id = known.next_id

    def match(
        self, rows: int, columns: dict[str, Column], dir_row: Column, name: Callable[[int], bytes]
    ) -> tuple[Column, dict[int, bytes]]:
        """Ids for all rows, old ones where possible; the first scan numbers the rows as they stand."""
        if not len(self.known.nid) and self.next_id + rows <= _LAST_ID:
            nid = np.arange(self.next_id, self.next_id + rows, dtype=np.uint32)
            self.next_id += rows
            return nid, self.known.gone
        nid = np.full(rows, 0xFFFFFFFF, np.uint32)
        old_free = np.ones(len(self.known.nid), bool)
        if len(self.known.nid):
            nid[0] = self.known.nid[0]
            old_free[0] = False
            self._by_inode(columns, nid, old_free)
            self._by_path(columns, dir_row, name, nid, old_free)
        fresh = np.flatnonzero(nid == 0xFFFFFFFF)
        if self.next_id + len(fresh) > _LAST_ID:
            raise IndexFull("This index has given out all its node ids; remove it and index the folder anew.")
        nid[fresh] = np.arange(self.next_id, self.next_id + len(fresh), dtype=np.int64)
        self.next_id += len(fresh)
        return nid, self.lost(nid)

    def lost(self, nid: Column) -> dict[int, bytes]:
        """The nodes known before that have no row now, with their last paths."""
        self.next_id = max(self.next_id, int(nid.max()) + 1 if len(nid) else 0)
        alive = np.zeros(self.next_id, bool)
        alive[nid] = True
        paths = {one: path for one, path in self.known.gone.items() if not alive[one]}
        rows = np.flatnonzero(~alive[self.known.nid])[-_LAST_PATHS:].tolist()
        for row in rows:
            paths[int(self.known.nid[row])] = self.known.path(row)
        return paths

    def _by_inode(self, columns: dict[str, Column], nid: Column, old_free: Column) -> None:
        old, flags = self.known.columns, columns["flags"]
        several = int(Flag.HARD | Flag.ALIAS | Flag.UNKNOWN)
        single_old = np.flatnonzero(((old["flags"] & several) == 0) & old_free).astype(np.uint32)
        by_ino = single_old[np.argsort(old["ino"][single_old], kind="stable")]
        sorted_ino = old["ino"][by_ino]
        taken = np.full(len(self.known.nid), 0xFFFFFFFF, np.uint32)  # by which new row each old one is claimed
        twice = np.zeros(len(taken), bool)
        for first in range(0, len(flags), _STEP):  # in portions: ten million rows at once would need gigabytes
            single_new = np.flatnonzero((flags[first : first + _STEP] & several) == 0) + first
            new_row, old_row = self._same_inode(columns, single_new, by_ino, sorted_ino)
            once, count = np.unique(old_row, return_counts=True)
            twice[once[count > 1]] = True
            twice[old_row[taken[old_row] != 0xFFFFFFFF]] = True
            taken[old_row] = new_row
        # One inode twice in either snapshot (file systems that make inodes up) decides nothing.
        only = np.flatnonzero((taken != 0xFFFFFFFF) & ~twice)
        nid[taken[only]] = self.known.nid[only]
        old_free[only] = False

    def _same_inode(
        self, columns: dict[str, Column], rows: Column, by_ino: Column, sorted_ino: Column
    ) -> tuple[Column, Column]:
        """Those of these rows that are a row before, and which."""
        old = self.known.columns
        ino = columns["ino"][rows]
        at = np.searchsorted(sorted_ino, ino)
        hit = at < len(sorted_ino)
        hit[hit] = sorted_ino[at[hit]] == ino[hit]
        new_row, old_row = rows[hit], by_ino[at[hit]]
        new_born, old_born = columns["born"][new_row], old["born"][old_row]
        same = (new_born == old_born) & (new_born != 0)
        # Where the file system tells no birth time, an inode taken over by another file shows in both of these.
        unknown = (new_born == 0) | (old_born == 0)
        alike = columns["mtime"][new_row] == old["mtime"][old_row]
        alike |= (columns["size"][new_row] == old["size"][old_row]) & (columns["size"][new_row] > 0)
        same |= unknown & alike
        same &= (columns["mode"][new_row] >> 12) == (old["mode"][old_row] >> 12)
        same &= columns["device"][new_row] == old["device"][old_row]
        return new_row[same], old_row[same]

    def _by_path(
        self,
        columns: dict[str, Column],
        dir_row: Column,
        name: Callable[[int], bytes],
        nid: Column,
        old_free: Column,
    ) -> None:
        old, pdir = self.known, columns["pdir"]
        waiting = np.flatnonzero(old_free)
        if not len(waiting):
            return
        parents = old.nid[old.dir_row[old.columns["pdir"][waiting]]].tolist()
        places = {(parent, old.name(row)): row for parent, row in zip(parents, waiting.tolist(), strict=True)}
        inodes: dict[int, list[int]] = {}
        for row in waiting.tolist():
            if old.columns["flags"][row] & int(Flag.HARD):
                inodes.setdefault(int(old.columns["ino"][row]), []).append(row)
        missed: list[int] = []
        # A directory's own row stands before its children's, so the parent has its id already.
        for row in np.flatnonzero(nid == 0xFFFFFFFF).tolist():
            parent = int(nid[dir_row[pdir[row]]])
            before = places.pop((parent, name(row)), None) if parent != 0xFFFFFFFF else None
            if before is None or old.columns["mode"][before] >> 12 != columns["mode"][row] >> 12:
                missed.append(row)
                continue
            nid[row] = old.nid[before]
            old_free[before] = False
        for row in missed:
            candidates = inodes.get(int(columns["ino"][row]), [])
            before = next((one for one in candidates if old_free[one]), None)
            if before is not None and old.columns["born"][before] == columns["born"][row]:
                nid[row] = old.nid[before]
                old_free[before] = False


def previous_nodes(before: View | None, first_id: int = 0, *, to_match: bool = True) -> PreviousNodes:
    """What the next snapshot must remember of this one; ids below `first_id` were given out already.

    Rows that have their ids need no columns `to_match` them by.
    """
    if before is None:
        return PreviousNodes(first_id)
    # Without a delta every row is alive, and the stored columns are read where they lie: no copies of them.
    whole = before.dead is None
    rows = np.empty(0, np.int64) if whole else before.live_rows()

    def column(name: str) -> Column:
        return before.base[name] if whole else before.gather(name, rows)

    matched = ("ino", "born", "mode", "flags", "pdir", "mtime", "size") if to_match else ()
    columns = {name: column(name) for name in matched}
    if to_match:
        columns["device"] = before.base.devices[np.minimum(column("dev"), len(before.base.devices) - 1)]
    dir_row: Column = before.dirs["drow"].astype(np.int64)
    if not whole:
        place = np.empty(before.base_rows + (before.delta.rows if before.delta else 0), np.int64)
        place[rows] = np.arange(len(rows))
        dir_row = place[dir_row]
    ids = before.stored.column("gone_id").tolist()
    offsets = before.stored.column("gone_off").tolist()
    paths = before.stored.column("gone_path").tobytes()
    gone = {one: paths[offsets[i] : offsets[i + 1]] for i, one in enumerate(ids)} | before.delta_gone
    return PreviousNodes(
        max(first_id, before.next_id),
        column("nid"),
        columns,
        dir_row,
        lambda row: before.name(row if whole else int(rows[row])),
        lambda row: before.path(row if whole else int(rows[row])),
        gone,
    )
