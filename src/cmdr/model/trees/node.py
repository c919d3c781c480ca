"""One entry of an index as answers carry it. What is not known is None, never 0."""

from enum import IntEnum
from typing import NamedTuple

from cmdr.model.names import to_wire
from cmdr.model.shell_session import Units
from cmdr.model.units import count, size_text
from cmdr.model.yaml_text import quoted_name

_HANDLE_START = len("n_00000000")
"""Characters of a node's id that are the same for all nodes of an index."""
_LETTER = {"file": "f", "dir": "d", "link": "l", "fifo": "p", "socket": "s", "char": "c", "block": "b"}


class DirState(IntEnum):
    """How the listing of a directory ended; the numbers stand in the index's columns."""

    LISTED = 0
    DENIED = 1
    UNLISTED = 2  # beyond the depth limit
    OTHER_SYSTEM = 3
    CANCELLED = 4
    VANISHED = 5
    FAILED = 6


LISTED = (DirState.LISTED, DirState.CANCELLED)
"""Folders of which at least a part was read."""
INCOMPLETE = frozenset({DirState.DENIED, DirState.UNLISTED, DirState.CANCELLED, DirState.FAILED})
"""States in which the totals above are only lower bounds."""


class Totals(NamedTuple):  # one for each folder that is listed, and a tuple is made fastest
    """What lies below a directory. When it is not complete the numbers are lower bounds."""

    files: int
    dirs: int
    bytes: int
    allocated: int
    newest_ns: int | None
    complete: bool
    state: DirState


class Node(NamedTuple):  # made by the thousand, and a tuple is made five times faster than a frozen dataclass
    """A file, directory or other entry. A directory's size is the total below it (see `totals.complete`)."""

    id: str
    path: bytes
    name: bytes
    kind: str
    size: int | None
    allocated: int | None
    mtime_ns: int | None
    ctime_ns: int | None
    mode: int | None
    owner: int | None
    inode: int | None
    hardlinked: bool
    shared: bool  # a further name of a file that is counted elsewhere
    broken_link: bool
    children: int | None  # direct children of a directory
    totals: Totals | None  # of a directory

    @property
    def short_id(self) -> str:
        """Its id within its index, as rows of answers carry it."""
        return f"#{int(self.id[_HANDLE_START:], 16)}"

    def line(self, units: Units, below: bytes = b"") -> str:
        """Kind, path as seen from a folder above, size, and for folders of known size how many files."""
        start = below.rstrip(b"/") + b"/"
        shown = self.path[len(start) :] if below and self.path.startswith(start) else self.path
        size = size_text(self.size, units, complete=self.totals is None or self.totals.complete)
        line = f"{_LETTER.get(self.kind, '?')} {quoted_name(to_wire(shown))} {size}"
        if self.totals is None or self.size is None:
            return line
        return f"{line} {count(self.totals.files, 'file')}"

    def row(self, units: Units, below: bytes = b"") -> str:
        """The line with the short id behind it."""
        return f"{self.line(units, below)} {self.short_id}"
