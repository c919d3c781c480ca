"""The names of an epoch in their order, with their folded twins, offsets and extensions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.epoch import EpochWriter
from cmdr.index.snapshots.extensions import Extensions
from cmdr.index.snapshots.folding import fold_names
from cmdr.index.snapshots.runs import Runs
from cmdr.index.snapshots.source import Source

_STEP = 1 << 23
_LONGEST = 1 << 16  # a name is far shorter on every file system


@dataclass(frozen=True)
class WrittenNames:
    """What the rest of an epoch needs of its names."""

    extensions: Extensions
    offsets: Column
    blob: Column

    def name(self, row: int) -> bytes:
        """The name of one row."""
        return bytes(self.blob[int(self.offsets[row]) : int(self.offsets[row + 1]) - 1])


def write_names(source: Source, writer: EpochWriter, runs: Runs) -> WrittenNames:
    """Write the names blob and its folded twin with their offsets; collects extensions on the way."""
    names, folded = writer.stream("names"), writer.stream("folded")
    ends: list[Column] = [np.zeros(1, np.uint32)]
    folded_ends: list[Column] = [np.zeros(1, np.uint32)]
    extensions = Extensions()
    same = True
    for piece in _steps(source.names(runs)):
        here = np.flatnonzero(np.frombuffer(piece, np.uint8) == 0) + 1
        low, low_here = fold_names(piece, here)
        extensions.collect(low, low_here)
        ends.append(_narrow(here + names.size))
        same = same and low_here is here
        folded_ends.append(ends[-1] if same else _narrow(low_here + folded.size))
        names.write(piece)
        folded.write(low)
    for stream in (names, folded):
        stream.close()
    offsets = np.concatenate(ends)
    writer.put("noff", offsets, offsets.dtype.str)
    if not same:
        other = np.concatenate(folded_ends)
        writer.put("foff", other, other.dtype.str)
    return WrittenNames(extensions, offsets, writer.written("names"))


def _narrow(places: Column) -> Column:
    return places.astype(np.uint32) if int(places[-1]) < 1 << 32 else places


def _steps(stretches: Iterator[Column]) -> Iterator[bytes]:
    """The names some megabytes at a time, always whole ones."""
    waiting: list[memoryview] = []
    size = 0
    for stretch in stretches:
        at = 0
        while at < len(stretch):
            cut = _cut(stretch, at)
            waiting.append(stretch[at:cut].data)
            size += cut - at
            at = cut
            if size >= _STEP:
                yield b"".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _cut(stretch: Column, at: int) -> int:
    """The end of some whole names that are not much longer than a step."""
    if len(stretch) - at <= 2 * _STEP:
        return len(stretch)
    return at + _STEP + int(np.argmax(stretch[at + _STEP : at + _STEP + _LONGEST] == 0)) + 1
