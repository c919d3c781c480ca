"""Turning rows in any order into the columns of one epoch.

Works column by column and in slices, so that the peak stays near two columns and the names, however many rows.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cmdr.index import order
from cmdr.index.columns import DIR_COLUMNS, INCOMPLETE, ROW_COLUMNS, ZONE, Column, Flag
from cmdr.index.epoch import EpochWriter
from cmdr.index.errors import IndexFull
from cmdr.index.extensions import Extensions, distinct
from cmdr.index.folding import fold_names
from cmdr.index.identity import Identities, Known
from cmdr.index.source import Source

_NAME_STEP = 1 << 23
MAX_ROWS = 0xFFFFFFF0


@dataclass(frozen=True)
class Assembled:
    """What the manifest says about a new epoch."""

    facts: dict[str, Any]


def assemble(source: Source, writer: EpochWriter, known: Known) -> Assembled:
    """Write all columns of `source` in block-DFS order; ids come from `known` where a node was known before."""
    if source.rows > MAX_ROWS:
        raise IndexFull("This tree has more entries than one index can number.")
    dir_count = len(source.dir_row)
    tree = order.preorder(_parents(source) if source.parent is None else source.parent)
    count = source.block_rows[tree.old]
    start = np.ones(dir_count + 1, np.int64)
    np.cumsum(count, out=start[1:])
    start[1:] += 1
    move = np.empty(source.rows, np.int64)
    move[0] = 0
    move[1:] = np.repeat(source.block_start[tree.old] - start[:-1], count)
    move[1:] += np.arange(1, source.rows)
    inverse = np.empty(len(source.noff) - 1, np.uint32)
    inverse[move] = np.arange(source.rows, dtype=np.uint32)
    dir_row = inverse[source.dir_row[tree.old]].astype(np.int64)
    del inverse

    facts: dict[str, Any] = {"rows": source.rows, "dirs": dir_count}
    columns: dict[str, Column] = {}

    def put(name: str, values: Column) -> Column:
        return writer.put(name, values, ROW_COLUMNS[name])

    pdir = np.zeros(source.rows, np.uint32)
    pdir[1:] = np.repeat(np.arange(dir_count, dtype=np.uint32), count)
    put("pdir", pdir)
    with ThreadPoolExecutor(1, "cmdr-index-names") as beside:  # names and numbers do not need each other
        names = beside.submit(_write_names, source, writer, tree.old, move)
        for name in ("size", "allocated", "mtime", "mode", "ino", "born"):
            columns[name] = put(name, source.column(name)[move])
        put("ctime", source.column("ctime")[move])
        columns["device"] = source.column("device")[move]
        devices, dev = distinct(columns["device"], columns["device"][:1])
        facts["devices"] = [int(one) for one in devices[:255]]
        columns["dev"] = put("dev", np.minimum(dev, 255))
        uid = source.column("uid")[move]
        owners_found, owner = distinct(uid, uid[:1])
        facts["owners"] = [int(one) for one in owners_found[:65535]]
        put("owner", np.minimum(owner, 65535))
        flags = _count_once(source.column("flags")[move], columns["ino"], columns["dev"])
        put("flags", flags)
        extensions = names.result()
    is_file = (columns["mode"] >> 12) == 8
    put("ext", extensions.codes(is_file))
    facts["extensions"] = extensions.table()

    identities = Identities(known)
    if source.nid is not None:
        nid = source.nid[move]
        gone = identities.lost(nid)
    else:
        nid, gone = identities.match(columns, flags, pdir, dir_row, lambda row: source.name(int(move[row])))
    facts["next_id"] = identities.next_id
    put("nid", nid)
    id_row = np.full(identities.next_id, 0xFFFFFFFF, np.uint32)
    id_row[nid] = np.arange(source.rows, dtype=np.uint32)
    writer.put("idrow", id_row, "<u4")
    gone.write(writer)
    del id_row

    _roll_up(source, writer, tree, columns, flags, start, count, dir_row, facts)
    return Assembled(facts)


def _parents(source: Source) -> Column:
    """The directory in whose block each directory's row stands."""
    owners = np.argsort(source.block_start, kind="stable")
    owner_of_row = np.concatenate([[0], np.repeat(owners, source.block_rows[owners])])
    parent = owner_of_row[source.dir_row]
    parent[0] = 0
    return parent


