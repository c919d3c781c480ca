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

from cmdr.index.contents.compiled_scanner import CompiledScanner
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.searching import ContentIndex, FileScanner, Opener, ScanLimits
from cmdr.index.query.predicates import member
from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.contents import SearchCoverage
from cmdr.model.filters.filter import And, Content, Filter, Not, Or, content_leaves
from cmdr.model.filters.filter_text import to_text
from cmdr.model.units import count

LIVE_SECONDS = 2.0
LIVE_BYTES = 1 << 30
LIVE_FILES = 200_000
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
        again = self._further_names(likely)
        chosen = likely[~np.isin(likely, list(again))] if again else likely
        most = len(chosen) if self.reading.files is None else max(0, min(len(chosen), self.reading.files - self._read))
        coverage = SearchCoverage(unknown=[])
        found = chosen[self._matching(leaf, FileList.of_rows(self.view, chosen[:most]), chosen, coverage, told)]
        coverage.leave_unread(range(most, len(chosen)))
        unknown = chosen[np.array(coverage.unknown, np.int64)]
        self._read += (read := len(chosen) - coverage.unread)
        self.hits.coverage.add(coverage)
        what = "that may match, by the index of contents" if self.index is not None else "left by the rest"
        self.steps.append(f"{to_text(leaf)}: {count(read, 'file')} read of {len(likely):,} {what}")
        return _with_names(found, again), _with_names(unknown, again)

    def _matching(
        self, leaf: Content, files: FileList, rows: Column, coverage: SearchCoverage, told: bool
    ) -> Column | list[int]:
        """Which of these files match; where it is told, how many lines of each do is noted."""
        scanner, limits, opener = self.reading.scanner, self._limits(), self.reading.opener
        if not told and isinstance(scanner, CompiledScanner):
            return scanner.matching(files, leaf.pattern, limits, coverage, self.stop, opener)
        numbers: list[int] = []
        for one in scanner.scan(files, leaf.pattern, limits, coverage, self.stop, opener):
            numbers.append(one.file)
            if told:
                row = int(rows[one.file])
                self.hits.counts[row] = self.hits.counts.get(row, 0) + one.count
        return numbers

    def _limits(self) -> ScanLimits:
        reading = self.reading
        seconds = None if self._until is None else max(0.0, self._until - time.monotonic())
        left = None if reading.total_bytes is None else max(0, reading.total_bytes - self.hits.coverage.bytes)
        return ScanLimits(lines_per_file=0, seconds=seconds, total_bytes=left)

    def _further_names(self, rows: Column) -> dict[int, int]:
        """Rows that are further names of a file, with the row by which it is read; the disk itself is asked."""
        several = rows[(self.view.gather("flags", rows) & _HARD) != 0]
        names: dict[tuple[int, int], int] = {}
        found: dict[int, int] = {}
        for row, path in zip(several.tolist(), self.view.paths(several), strict=True):
            try:
                seen = os.lstat(path)
            except OSError:
                continue
            first_name = names.setdefault((seen.st_dev, seen.st_ino), row)
            if first_name != row:
                found[row] = first_name
        return found


def _with_names(rows: Column, further: dict[int, int]) -> Column:
    """Rows, and those that are further names of the same files, ascending."""
    if not further:
        return rows
    known = set(rows.tolist())
    return np.union1d(rows, np.array([row for row, first in further.items() if first in known], np.int64))


def _parts(known: _Known) -> tuple[Column, Column, Column]:
    return known.asked, known.matched, known.unknown


def _is_about_contents(node: Filter) -> bool:
    return bool(content_leaves(node))
