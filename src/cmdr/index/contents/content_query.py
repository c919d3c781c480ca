"""Questions about contents over the rows of a view: asked last, of the rows that nothing else has decided.

The other conditions have narrowed the rows before; the index of contents, where there is one, says which of them can
match at all; then the files themselves are read. What could not be read satisfies neither a question nor its
opposite.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cmdr.index.contents.searching import ContentIndex, FileScanner, Opener, ScanLimits
from cmdr.index.query.predicates import member
from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.contents import SearchCoverage
from cmdr.model.filters.filter import And, Content, Filter, Not, Or, content_leaves
from cmdr.model.filters.filter_text import to_text

LIVE_SECONDS = 2.0
LIVE_BYTES = 1 << 30
LIVE_FILES = 200_000
_STEP = 4096  # files whose paths are put together at once
_NONE = np.empty(0, np.int64)
_HARD = np.uint8(Flag.HARD)


@dataclass(frozen=True)
class ContentReading:
    """How one caller's questions read files: what reads, what opens, and when it is enough."""

    scanner: FileScanner
    opener: Opener | None = None
    seconds: float | None = LIVE_SECONDS
    total_bytes: int | None = LIVE_BYTES
    files: int | None = LIVE_FILES


@dataclass(eq=False)
class ContentHits:
    """Where contents matched, and what was left out."""

    counts: dict[int, int] = field(default_factory=dict)
    """By row, how many lines match; a further name of the same file has none."""
    coverage: SearchCoverage = field(default_factory=SearchCoverage)
    is_indexed: bool = False
    """Whether an index of contents said what to read."""

    def line_count(self, rows: Column) -> int:
        """How many lines match in these rows."""
        return sum(self.counts.get(row, 0) for row in rows.tolist())


@dataclass(frozen=True, eq=False)
class _Known:
    """What is known of one question: the rows it was asked of, ascending, and what became of them."""

    asked: Column = field(default_factory=lambda: _NONE)
    matched: Column = field(default_factory=lambda: _NONE)
    unknown: Column = field(default_factory=lambda: _NONE)


@dataclass(eq=False)
class _Search:
    """One question that is being asked."""

    leaf: Content
    told: bool
    matched: set[int] = field(default_factory=set)
    unknown: set[int] = field(default_factory=set)
    names: dict[tuple[int, int], int] = field(default_factory=dict)
    """Files with several names, and the row by which each is read."""


