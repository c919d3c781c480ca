"""From the part files of a walk to a committed snapshot."""

import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.ma

from cmdr.index.scan.directory_reader import TIME_COLUMNS, WIDTHS
from cmdr.index.scan.part_file import BLOCK
from cmdr.index.scan.statx import packed_device
from cmdr.index.scan.walk import ROOT_NUMBER, Part, ScanResult
from cmdr.index.snapshots.assemble import write_snapshot
from cmdr.index.snapshots.columns import Column, Flag, column_time
from cmdr.index.snapshots.identity import previous_nodes
from cmdr.index.snapshots.source import RowRuns, Source
from cmdr.index.snapshots.view import View, stored_view
from cmdr.model.trees.indexes import WalkOptions

_TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(f"<u{width}") for name, width in WIDTHS.items()}
_PAIR = np.dtype([("seconds", "<i8"), ("ns", "<u4"), ("unused", "<u4")])  # as the kernel tells a time
_NANOSECONDS = np.dtype("<i8")
_SECOND = 10**9


def build(result: ScanResult, home: str, options: WalkOptions, before: View | None, first_id: int) -> View:
    """Write the next snapshot under `home`; on any error the one before stays as it is."""
    number = before.epoch + 1 if before is not None else 1
    about = _about(result, options)
    return stored_view(write_snapshot(scan_source(result), previous_nodes(before, first_id), home, number, about))


def _about(result: ScanResult, options: WalkOptions) -> dict[str, Any]:
    """What the manifest says about the walk itself."""
    return {
        "root": result.root.hex(),
        "started_ns": result.started_ns,
        "walk_seconds": round(result.seconds, 3),
        "cancelled": result.cancelled,
        "options": [options.depth_limit, options.follow_symlinks, options.cross_file_systems],
        "problems": [[path.hex(), code] for path, code in result.problems[:1000]],
        "problem_count": len(result.problems),
        "root_born": [result.root_facts.st_dev, result.root_facts.st_ino],
    }


def scan_source(result: ScanResult) -> Source:
    """The part files of a walk as one Source."""
    pieces = _PartColumns(result)
    dirs = _Directories(result, pieces.first_row)
    pieces.refused = np.array([dirs.refused[number] for number in sorted(result.refused_links)], np.int64)
    return Source(
        int(pieces.first_row[-1]),
        pieces.column,
        pieces.names,
        dirs.row,
        dirs.start,
        dirs.count,
        dirs.state,
        dirs.listed,
    )


class _PartColumns:
    """The part files of all walkers, column by column.

    Each column is read once and its files are removed at once: what is written next then takes their place in memory.
    """

    def __init__(self, result: ScanResult) -> None:
        self.parts, self.root = result.parts, result.root_facts
        self.first_row = np.cumsum([1] + [part.rows for part in self.parts])
        self.refused: Column = np.empty(0, np.int64)  # rows of links that were not followed after all
        self.mode: Column = np.empty(0, np.uint16)

    def column(self, name: str, runs: RowRuns) -> Column:
        if name == "flags":
            return self.flags(runs)
        if name == "mode":
            self.mode = self.gathered("mode", self.root.st_mode, runs)
            return self.mode
        if name == "allocated":
            return self.gathered("blocks", self.root.st_blocks, runs).view(np.int64) * 512
        if name in TIME_COLUMNS:
            return self.moment(name, runs)
        root = packed_device(self.root.st_dev) if name == "device" else int(getattr(self.root, "st_" + name))
        return self.gathered(name, root, runs)

    def gathered(self, name: str, root: int, runs: RowRuns) -> Column:
        """A column of all parts, and the root's own value."""
        dtype = _TYPES[name]
        return runs.gather([np.array([root], dtype), *(self.read(part, name, dtype) for part in self.parts)])

    def moment(self, name: str, runs: RowRuns) -> Column:
        """Times in nanoseconds."""
        root = 0 if name == "born" else column_time(getattr(self.root, f"st_{name}_ns"))
        return runs.gather([np.array([root], _NANOSECONDS), *(self.moments(part, name) for part in self.parts)])

    def moments(self, part: Part, name: str) -> Column:
        if part.found["time_bytes"] == _NANOSECONDS.itemsize:
            return self.read(part, name, _NANOSECONDS)
        pairs = self.read(part, name, _PAIR)
        out: Column = pairs["seconds"] * _SECOND
        out += pairs["ns"]
        return out

    def flags(self, runs: RowRuns) -> Column:
        """What the walkers noted of single rows, and what links and modes tell; asked for after the modes."""
        flags = np.zeros(runs.rows, np.uint8)
        for name, flag in (("broken", Flag.BROKEN), ("followed", Flag.FOLLOWED), ("aliased", Flag.ALIAS)):
            for number, part in enumerate(self.parts):
                rows = np.frombuffer(part.found[name], np.int64)
                if len(rows):
                    flags[runs.now_at(rows + self.first_row[number])] |= int(flag)
        if len(self.refused):
            flags[runs.now_at(self.refused)] &= 255 - int(Flag.FOLLOWED)
        several = self.gathered("nlink", 1, runs) > 1
        several &= (self.mode >> 12) != 4  # directories have many links by nature
        flags[several] |= int(Flag.HARD)
        flags[self.mode == 0] |= int(Flag.UNKNOWN)
        return flags

    def read(self, part: Part, name: str, dtype: np.dtype[Any]) -> Column:
        same = part.found["constants"].get(name)
        if same is not None:
            return np.broadcast_to(np.frombuffer(same, dtype), part.rows)
        return self.taken(part, name, dtype)

    def taken(self, part: Part, name: str, dtype: np.dtype[Any]) -> Column:
        if not part.rows:
            return np.empty(0, dtype)
        path = f"{part.path}.{name}"
        values = np.memmap(path, dtype, "r")
        os.unlink(path)
        return values.view(np.ndarray)  # slices of a memmap are slow to make

    def names(self, runs: RowRuns) -> Iterator[Column]:
        """All names, the root's empty one first."""
        blobs = [self.taken(part, "names", np.dtype(np.uint8)) for part in self.parts]
        places = [_Places(part, len(blob)) for part, blob in zip(self.parts, blobs, strict=True)]
        for piece, first, last in runs.stretches((1, *(part.rows for part in self.parts))):
            if not piece:
                yield np.zeros(1, np.uint8)
                continue
            yield blobs[piece - 1][places[piece - 1].of(first) : places[piece - 1].of(last)]


