"""Turning rows in any order into the columns of one epoch.

Works column by column and in slices, so that the peak stays near two columns and the names, however many rows.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
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
        names = beside.submit(_write_names, source, writer, tree.old)
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
        nid, gone = identities.match(columns, flags, pdir, dir_row, extensions.name)
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


def _write_names(source: Source, writer: EpochWriter, old: Column) -> Extensions:
    """The names blob and its folded twin in their new order, with offsets; collects extensions on the way."""
    begin = source.noff[source.block_start[old]]
    end = source.noff[source.block_start[old] + source.block_rows[old]]
    full = np.flatnonzero(end > begin)
    begin, end = begin[full], end[full]
    raw = np.ascontiguousarray(source.blob).data
    names, folded = writer.stream("names"), writer.stream("folded")
    name_ends: list[Column] = [np.zeros(1, np.int64)]
    folded_ends: list[Column] = [np.zeros(1, np.int64)]
    extensions = Extensions()
    cut = np.searchsorted(np.cumsum(end - begin), np.arange(_NAME_STEP, int((end - begin).sum()), _NAME_STEP))
    edges = np.unique(np.concatenate([[0], cut + 1, [len(begin)]])).clip(0, len(begin)).tolist()
    same = True
    for number, (first, last) in enumerate(pairwise(edges)):
        runs = zip(begin[first:last].tolist(), end[first:last].tolist(), strict=True)
        piece = b"".join([raw[a:b] for a, b in runs])
        if not number:
            piece = b"\0" + piece
        ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == 0) + 1
        low, low_ends = fold_names(piece, ends)
        same = same and low_ends is ends
        extensions.collect(piece, ends, low, low_ends)
        name_ends.append(ends + names.size)
        folded_ends.append(low_ends + folded.size)
        names.write(piece)
        folded.write(low)
    if len(edges) < 2:  # an empty root
        names.write(b"\0")
        folded.write(b"\0")
        name_ends.append(np.ones(1, np.int64))
        folded_ends.append(np.ones(1, np.int64))
        extensions.collect(b"\0", np.ones(1, np.int64), b"\0", np.ones(1, np.int64))
    for stream in (names, folded):
        stream.close()
    offsets = np.concatenate(name_ends)
    writer.put("noff", offsets, "<u4" if offsets[-1] < 1 << 32 else "<i8")
    if not same:
        offsets = np.concatenate(folded_ends)
        writer.put("foff", offsets, "<u4" if offsets[-1] < 1 << 32 else "<i8")
    return extensions


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

    def total(values: Column) -> Column:
        return order.sum_subtrees(order.sum_blocks(values, first, count), last)

    state = source.state[tree.old]
    missing = np.isin(state, [int(one) for one in INCOMPLETE]).astype(np.int64)
    missing += order.sum_blocks((flags & int(Flag.UNKNOWN)) != 0, first, count)
    newest = order.max_blocks(columns["mtime"], first, count, -(1 << 63))
    totals = {
        "dfiles": total(~is_dir),
        "ddirs": total(is_dir),
        "dbytes": total(sizes),
        "dalloc": total(np.where(counted, columns["allocated"], 0)),
        "dnewest": order.max_subtrees(newest, tree.parent, tree.levels),
        "dmiss": order.sum_subtrees(missing, last),
    }
    shape = {
        "drow": dir_row,
        "dpar": tree.parent,
        "dcs": first,
        "dcn": count,
        "dlast": last,
        "dend": start[last],
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
