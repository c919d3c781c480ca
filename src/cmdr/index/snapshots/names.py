"""The names of a snapshot in their order, with their folded twins, offsets and extensions (as small codes)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import fold, fold_names
from cmdr.index.snapshots.snapshot import SnapshotWriter
from cmdr.index.snapshots.source import RowRuns, Source

MAX_EXTENSION_BYTES = 8
_SAMPLE = 1 << 14
_MAX_EXTENSIONS = 65_000  # codes are two bytes; rarer extensions beyond that share the code of "none"
_DOTS, _LOW_BITS = np.uint64(0x2E2E2E2E2E2E2E2E), np.uint64(0x7F7F7F7F7F7F7F7F)
_STEP = 1 << 23
_MAX_NAME_BYTES = 1 << 16  # a name is far shorter on every file system


def extension(name: bytes) -> bytes:
    """The extension of one file name."""
    low = fold(name)
    dot = low.rfind(b".")
    if dot <= 0 or not 0 < len(low) - dot - 1 <= MAX_EXTENSION_BYTES:
        return b""
    return low[dot + 1 :]


def distinct(values: Column, always: Column) -> tuple[Column, Column]:
    """The sorted different values (`always` among them) and each value's place, quickly when few are different."""
    known = np.union1d(values[:_SAMPLE], always)
    if len(known) == 1 and (values == known[0]).all():
        return known, np.zeros(len(values), np.int64)
    while True:
        place = np.searchsorted(known, values).clip(0, len(known) - 1)
        missed = known[place] != values
        if not missed.any():
            return known, place
        known = np.union1d(known, values[missed])


class Extensions:
    """Collects the extensions of all names of a snapshot, slice by slice."""

    def __init__(self) -> None:
        self.keys: list[Column] = []
        self.unique: Column = np.zeros(1, np.uint64)

    def collect(self, low: bytes, ends: Column) -> None:
        """Read the extensions out of a slice of folded names, each ending with NUL right before its place in `ends`.

        The last eight bytes of a name are looked at as one number, so all names take the same few steps.
        """
        data = np.frombuffer(bytes(MAX_EXTENSION_BYTES) + low, np.uint8)
        words = np.ndarray((len(data) - MAX_EXTENSION_BYTES + 1,), "<u8", data, strides=(1,))
        tail = words[ends - 1]
        # The high bit of every byte that is a dot, and of no other.
        other = tail ^ _DOTS
        dots = (other & _LOW_BITS) + _LOW_BITS
        dots |= other
        dots |= _LOW_BITS
        np.invert(dots, out=dots)
        # The exponent of the number is the place of its highest bit: the last dot, or -1 without any.
        behind = ((dots.astype(np.float64).view(np.int64) >> 52) - 1022) >> 3
        np.maximum(behind, 0, out=behind)
        length = MAX_EXTENSION_BYTES - behind
        starts = np.zeros(len(ends), np.int64)
        starts[1:] = ends[:-1]
        good = (length > 0) & (ends - 2 - length > starts)
        none = np.flatnonzero(good & (behind == 0))
        good[none] = data[ends[none] - 2] == 46  # eight bytes without a dot: it must stand right before them
        shift = (behind << 3).astype(np.uint64)
        key = tail >> np.minimum(shift, np.uint64(63))
        key[~good] = 0
        self.keys.append(key)

    def codes(self, is_file: Column) -> Column:
        """One code per row; only files have an extension."""
        keys = np.concatenate(self.keys)
        keys[~is_file] = 0
        self.keys.clear()
        self.unique, codes = distinct(keys, np.zeros(1, np.uint64))
        if len(self.unique) > _MAX_EXTENSIONS:
            often = np.argsort(-np.bincount(codes), kind="stable")[:_MAX_EXTENSIONS]
            self.unique = np.union1d(self.unique[often], np.zeros(1, np.uint64))
            keys[~np.isin(keys, self.unique)] = 0
            codes = np.searchsorted(self.unique, keys)
        return codes

    def table(self) -> list[str]:
        """The extensions by code, as printable text; code 0 is none."""
        return [int(key).to_bytes(MAX_EXTENSION_BYTES, "little").rstrip(b"\0").hex() for key in self.unique]


@dataclass(frozen=True)
class WrittenNames:
    """What the rest of a snapshot needs of its names."""

    extensions: Extensions
    offsets: Column
    blob: Column

    def name(self, row: int) -> bytes:
        """The name of one row."""
        return bytes(self.blob[int(self.offsets[row]) : int(self.offsets[row + 1]) - 1])


def write_names(source: Source, writer: SnapshotWriter, runs: RowRuns) -> WrittenNames:
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
    return at + _STEP + int(np.argmax(stretch[at + _STEP : at + _STEP + _MAX_NAME_BYTES] == 0)) + 1
