"""File extensions as small codes: the folded text after the last dot of a file's name.

A leading dot does not start an extension (`.bashrc` has none), and more than eight bytes are not one either.
"""

import numpy as np

from cmdr.index.columns import Column
from cmdr.index.folding import fold

LONGEST = 8
_SAMPLE = 1 << 14
_MOST = 65_000  # codes are two bytes; rarer extensions beyond that share the code of "none"


def extension(name: bytes) -> bytes:
    """The extension of one file name."""
    low = fold(name)
    dot = low.rfind(b".")
    if dot <= 0 or not 0 < len(low) - dot - 1 <= LONGEST:
        return b""
    return low[dot + 1 :]


def distinct(values: Column, always: Column) -> tuple[Column, Column]:
    """The sorted different values (`always` among them) and each value's place, quickly when few are different."""
    known = np.union1d(values[:_SAMPLE], always)
    while True:
        place = np.searchsorted(known, values).clip(0, len(known) - 1)
        missed = known[place] != values
        if not missed.any():
            return known, place
        known = np.union1d(known, values[missed])


class Extensions:
    """Collects the extensions of all names of an epoch, slice by slice."""

    def __init__(self) -> None:
        self.keys: list[Column] = []
        self.names: list[tuple[int, bytes, Column]] = []
        self.rows = 0
        self.unique: Column = np.zeros(1, np.uint64)

    def collect(self, piece: bytes, ends: Column, low: bytes, low_ends: Column) -> None:
        """Read the extensions out of a slice of folded names; up to eight bytes fit one number."""
        count = len(low_ends)
        data = np.frombuffer(low + bytes(LONGEST), np.uint8)
        starts = np.concatenate([[0], low_ends[:-1]])
        dots = np.flatnonzero(data[: len(low)] == 46)
        last = np.full(count, -1, np.int64)
        last[np.searchsorted(low_ends, dots, side="right")] = dots  # later dots overwrite earlier ones
        length = low_ends - 2 - last
        good = np.flatnonzero((last > starts) & (length > 0) & (length <= LONGEST))
        key = np.zeros(count, np.uint64)
        words = np.ndarray((len(data) - LONGEST + 1,), "<u8", data, strides=(1,))
        shift = (np.uint64(64) - (length[good] * 8).astype(np.uint64)).astype(np.uint64)
        key[good] = (words[last[good] + 1] << shift) >> shift
        self.keys.append(key)
        self.names.append((self.rows, piece, ends))
        self.rows += count

    def codes(self, is_file: Column) -> Column:
        """One code per row; only files have an extension."""
        keys = np.concatenate(self.keys)
        keys[~is_file] = 0
        self.keys.clear()
        self.unique, codes = distinct(keys, np.zeros(1, np.uint64))
        if len(self.unique) > _MOST:
            often = np.argsort(-np.bincount(codes), kind="stable")[:_MOST]
            self.unique = np.union1d(self.unique[often], np.zeros(1, np.uint64))
            keys[~np.isin(keys, self.unique)] = 0
            codes = np.searchsorted(self.unique, keys)
        return codes

    def table(self) -> list[str]:
        """The extensions by code, as printable text; code 0 is none."""
        return [int(key).to_bytes(LONGEST, "little").rstrip(b"\0").hex() for key in self.unique]

    def name(self, row: int) -> bytes:
        """The name of a row of the epoch being built."""
        low, high = 0, len(self.names)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.names[middle][0] <= row else (low, middle)
        first, piece, ends = self.names[low]
        at = row - first
        return piece[int(ends[at - 1]) if at else 0 : int(ends[at]) - 1]
