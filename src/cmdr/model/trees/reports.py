"""What a report says: its lines, how many there are in all, and whether everything was seen."""

from dataclasses import dataclass
from typing import Literal, get_args

ReportKind = Literal[
    "largest-files",
    "largest-dirs",
    "extensions",
    "categories",
    "ages",
    "sizes",
    "owners",
    "depth",
    "duplicates",
    "empty",
    "broken-links",
    "recent",
    "growth",
    "problems",
]
KIND_WORDS = {
    **dict.fromkeys(("largest", "biggest", "biggest-files"), "largest-files"),
    **dict.fromkeys(("largest-folders", "biggest-folders", "biggest-dirs"), "largest-dirs"),
    **dict.fromkeys(("duplicate", "dupes"), "duplicates"),
    "newest": "recent",
    "types": "extensions",
}
"""Other words for reports, which are understood too."""
Keep = Literal["oldest", "newest"]
"""Which of equal files stays."""
KINDS: tuple[str, ...] = get_args(ReportKind)


@dataclass(frozen=True)
class ReportRow:
    """One line: what it is about, how many, how much. `node` (its id) and `path` are set when it is about one entry."""

    label: str
    count: int | None = None
    size: int | None = None
    node: str | None = None
    path: bytes | None = None
    time_ns: int | None = None
    before: int | None = None  # bytes at the earlier epoch
    members: tuple[bytes, ...] = ()  # paths of equal files, first the one that would stay
    change: str | None = None  # added, removed, grown or shrunk since the earlier epoch
    folder: bool = False
    reason: str = ""  # why it could not be read


@dataclass(frozen=True)
class Report:
    """The first lines of a report, of `total` there are; `cursor` leads to the next ones where there is one."""

    kind: str
    rows: tuple[ReportRow, ...]
    total: int
    complete: bool
    not_covered: tuple[str, ...]
    note: str = ""
    cursor: str | None = None
    since_ns: int | None = None  # growth: when the earlier epoch was, and the size of the whole then and now
    before: int | None = None
    after: int | None = None
    spare_bytes: int | None = None  # duplicates: what all but one of each group take
    behind: int = 0  # folders that are not known as they are; 0 when the report is true as of the call