def _write_names(source: Source, writer: EpochWriter, old: Column, move: Column) -> Extensions:
    """The names blob and its folded twin in their new order, with offsets; collects extensions on the way."""
    offsets = np.zeros(source.rows + 1, np.int64)
    np.cumsum(np.diff(source.noff)[move], out=offsets[1:])
    writer.put("noff", offsets, _offset_type(offsets))
    names, folded = writer.stream("names"), writer.stream("folded")
    folded_ends: list[Column] = [np.zeros(1, np.int64)]
    extensions = Extensions()
    at, same = 0, True
    for piece in _pieces(source, old):
        last = int(np.searchsorted(offsets, names.size + len(piece)))
        ends = offsets[at + 1 : last + 1] - names.size
        low, low_ends = fold_names(piece, ends)
        same = same and low_ends is ends
        extensions.collect(low, low_ends)
        folded_ends.append(low_ends + folded.size)
        names.write(piece)
        folded.write(low)
        at = last
    for stream in (names, folded):
        stream.close()
    if not same:
        offsets = np.concatenate(folded_ends)
        writer.put("foff", offsets, _offset_type(offsets))
    return extensions


def _pieces(source: Source, old: Column) -> Iterator[bytes]:
    """The names in the new order of directories, some megabytes at a time; the root's empty name comes first."""
    begin = source.noff[source.block_start[old]]
    end = source.noff[source.block_start[old] + source.block_rows[old]]
    full = np.flatnonzero(end > begin)
    begin, end = begin[full], end[full]
    # Walkers go down the tree much as the rows stand in the end: most directories follow the one before.
    apart = np.flatnonzero(begin[1:] != end[:-1])
    begin, end = np.append(begin[:1], begin[apart + 1]), np.append(end[apart], end[-1:])
    raw = np.ascontiguousarray(source.blob).data
    waiting: list[bytes | memoryview] = [b"\0"]
    size = 1
    for start, last in zip(begin.tolist(), end.tolist(), strict=True):
        at = start
        while at < last:
            cut = _cut(source.noff, at, last)
            waiting.append(raw[at:cut])
            size += cut - at
            at = cut
            if size >= _NAME_STEP:
                yield b"".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _cut(noff: Column, first: int, last: int) -> int:
    """The end of a stretch of whole names that is not much longer than a step."""
    if last - first <= 2 * _NAME_STEP:
        return last
    return int(noff[np.searchsorted(noff, first + _NAME_STEP)])


def _offset_type(offsets: Column) -> str:
    return "<u4" if offsets[-1] < 1 << 32 else "<i8"


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


def _roll_up(
    source: Source,
    writer: EpochWriter,
    tree: order.Preorder,
    columns: dict[str, Column],
    flags: Column,
    start: Column,
    count: Column,
    dir_row: Column,
    facts: dict[str, Any],
) -> None:
    """Totals of every directory, and the zone maxima of sizes."""
    first, last = start[:-1], tree.last
    form = columns["mode"] >> 12
    counted = (flags & int(Flag.SHARED)) == 0
    is_dir = form == 4
    sizes = np.where((form == 8) & counted, columns["size"], 0)

    end = start[last]

    def total(values: Column) -> Column:
        """Sums over everything below each directory: its rows are one stretch."""
        running = np.zeros(len(values) + 1, np.int64)
        np.cumsum(values, out=running[1:])
        return running[end] - running[first]

    state = source.state[tree.old]
    missing = np.isin(state, [int(one) for one in INCOMPLETE]).astype(np.int64)
    newest = order.max_blocks(columns["mtime"], first, count, -(1 << 63))
    inner_dirs = total(is_dir)
    totals = {
        "dfiles": end - first - inner_dirs,
        "ddirs": inner_dirs,
        "dbytes": total(sizes),
        "dalloc": total(np.where(counted, columns["allocated"], 0)),
        "dnewest": order.max_subtrees(newest, tree.parent, tree.levels),
        "dmiss": order.sum_subtrees(missing, last) + total((flags & int(Flag.UNKNOWN)) != 0),
    }
    shape = {
        "drow": dir_row,
        "dpar": tree.parent,
        "dcs": first,
        "dcn": count,
        "dlast": last,
        "dend": end,
        "ddepth": tree.depth,
        "dstate": state,
        "dlisted": source.listed[tree.old],
    }
    for name, values in (shape | totals).items():
        writer.put(name, values, DIR_COLUMNS[name])
    writer.put("dorder", np.argsort(dir_row, kind="stable"), "<u4")
    padded = np.zeros(-(-len(sizes) // ZONE) * ZONE, np.int64)
    padded[: len(sizes)] = np.where(form == 8, columns["size"], 0)
    writer.put("zmax", padded.reshape(-1, ZONE).max(axis=1), "<i8")
    facts["bytes"] = int(totals["dbytes"][0])
    facts["files"] = int(totals["dfiles"][0])
    facts["missing"] = int(totals["dmiss"][0])
    facts["states"] = {
        str(int(key)): int(number) for key, number in zip(*np.unique(state, return_counts=True), strict=True)
    }
