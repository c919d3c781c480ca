"""Many names in one blob of bytes, each ended by NUL: searched, taken out, and folded all together.

Where names begin is kept as bits, one for each byte of the blob, with a count for every 64 of them: an eighth and a
sixteenth of the names in memory, made by the first search that finds much.

Folding is Unicode case folding in composed form, so `É`, `é` and a decomposed `é` are one; bytes that are not UTF-8
stay as they are. A folded name may be longer or shorter than the name, so folded blobs have offsets of their own.
"""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.snapshots.columns import Column

_BYTES_PER_STEP = 1 << 18
_WORD, _ALL = np.int64(6), np.int64(63)
_NAMES_PER_STEP = 1 << 15  # names that are taken at once: their places fit into the processor's cache


@dataclass(eq=False)
class NameStarts:
    """One bit for each place in a blob, set where a name begins, and one behind the last."""

    words: Column  # 64 places each, the first in the lowest bit
    before: Column  # how many names begin before each word

    def rows_at(self, places: Column) -> Column:
        """The rows whose names hold these places."""
        at = places >> _WORD
        behind = np.bitwise_and(~places, _ALL).view(np.uint64)
        here = np.bitwise_count(self.words.take(at) << behind)  # what begins behind the place is shifted out
        rows = self.before.take(at).astype(np.int64)
        rows += here
        rows -= 1
        return rows


@dataclass(eq=False)
class NameBlob:
    """The names of some rows; row `n` has the bytes from `offsets[n]` up to the NUL before `offsets[n + 1]`."""

    blob: Column
    offsets: Column

    @cached_property
    def starts(self) -> NameStarts:
        """Where the names begin, by bit."""
        size = len(self.blob) + 1
        words = np.zeros(-(-size // 64), "<u8")
        packed = words.view(np.uint8)
        is_start = np.zeros(_BYTES_PER_STEP, bool)
        is_start[0] = True
        for first in range(0, size, _BYTES_PER_STEP):
            last = min(first + _BYTES_PER_STEP, size)
            if first:
                np.equal(self.blob[first - 1 : last - 1], 0, out=is_start[: last - first])
            else:
                np.equal(self.blob[: last - 1], 0, out=is_start[1:last])
            bits = np.packbits(is_start[: last - first], bitorder="little")
            packed[first // 8 : first // 8 + len(bits)] = bits
        before = np.zeros(len(words), np.uint32 if len(self.offsets) < 1 << 32 else np.uint64)
        np.cumsum(np.bitwise_count(words[:-1]), dtype=before.dtype, out=before[1:])
        return NameStarts(words, before)


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
    for first in range(0, len(rows), _NAMES_PER_STEP):
        some = slice(first, first + _NAMES_PER_STEP)
        begin, end = int(ends[first]), int(ends[min(first + _NAMES_PER_STEP, len(rows))])
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


def fold(name: bytes) -> bytes:
    """The comparable form of a name, or of many names separated by NUL."""
    if name.isascii():
        return name.lower()
    text = unicodedata.normalize("NFC", name.decode("utf-8", "surrogateescape")).casefold()
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")


def fold_names(names: bytes, ends: Column) -> tuple[bytes, Column]:
    """Fold many names that end with NUL at `ends`; answers the folded names and their ends."""
    if names.isascii():
        return names.lower(), ends
    beyond = np.flatnonzero(np.frombuffer(names, np.uint8) >= 128)
    rows = np.unique(np.searchsorted(ends, beyond, side="right"))
    spans = list(zip(np.where(rows > 0, ends[rows - 1], 0).tolist(), (ends[rows] - 1).tolist(), strict=True))
    beyond_ascii = fold(b"\0".join([names[start:end] for start, end in spans])).split(b"\0")
    low = bytearray(names.lower())
    changed: list[tuple[int, int, bytes]] = []  # where the folded name has another length
    for (start, end), folded in zip(spans, beyond_ascii, strict=True):
        if len(folded) == end - start:
            low[start:end] = folded
        else:
            changed.append((start, end, folded))
    if not changed:
        return bytes(low), ends
    pieces: list[bytes] = []
    done = 0
    for start, end, folded in changed:
        pieces += (bytes(low[done:start]), folded)
        done = end
    pieces.append(bytes(low[done:]))
    whole = b"".join(pieces)
    return whole, np.flatnonzero(np.frombuffer(whole, np.uint8) == 0) + 1
