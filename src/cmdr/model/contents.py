"""What is looked for in the contents of files, and what was found: data alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from cmdr.model.units import count

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


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line as it is told: one that matches, or one beside it."""

    line: int
    """Its number, from 1."""
    text: str
    """The line without its end, or a part of it; what is no text is replaced."""
    is_match: bool = True
    start: int = 0
    """Where the first match begins, in characters of `text`."""
    end: int = 0
    is_cut: bool = False
    """Whether the line is longer than what is told of it."""


@dataclass(frozen=True, slots=True)
class FileLines:
    """The first lines of a file that match, with lines around them, and how many match in all."""

    path: bytes
    count: int
    lines: tuple[ShownLine, ...]


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
    unknown: list[int] | None = None
    """When a list is given, the files of which it is not known whether they match: too big, denied, gone or unread."""

    @property
    def is_partial(self) -> bool:
        return self.unread > 0

    def add(self, other: "SearchCoverage") -> None:
        """Count what another part of the search looked at."""
        for one in ("files", "bytes", "binary", "too_big", "denied", "gone", "special", "unread"):
            setattr(self, one, getattr(self, one) + getattr(other, one))

    def words(self) -> tuple[str, ...]:
        """What was left out that could have matched; empty when all was read."""
        told = (
            (self.unread, "not read in time"),
            (self.too_big, f"over {MAX_FILE_BYTES >> 20} MiB"),
            (self.denied, "not to be opened"),
        )
        return tuple(f"{count(many, 'file')} {what}" for many, what in told if many)

    def leave_out(self, file: int, why: str) -> None:
        """Count a file that was not searched; `why` is one of the fields."""
        setattr(self, why, getattr(self, why) + 1)
        if self.unknown is not None and why in ("too_big", "denied", "gone"):
            self.unknown.append(file)

    def leave_unread(self, files: Sequence[int]) -> None:
        """Count the files for which there was no time or room."""
        self.unread += len(files)
        if self.unknown is not None:
            self.unknown += files


def line_part(line: bytes, start: int, end: int) -> tuple[int, int, bytes]:
    """Of a line with a match at these bytes: where the match lies in the part that is kept, and that part."""
    skipped = 0
    if len(line) > MAX_LINE_BYTES and start > MAX_LINE_BYTES // 2:
        skipped = min(start - MAX_LINE_BYTES // 2, len(line) - MAX_LINE_BYTES)
    part = line[skipped : skipped + MAX_LINE_BYTES]
    return start - skipped, min(end - skipped, len(part)), part
