"""Counting what a scan looked at, in the order of the files, so that the same limits always end at the same file."""

import numpy as np

from cmdr.index.contents.scan_job import FileState
from cmdr.index.contents.searching import ScanLimits
from cmdr.index.snapshots.columns import Column
from cmdr.model.contents import SearchCoverage

_LEFT_OUT = {
    FileState.BINARY: "binary",
    FileState.TOO_BIG: "too_big",
    FileState.DENIED: "denied",
    FileState.BROKEN: "denied",
    FileState.GONE: "gone",
    FileState.SPECIAL: "special",
}


class ScanCount:
    """What was counted of `total` files."""

    def __init__(self, coverage: SearchCoverage, limits: ScanLimits, total: int) -> None:
        self._coverage, self._limits, self._total = coverage, limits, total
        self._seen = self._matched = self._bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether that was enough."""
        files, size = self._limits.files, self._limits.total_bytes
        return (files is not None and self._matched >= files) or (size is not None and self._bytes >= size)

    def take(self, records: Column, hits: Column) -> int:
        """Count the next files, up to the first limit; `hits` are those that match. Answers how many hits count."""
        taken, matched = len(records), len(hits)
        if self._limits.total_bytes is not None:
            before = np.cumsum(records["bytes"], dtype=np.int64) - records["bytes"].astype(np.int64)
            taken = int(np.searchsorted(before, self._limits.total_bytes - self._bytes))
        if self._limits.files is not None and self._matched + matched >= self._limits.files:
            matched = max(0, self._limits.files - self._matched)
            last = int(hits[matched - 1]) if matched else -1
            taken = min(taken, int(np.searchsorted(records["file"], last, side="right")))
        if taken < len(records):
            last = int(records["file"][taken - 1]) if taken else -1
            matched = min(matched, int(np.searchsorted(hits, last, side="right")))
        self._add(records[:taken])
        self._matched += matched
        return matched

    def _add(self, records: Column) -> None:
        coverage, states = self._coverage, records["state"]
        is_text = (states == FileState.TEXT) | (states == FileState.EMPTY)
        read = int(records["bytes"].sum())
        self._seen += len(records)
        self._bytes += read
        coverage.bytes += read
        coverage.files += int(is_text.sum())
        for state, file in zip(states[~is_text].tolist(), records["file"][~is_text].tolist(), strict=True):
            coverage.leave_out(file, _LEFT_OUT[FileState(state)])

    def end(self) -> None:
        """What was not counted was not looked at."""
        self._coverage.leave_unread(range(self._seen, self._total))
