"""The scanner whose work is done in C; regular expressions are decided by polars' engine, which is linear."""

import ctypes
import errno
import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.regex_lines import RegexLines
from cmdr.index.contents.scan_count import ScanCount
from cmdr.index.contents.scan_job import Chunk, FileState, JobOptions, Mode, run_job
from cmdr.index.contents.searching import Opener, ScanLimits
from cmdr.index.contents.spellings import exact_needle, folded_needle
from cmdr.index.errors import Cancelled
from cmdr.index.query.regexes import check_regex
from cmdr.index.snapshots.columns import Column
from cmdr.model.contents import ContentPattern, FileMatches, LineMatch, SearchCoverage

_MAX_THREADS = 8
_FEW = 64  # files for which a second thread is not worth it
_OPENED_AT_ONCE = 64  # files that somebody else opens
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")
_STATES = {
    errno.EACCES: FileState.DENIED,
    errno.EPERM: FileState.DENIED,
    errno.ELOOP: FileState.SPECIAL,
    errno.ENXIO: FileState.SPECIAL,
}
Found = Generator[tuple[Column, list[FileMatches]], None, None]
Numbers = Generator[tuple[Column, Column], None, None]


class CompiledScanner:
    """Reads files and finds lines, with the threads of the compiled library."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def scan(
        self,
        paths: Sequence[bytes],
        pattern: ContentPattern,
        limits: ScanLimits,
        coverage: SearchCoverage,
        stop: Callable[[], bool],
        opener: Opener | None = None,
    ) -> Iterator[FileMatches]:
        """The files that match, in the order of `paths`, a `FileList` being the quickest; raises BadPattern, and
        Cancelled when stopped."""
        pattern = _checked(pattern)
        clock = _Clock(limits, stop)
        count = ScanCount(coverage, limits, len(paths))
        for first, files in _portions(paths, opener, count, clock):
            with closing(self._found(files, pattern, limits, clock)) as found:
                for records, matches in found:
                    records["file"] += first
                    taken = count.take(records, np.array([one.file for one in matches], np.int64) + first)
                    yield from (
                        matches[:taken] if not first else (replace(o, file=o.file + first) for o in matches[:taken])
                    )
                    if count.is_over:
                        break
        count.end()

    def matching(
        self,
        paths: Sequence[bytes],
        pattern: ContentPattern,
        limits: ScanLimits,
        coverage: SearchCoverage,
        stop: Callable[[], bool],
        opener: Opener | None = None,
    ) -> Column:
        """Which of the files match, ascending: the quickest where their lines are not wanted."""
        pattern = _checked(pattern)
        clock = _Clock(limits, stop)
        count = ScanCount(coverage, limits, len(paths))
        kept = [np.empty(0, np.int64)]
        for first, files in _portions(paths, opener, count, clock):
            with closing(self._numbers(files, pattern, clock)) as found:
                for records, numbers in found:
                    records["file"] += first
                    hits = numbers + first
                    kept.append(hits[: count.take(records, hits)])
                    if count.is_over:
                        break
        count.end()
        return np.concatenate(kept)

    def _found(self, files: FileList, pattern: ContentPattern, limits: ScanLimits, clock: "_Clock") -> Found:
        """File records chunk by chunk, each with what matches among them."""
        if pattern.is_regex:
            lines = RegexLines(self._library, pattern, limits.lines_per_file, limits.count_lines)
            yield from lines.matches(files, _threads(files), clock.go_on)
            return
        options = JobOptions(Mode.LINES, limits.lines_per_file, limits.count_lines, _threads(files))
        with closing(run_job(self._library, files, [_needle(pattern)], options, clock.go_on)) as jobs:
            for chunk in jobs:
                records, matches = chunk.files.copy(), _matches(chunk)
                chunk.free()
                yield records, matches

    def _numbers(self, files: FileList, pattern: ContentPattern, clock: "_Clock") -> Numbers:
        """File records chunk by chunk, each with the numbers of those that match."""
        if pattern.is_regex:
            yield from RegexLines(self._library, pattern).files(files, _threads(files), clock.go_on)
            return
        options = JobOptions(Mode.LINES, 0, False, _threads(files))
        with closing(run_job(self._library, files, [_needle(pattern)], options, clock.go_on)) as jobs:
            for chunk in jobs:
                records = chunk.files.copy()
                chunk.free()
                yield records, records["file"][records["count"] > 0].astype(np.int64)


def _checked(pattern: ContentPattern) -> ContentPattern:
    """The same pattern, in a form that can be looked for; raises BadPattern."""
    if pattern.is_regex:
        check_regex(pattern.text)
    elif not pattern.text or "\n" in pattern.text:  # the engine knows what that means, line by line
        return replace(pattern, text=_SPECIAL.sub(r"\\\g<0>", pattern.text), is_regex=True)
    return pattern


def _needle(pattern: ContentPattern) -> bytes:
    return (
        exact_needle(pattern.text.encode("utf-8", "surrogateescape")) if pattern.case else folded_needle(pattern.text)
    )


def _threads(files: FileList) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if len(files) < _FEW else min(cores, _MAX_THREADS)


def _portions(
    paths: Sequence[bytes], opener: Opener | None, count: ScanCount, clock: "_Clock"
) -> Iterator[tuple[int, FileList]]:
    """Lists of files with the number of their first, until there was enough; all at once where nobody opens them."""
    if opener is None:
        if len(paths) and not count.is_over:
            yield 0, FileList.of_paths(paths)
        return
    for first in range(0, len(paths), _OPENED_AT_ONCE):
        if count.is_over or not clock.go_on():
            return
        some = paths[first : first + _OPENED_AT_ONCE]
        opened = np.array([_opened(path, opener) for path in some], np.int32)
        yield first, replace(FileList.of_paths(some), descriptors=opened)


def _opened(path: bytes, opener: Opener) -> int:
    try:
        return opener(path)
    except OSError as trouble:
        return -1 - _STATES.get(trouble.errno or 0, FileState.GONE)


def _matches(chunk: Chunk) -> list[FileMatches]:
    found = []
    text = chunk.text.tobytes()
    lines = chunk.lines.tolist()
    for _, count, file, _, first, kept in chunk.files[chunk.files["count"] > 0].tolist():
        some = [
            LineMatch(line, offset, start, end, text[at : at + length])
            for offset, at, line, length, start, end, _, _ in lines[first : first + kept]
        ]
        found.append(FileMatches(file, tuple(some), count))
    return found


@dataclass
class _Clock:
    """Says when a search is over: by its time, or because somebody stopped it."""

    limits: ScanLimits
    stop: Callable[[], bool]

    def __post_init__(self) -> None:
        seconds = self.limits.seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    def go_on(self) -> bool:
        if self.stop():
            raise Cancelled("The search was stopped.")
        return self._until is None or time.monotonic() < self._until
