"""One row of a listing, made on demand from the columns."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What an entry is, by the letter that stands in every row."""

    FOLDER = "d"
    FILE = "f"
    LINK = "l"
    PIPE = "p"
    SOCKET = "s"
    BLOCK = "b"
    CHARACTER = "c"
    UNKNOWN = "?"


FOLDER_LINK = "L"
"""How the columns mark a link that leads to a folder: shown as a link, sorted and entered as a folder."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What `lstat` says about an entry; looked up only for rows that somebody looks at."""

    size: int
    modified_ns: int
    created_ns: int | None
    """When it was created, where the file system remembers."""
    mode: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class FolderSize:
    """What an index knows about everything below a folder."""

    bytes: int
    complete: bool
    """Whether all of it was read; if not, it is a lower bound."""
    fresh: bool
    """Whether the index has seen the latest changes."""

    @property
    def mark(self) -> str:
        """What stands before the number: `≥` for a lower bound, `~` for an old one."""
        return "≥" if not self.complete else "" if self.fresh else "~"


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a listing, its kind, and its facts where they are known."""

    name: bytes
    kind: Kind
    is_folder: bool
    """Whether Enter goes into it: a folder, or a link to one."""
    facts: Facts | None = None
    folder_size: FolderSize | None = None
    change: int | None = None
    """By how many bytes it has grown, or shrunk when it is negative, where a report told it."""
