"""Many names in one blob of bytes, each ended by NUL, and the quick way from a place in the blob to its row.

Where names begin is kept as bits, one for each byte of the blob, with a count for every 64 of them: an eighth and a
sixteenth of the names in memory, made by the first search that finds much.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmdr.index.snapshots.columns import Column

_STEP = 1 << 18
_WORD, _ALL = np.int64(6), np.int64(63)


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
        is_start = np.zeros(_STEP, bool)
        is_start[0] = True
        for first in range(0, size, _STEP):
            last = min(first + _STEP, size)
            if first:
                np.equal(self.blob[first - 1 : last - 1], 0, out=is_start[: last - first])
            else:
                np.equal(self.blob[: last - 1], 0, out=is_start[1:last])
            bits = np.packbits(is_start[: last - first], bitorder="little")
            packed[first // 8 : first // 8 + len(bits)] = bits
        before = np.zeros(len(words), np.uint32 if len(self.offsets) < 1 << 32 else np.uint64)
        np.cumsum(np.bitwise_count(words[:-1]), dtype=before.dtype, out=before[1:])
        return NameStarts(words, before)
