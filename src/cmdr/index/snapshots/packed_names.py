"""Names that somebody took out of the many: still one blob, so that a million of them are no million objects."""

from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import Column

_STEP = 1 << 15  # names that are taken at once: their places fit into the processor's cache


@dataclass(frozen=True, eq=False)
class PackedNames:
    """Names in an order of their own, each ended by NUL; name `n` begins at `offsets[n]`."""

    blob: Column
    offsets: Column

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, at: int) -> bytes:
        return self.blob[self.offsets[at] : self.offsets[at + 1] - 1].tobytes()

    def tolist(self) -> list[bytes]:
        """Every name by itself."""
        return self.blob.tobytes().split(b"\0")[:-1]


def packed(joined: bytes | memoryview) -> PackedNames:
    """Names that end with NUL."""
    blob = np.frombuffer(joined, np.uint8)
    return PackedNames(blob, np.concatenate([np.zeros(1, np.int64), np.flatnonzero(blob == 0) + 1]))


def take_names(blob: Column, offsets: Column, rows: Column) -> PackedNames:
    """The names of some rows."""
    starts = offsets.take(rows).astype(np.int64)
    lengths = offsets.take(rows + 1).astype(np.int64)
    lengths -= starts
    ends = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    out = np.empty(int(ends[-1]), np.uint8)
    for first in range(0, len(rows), _STEP):
        some = slice(first, first + _STEP)
        begin, end = int(ends[first]), int(ends[min(first + _STEP, len(rows))])
        start, total = int(starts[first]), int(rows[some][-1] - rows[first]) + 1
        if total == len(rows[some]) and bool((np.diff(rows[some]) == 1).all()):  # neighbours: one piece
            out[begin:end] = blob[start : start + end - begin]
            continue
        places = np.repeat(starts[some] - ends[:-1][some], lengths[some])
        places += np.arange(begin, end)
        blob.take(places, out=out[begin:end], mode="clip")  # which is never needed, and spares a copy
    return PackedNames(out, ends)


def joined_names(one: PackedNames, other: PackedNames) -> PackedNames:
    """The names of both, one after the other."""
    offsets = np.concatenate([one.offsets, other.offsets[1:] + one.offsets[-1]])
    return PackedNames(np.concatenate([one.blob, other.blob]), offsets)
