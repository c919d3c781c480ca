"""Rows on their way into an epoch: in any order of directories, each directory's rows together.

A walk's part files and a patched view both become a Source; the assembling that follows does not know which.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cmdr.index.columns import Column, Flag
from cmdr.index.statx import packed_device
from cmdr.index.walk import ROOT_NUMBER, Harvest


@dataclass
class Source:
    """Rows in blocks; row 0 is the root. Directory 0 is the root's; `dir_row` says where each stands."""

    rows: int
    column: Callable[[str], Column]  # size allocated mtime ctime born ino mode uid device flags
    blob: Column
    noff: Column
    dir_row: Column
    block_start: Column
    block_rows: Column
    state: Column
    listed: Column
    parent: Column | None = None  # of each directory, when known; else found from the blocks, which then have no gaps
    nid: Column | None = None  # known already, or to be matched with the epoch before
    facts: dict[str, Any] = field(default_factory=dict)


_WIDE = ("ino", "size", "blocks", "born", "ctime", "mtime", "device")
_HALF = ("nlink", "uid", "born_ns", "ctime_ns", "mtime_ns")


def harvested(harvest: Harvest) -> Source:
    """The part files of a walk as one Source."""
    pieces = _Pieces(harvest)
    blob = np.concatenate([np.zeros(1, np.uint8), *pieces.named["blob"]])  # the root's name is empty
    ends = np.flatnonzero(blob == 0)
    noff = np.zeros(len(ends) + 1, np.int64)
    noff[1:] = ends + 1
    first_row = np.cumsum([1] + [part.rows for part in harvest.parts])
    dirs = _Directories(harvest, first_row)
    flags = np.zeros(int(first_row[-1]), np.uint8)
    for name, flag in (("broken", Flag.BROKEN), ("followed", Flag.FOLLOWED), ("aliased", Flag.ALIAS)):
        for number, part in enumerate(harvest.parts):
            flags[np.frombuffer(part.found[name], np.int64) + first_row[number]] |= int(flag)
    for number in harvest.refused_links:  # a link that was not followed after all is a plain link
        flags[dirs.row_of(number)] &= 255 - int(Flag.FOLLOWED)
    flags[1:][pieces.joined("nlink") > 1] |= int(Flag.HARD)

    def column(name: str) -> Column:
        if name == "flags":
            mode = column("mode")
            flags[(mode >> 12) == 4] &= 255 - int(Flag.HARD)  # directories have many links by nature
            flags[mode == 0] |= int(Flag.UNKNOWN)
            return flags
        root = _root_value(name, harvest.root_facts)
        values = pieces.joined("blocks") * 512 if name == "allocated" else pieces.joined(name)
        if name in ("mtime", "ctime", "born"):
            values = values.view(np.int64) * 10**9 + pieces.joined(name + "_ns")
        return np.concatenate([np.array([root], values.dtype), values])

    return Source(int(first_row[-1]), column, blob, noff, dirs.row, dirs.start, dirs.count, dirs.state, dirs.listed)


def _root_value(name: str, facts: os.stat_result) -> int:
    if name == "device":
        return packed_device(facts.st_dev)
    if name == "allocated":
        return facts.st_blocks * 512
    if name == "born":
        return 0
    plain = {"mtime": "st_mtime_ns", "ctime": "st_ctime_ns"}.get(name, "st_" + name)
    return int(getattr(facts, plain))


class _Pieces:
    """The chunks of all part files, mapped, by column."""

    def __init__(self, harvest: Harvest) -> None:
        self.named: dict[str, list[Column]] = {name: [] for name in (*_WIDE, *_HALF, "mode", "blob")}
        for part in harvest.parts:
            if not part.rows:
                continue
            data = np.memmap(part.path, np.uint8, "r")
            at = 0
            for rows, length in part.chunks:
                for name in _WIDE:
                    at = self.take(name, data, at, rows, "<u8")
                for name in _HALF:
                    at = self.take(name, data, at, rows, "<u4")
                at = self.take("mode", data, at, rows, "<u2")
                at = self.take("blob", data, at, length, "u1")
                at += -at % 8

    def take(self, name: str, data: Column, at: int, count: int, dtype: str) -> int:
        end = at + count * np.dtype(dtype).itemsize
        self.named[name].append(data[at:end].view(dtype))
        return end

    def joined(self, name: str) -> Column:
        dtype = "<u8" if name in _WIDE else "<u4" if name in _HALF else "<u2"
        return np.concatenate(self.named[name]) if self.named[name] else np.empty(0, dtype)


class _Directories:
    """The walkers' directory numbers (walker << 40 | count) made dense, with their blocks."""

    def __init__(self, harvest: Harvest, first_row: Column) -> None:
        found = [part.found for part in harvest.parts]
        rows = [np.frombuffer(one["dir_rows"], np.int64) for one in found]
        self.first_dir = np.cumsum([1] + [len(one) for one in rows])
        self.row = np.concatenate([np.zeros(1, np.int64), *(one + first_row[i] for i, one in enumerate(rows))])
        count = len(self.row)
        self.start, self.count = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.state, self.listed = np.full(count, 4, np.uint8), np.zeros(count, np.int64)
        for i, one in enumerate(found):
            numbers = self.dense(np.frombuffer(one["block_dir"], np.uint64))
            self.start[numbers] = np.frombuffer(one["block_start"], np.int64) + first_row[i]
            self.count[numbers] = np.frombuffer(one["block_rows"], np.int64)
            self.state[numbers] = np.frombuffer(one["block_state"], np.uint8)
            self.listed[numbers] = np.frombuffer(one["block_listed"], np.int64)
        if harvest.refused_links:
            keep = np.ones(count, bool)
            keep[self.dense(np.array(sorted(harvest.refused_links), np.uint64))] = False
            self.refused = {number: int(self.row[self.one(number)]) for number in harvest.refused_links}
            self.row, self.start, self.count = self.row[keep], self.start[keep], self.count[keep]
            self.state, self.listed = self.state[keep], self.listed[keep]

    def dense(self, numbers: Column) -> Column:
        root = numbers == ROOT_NUMBER
        walker = np.where(root, 0, numbers >> np.uint64(40)).astype(np.int64)
        count = (numbers & np.uint64((1 << 40) - 1)).astype(np.int64)
        return np.where(root, 0, self.first_dir[walker] + count)

    def one(self, number: int) -> int:
        return int(self.first_dir[number >> 40]) + (number & ((1 << 40) - 1))

    def row_of(self, number: int) -> int:
        return self.refused[number]
