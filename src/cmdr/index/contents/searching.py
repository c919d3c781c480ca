"""What a search of contents needs: something that reads files, and something that knows which files can match."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.contents import ContentPattern, FileMatches, SearchCoverage

Opener = Callable[[bytes], int]
"""Opens a file by its path for a caller that may not read everything: a descriptor, or an OSError that says why not."""


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """When to stop looking."""

    lines_per_file: int = 20
    """Lines kept of each file; the others are only counted."""
    count_lines: bool = True
    """Whether all lines of a file are counted, or reading it ends with the first match."""
    files: int | None = None
    """End after so many files that match."""
    seconds: float | None = None
    total_bytes: int | None = None


class FileScanner(Protocol):
    """Reads files and finds lines; in C where it can be, in Python elsewhere, with the same answers."""

    def scan(
        self,
        paths: Sequence[bytes],
        pattern: ContentPattern,
        limits: ScanLimits,
        coverage: SearchCoverage,
        stop: Callable[[], bool],
        opener: Opener | None = None,
    ) -> Iterator[FileMatches]:
        """The files that match, in the order of `paths`, `file` being the place in it; what is left out is counted.

        Without an `opener` a path is opened as it is, a link at its end not followed; only regular files are read.
        """


class ContentIndex(Protocol):
    """The index of contents of one tree."""

    def candidates(self, view: View, pattern: ContentPattern, rows: Column) -> Column:
        """Of these rows of the view those that may match; a file that changed since it was indexed always may."""
