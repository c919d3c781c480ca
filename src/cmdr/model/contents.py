"""What is looked for in the contents of files, and what was found: data alone."""

from dataclasses import dataclass, field

MAX_PATTERN_CHARS = 1000
MAX_LINE_BYTES = 400
"""Of a line that matches, so many bytes around the match are kept."""
MAX_FILE_BYTES = 64 << 20
"""Longer files are not searched, and counted."""


@dataclass(frozen=True, slots=True)
class ContentPattern:
    """A text or a regular expression, looked for line by line."""

    text: str
    is_regex: bool = False
    case: bool = False
    """Whether upper and lower case differ."""


@dataclass(frozen=True, slots=True)
class LineMatch:
    """A line that matches."""

    line: int
    """Its number, from 1."""
    offset: int
    """Where the line begins, in bytes of the file."""
    start: int
    """Where the first match begins, in bytes of `text`."""
    end: int
    text: bytes
    """The line without its end, or the part of it around the match."""


@dataclass(frozen=True, slots=True)
class FileMatches:
    """What one file holds."""

    file: int
    """Which of the files that were asked about."""
    lines: tuple[LineMatch, ...]
    """The first ones."""
    count: int
    """How many lines match in all."""


@dataclass(slots=True)
class SearchCoverage:
    """What a search looked at and what it left out, each counted."""

    files: int = 0
    bytes: int = 0
    binary: int = 0
    too_big: int = 0
    denied: int = 0
    gone: int = 0
    special: int = 0
    """Pipes, devices and what else is no ordinary file."""
    unread: int = 0
    """Left when the time or the room for the answer was over: the answer is partial."""
    reasons: list[str] = field(default_factory=list)

    @property
    def is_partial(self) -> bool:
        return self.unread > 0


def line_part(line: bytes, start: int, end: int) -> tuple[int, int, bytes]:
    """The part of a line that is kept, around the match at these bytes of it: where the match lies in the part, and it."""
    skipped = 0
    if len(line) > MAX_LINE_BYTES and start > MAX_LINE_BYTES // 2:
        skipped = min(start - MAX_LINE_BYTES // 2, len(line) - MAX_LINE_BYTES)
    part = line[skipped : skipped + MAX_LINE_BYTES]
    return start - skipped, min(end - skipped, len(part)), part