class ContentQuestions:
    """The questions about contents of one evaluation; `plain` answers what is not about contents."""

    def __init__(
        self,
        view: View,
        reading: ContentReading,
        index: ContentIndex | None,
        plain: Callable[[Filter, Column], Column],
        stop: Callable[[], bool],
    ) -> None:
        self.view, self.reading, self.index, self.plain, self.stop = view, reading, index, plain, stop
        self.hits = ContentHits(is_indexed=index is not None)
        self.steps: list[str] = []
        self._until = None if reading.seconds is None else time.monotonic() + reading.seconds
        self._read = 0
        self._known: dict[Content, _Known] = {}

    def holds(self, node: Filter, rows: Column) -> Column:
        """Which of these rows satisfy a filter in its normal form; what is not about contents is asked first."""
        if not content_leaves(node):
            return self.plain(node, rows)
        match node:
            case And(items):
                out = np.ones(len(rows), bool)
                for item in sorted(items, key=_is_about_contents):
                    left = np.flatnonzero(out)
                    out[left] = self.holds(item, rows[left])
                return out
            case Or(items):
                out = np.zeros(len(rows), bool)
                for item in sorted(items, key=_is_about_contents):
                    left = np.flatnonzero(~out)
                    out[left] = self.holds(item, rows[left])
                return out
            case Content():
                return member(rows, self._ask(node, rows, True).matched)
            case Not(Content() as leaf):
                known = self._ask(leaf, rows, False)
                is_out = member(rows, known.matched) | member(rows, known.unknown)
                return self._are_files(rows) & ~is_out
        raise TypeError(node)

    def _are_files(self, rows: Column) -> Column:
        return np.asarray((self.view.gather("mode", rows) >> 12) == FORMAT_FILE)

    def _ask(self, leaf: Content, rows: Column, told: bool) -> _Known:
        """What is known of a question once it was asked of these rows too; `told` says that its lines count."""
        known = self._known.get(leaf, _Known())
        files = rows[self._are_files(rows)]
        new = files[~member(files, known.asked)]
        if len(new):
            matched, unknown = self._search(leaf, new, told)
            known = _Known(*(np.union1d(*both) for both in zip(_parts(known), (new, matched, unknown), strict=True)))
            self._known[leaf] = known
        return known

    def _search(self, leaf: Content, rows: Column, told: bool) -> tuple[Column, Column]:
        """Read what may match: the rows that do, and those that could not be read."""
        likely = rows if self.index is None else self.index.candidates(self.view, leaf.pattern, rows)
        search = _Search(leaf, told)
        read_before = self._read
        for first in range(0, len(likely), _STEP):
            some = likely[first : first + _STEP]
            self._read_some(search, some)
            if self.hits.coverage.is_partial:
                rest = likely[first + len(some) :]
                self.hits.coverage.leave_unread(range(len(rest)))
                search.unknown.update(rest.tolist())
                break
        what = "that may match, by the index of contents" if self.index is not None else "left by the rest"
        self.steps.append(f"{to_text(leaf)}: {self._read - read_before:,} files read of {len(likely):,} {what}")
        return np.array(sorted(search.matched), np.int64), np.array(sorted(search.unknown), np.int64)

    def _read_some(self, search: "_Search", rows: Column) -> None:
        paths, numbers = self.view.paths(rows), rows.tolist()
        again = self._further_names(search, rows, paths)
        chosen = [at for at in range(len(numbers)) if numbers[at] not in again]
        asked = [paths[at] for at in chosen]
        most = len(asked) if self.reading.files is None else min(len(asked), max(0, self.reading.files - self._read))
        coverage = SearchCoverage(unknown=[])
        scanner, pattern = self.reading.scanner, search.leaf.pattern
        for one in scanner.scan(asked[:most], pattern, self._limits(), coverage, self.stop, self.reading.opener):
            row = numbers[chosen[one.file]]
            search.matched.add(row)
            if search.told:
                self.hits.counts[row] = self.hits.counts.get(row, 0) + one.count
        coverage.leave_unread(range(most, len(asked)))
        self._read += len(asked) - coverage.unread
        search.unknown.update(numbers[chosen[at]] for at in coverage.unknown or ())
        for row, first_name in again.items():
            for known in (search.matched, search.unknown):
                known.update((row,) if first_name in known else ())
        self.hits.coverage.add(coverage)

    def _limits(self) -> ScanLimits:
        reading = self.reading
        seconds = None if self._until is None else max(0.0, self._until - time.monotonic())
        left = None if reading.total_bytes is None else max(0, reading.total_bytes - self.hits.coverage.bytes)
        return ScanLimits(lines_per_file=0, seconds=seconds, total_bytes=left)

    def _further_names(self, search: "_Search", rows: Column, paths: list[bytes]) -> dict[int, int]:
        """Rows that are further names of a file, with the row by which it is read; the disk itself is asked."""
        flags = self.view.gather("flags", rows)
        found: dict[int, int] = {}
        for at in np.flatnonzero((flags & _HARD) != 0).tolist():
            try:
                seen = os.lstat(paths[at])
            except OSError:
                continue
            row = int(rows[at])
            first_name = search.names.setdefault((seen.st_dev, seen.st_ino), row)
            if first_name != row:
                found[row] = first_name
        return found


def _parts(known: _Known) -> tuple[Column, Column, Column]:
    return known.asked, known.matched, known.unknown


def _is_about_contents(node: Filter) -> bool:
    return bool(content_leaves(node))