class _Places:
    """Where the names of a block begin in the names of its part."""

    def __init__(self, part: Part, size: int) -> None:
        self.part, self.size = part, size

    @cached_property
    def sorted(self) -> tuple[Column, Column]:
        blocks = np.frombuffer(self.part.found["blocks"], np.int64).reshape(-1, BLOCK)
        order = np.argsort(blocks[:, 1], kind="stable")
        return blocks[order, 1], blocks[order, 5]

    def of(self, row: int) -> int:
        if row == self.part.rows:
            return self.size
        rows, places = self.sorted
        return int(places[np.searchsorted(rows, row)])


class _Directories:
    """The walkers' directory numbers (walker << 40 | count) made dense, with their blocks."""

    def __init__(self, result: ScanResult, first_row: Column) -> None:
        found = [part.found for part in result.parts]
        rows = [np.frombuffer(one["dir_rows"], np.int64) for one in found]
        self.first_dir = np.cumsum([1] + [len(one) for one in rows])
        self.row = np.concatenate([np.zeros(1, np.int64), *(one + first_row[i] for i, one in enumerate(rows))])
        self.refused: dict[int, int] = {}  # number of a link that was not followed after all -> its row
        count = len(self.row)
        self.start, self.count = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.state, self.listed = np.full(count, 4, np.uint8), np.zeros(count, np.int64)
        for i, one in enumerate(found):
            blocks = np.frombuffer(one["blocks"], np.int64).reshape(-1, BLOCK)
            numbers = self.dense(blocks[:, 0])
            self.start[numbers] = blocks[:, 1] + first_row[i]
            self.count[numbers] = blocks[:, 2]
            self.state[numbers] = blocks[:, 3]
            self.listed[numbers] = blocks[:, 4]
        if result.refused_links:
            keep = np.ones(count, bool)
            keep[self.dense(np.array(sorted(result.refused_links), np.int64))] = False
            self.refused = {number: int(self.row[self.one(number)]) for number in result.refused_links}
            self.row, self.start, self.count = self.row[keep], self.start[keep], self.count[keep]
            self.state, self.listed = self.state[keep], self.listed[keep]

    def dense(self, numbers: Column) -> Column:
        root = numbers == ROOT_NUMBER
        walker = np.where(root, 0, numbers >> 40)
        count = numbers & ((1 << 40) - 1)
        return np.where(root, 0, self.first_dir[walker] + count)

    def one(self, number: int) -> int:
        return int(self.first_dir[number >> 40]) + (number & ((1 << 40) - 1))
