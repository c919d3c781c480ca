"""Rows on their way into an epoch: in any order of directories, each directory's rows together.

A walk's part files and a patched view both become a Source; the assembling that follows does not know which.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cmdr.index.columns import Column, Flag
from cmdr.index.part_file import HALF, NARROW, WIDE
from cmdr.index.statx import packed_device
from cmdr.index.walk import ROOT_NUMBER, Harvest, Part


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

    def name(self, row: int) -> bytes:
        """The name of one row."""
        return bytes(self.blob[int(self.noff[row]) : int(self.noff[row + 1]) - 1])


_TYPES = dict.fromkeys(WIDE, "<u8") | dict.fromkeys(HALF, "<u4") | dict.fromkeys(NARROW, "<u2")
_SCALE = {"blocks": 512, "mtime": 10**9, "ctime": 10**9, "born": 10**9}


def harvested(harvest: Harvest) -> Source:
    """The part files of a walk as one Source."""
    pieces = _Pieces(harvest)
    blob = pieces.names()
    ends = np.flatnonzero(blob == 0)
    noff = np.zeros(len(ends) + 1, np.int64)
    np.add(ends, 1, out=noff[1:])
    del ends
    first_row = np.cumsum([1] + [part.rows for part in harvest.parts])
    dirs = _Directories(harvest, first_row)
    flags = np.zeros(int(first_row[-1]), np.uint8)
    for name, flag in (("broken", Flag.BROKEN), ("followed", Flag.FOLLOWED), ("aliased", Flag.ALIAS)):
        for number, part in enumerate(harvest.parts):
            flags[np.frombuffer(part.found[name], np.int64) + first_row[number]] |= int(flag)
    for number in harvest.refused_links:  # a link that was not followed after all is a plain link
        flags[dirs.row_of(number)] &= 255 - int(Flag.FOLLOWED)
    flags[pieces.joined("nlink", 1) > 1] |= int(Flag.HARD)
    mode = pieces.joined("mode", harvest.root_facts.st_mode)
    flags[(mode >> 12) == 4] &= 255 - int(Flag.HARD)  # directories have many links by nature
    flags[mode == 0] |= int(Flag.UNKNOWN)

    def column(name: str) -> Column:
        if name == "flags":
            return flags
        if name == "mode":
            return mode
        root = _root_value(name, harvest.root_facts)
        return pieces.joined("blocks" if name == "allocated" else name, root)

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
    """The part files of all walkers, column by column.

    Each column is read once and its files are removed at once: what is written next then takes their place in memory.
    """

    def __init__(self, harvest: Harvest) -> None:
        self.parts = [part for part in harvest.parts if part.rows]
        self.rows = sum(part.rows for part in self.parts)

    def joined(self, name: str, root: int) -> Column:
        """A column of all parts behind the root's own value."""
        timed = name + "_ns" in HALF
        out = np.empty(self.rows + 1, np.int64 if name in _SCALE else _TYPES[name])
        out[0] = root
        at = 1
        for part in self.parts:
            piece = out[at : at + part.rows]
            piece[:] = self.read(part, name)
            if name in _SCALE:
                piece *= _SCALE[name]
            if timed:
                piece += self.read(part, name + "_ns")
            at += part.rows
        return out

    def read(self, part: Part, name: str) -> Column:
        same = part.found["constants"].get(name)
        if same is not None:
            return np.frombuffer(same, _TYPES[name])  # one value for all
        return self.taken(part, name, _TYPES[name])

    def taken(self, part: Part, name: str, dtype: str) -> Column:
        path = f"{part.path}.{name}"
        values = np.memmap(path, dtype, "r")
        os.unlink(path)
        return values

    def names(self) -> Column:
        """All names, the root's empty one first."""
        return np.concatenate([np.zeros(1, np.uint8), *(self.taken(part, "names", "u1") for part in self.parts)])


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
            blocks = np.frombuffer(one["blocks"], np.int64).reshape(-1, 5)
            numbers = self.dense(blocks[:, 0])
            self.start[numbers] = blocks[:, 1] + first_row[i]
            self.count[numbers] = blocks[:, 2]
            self.state[numbers] = blocks[:, 3]
            self.listed[numbers] = blocks[:, 4]
        if harvest.refused_links:
            keep = np.ones(count, bool)
            keep[self.dense(np.array(sorted(harvest.refused_links), np.int64))] = False
            self.refused = {number: int(self.row[self.one(number)]) for number in harvest.refused_links}
            self.row, self.start, self.count = self.row[keep], self.start[keep], self.count[keep]
            self.state, self.listed = self.state[keep], self.listed[keep]

    def dense(self, numbers: Column) -> Column:
        root = numbers == ROOT_NUMBER
        walker = np.where(root, 0, numbers >> 40)
        count = numbers & ((1 << 40) - 1)
        return np.where(root, 0, self.first_dir[walker] + count)

    def one(self, number: int) -> int:
        return int(self.first_dir[number >> 40]) + (number & ((1 << 40) - 1))

    def row_of(self, number: int) -> int:
        return self.refused[number]
