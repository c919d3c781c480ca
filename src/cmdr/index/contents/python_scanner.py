"""The scan of files in Python: for machines without the compiled one, with the same answers."""

import time
from collections.abc import Callable, Iterator, Sequence

from cmdr.index.contents.line_matching import LineMatcher, line_matcher
from cmdr.index.contents.searching import Opener, ScanLimits
from cmdr.index.contents.text_file import LeftOut, read_text
from cmdr.index.errors import Cancelled
from cmdr.model.contents import ContentPattern, FileMatches, LineMatch, SearchCoverage, line_part

_LINES_AT_ONCE = 1 << 12  # between two looks at the clock


class PythonScanner:
    """Reads one file after the other."""

    def scan(
        self,
        paths: Sequence[bytes],
        pattern: ContentPattern,
        limits: ScanLimits,
        coverage: SearchCoverage,
        stop: Callable[[], bool],
        opener: Opener | None = None,
    ) -> Iterator[FileMatches]:
        """The files that match, in the order of `paths`; raises BadPattern, and Cancelled when stopped."""
        matcher = line_matcher(pattern)
        clock = _Clock(limits, stop)
        found = read_bytes = 0
        for number, path in enumerate(paths):
            over = clock.over or (limits.total_bytes is not None and read_bytes >= limits.total_bytes)
            if over or (limits.files is not None and found >= limits.files):
                coverage.leave_unread(range(number, len(paths)))
                return
            text = read_text(path, opener)
            if isinstance(text, LeftOut):
                coverage.leave_out(number, text.value)
                continue
            read_bytes += len(text)
            matches = _search(number, text, matcher, limits, clock)
            if matches is None:
                coverage.leave_unread(range(number, len(paths)))
                return
            coverage.files += 1
            coverage.bytes += len(text)
            if matches.count:
                found += 1
                yield matches


class _Clock:
    def __init__(self, limits: ScanLimits, stop: Callable[[], bool]) -> None:
        self.until = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.stop = stop

    @property
    def over(self) -> bool:
        if self.stop():
            raise Cancelled("The search was stopped.")
        return self.until is not None and time.monotonic() >= self.until


def _search(number: int, text: bytes, matcher: LineMatcher, limits: ScanLimits, clock: _Clock) -> FileMatches | None:
    """What one text holds; None when the time was over before its end."""
    kept: list[LineMatch] = []
    count, line, counted = 0, 1, 0
    for place in matcher.lines(text):
        if place is None or not count % _LINES_AT_ONCE:
            if clock.over:
                return None
            if place is None:
                continue
        count += 1
        if len(kept) < limits.lines_per_file:
            begin, end, start, stop = place
            line += text.count(b"\n", counted, begin)
            counted = begin
            kept.append(LineMatch(line, begin, *line_part(text[begin:end], start, stop)))
        if not limits.count_lines:
            break
    return FileMatches(number, tuple(kept), count)
