"""One row of a listing, made on demand from the columns, and the kind of file it is."""

from dataclasses import dataclass
from enum import StrEnum

from cmdr.model.panes.sorting import extension


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


_BY_EXTENSION: dict[bytes, str] = {
    ext: kind
    for kind, exts in {
        "archive": b"zip tar gz tgz bz2 xz zst 7z rar deb rpm jar whl iso dmg cab lz4 br",
        "image": b"png jpg jpeg gif webp svg bmp ico tif tiff heic avif psd xcf",
        "media": b"mp3 flac ogg opus wav m4a mp4 mkv avi mov webm mpg mpeg m4v aac mid",
        "document": b"pdf doc docx odt rtf xls xlsx ods ppt pptx odp epub tex",
        "code": b"py js ts tsx jsx rs go c h cc cpp hpp java kt rb php sh bash zsh fish lua pl swift cs scala sql html"
        b" css vue r jl hs ml ex exs erl clj nim zig",
        "data": b"json yaml yml toml ini cfg conf xml csv tsv parquet db sqlite sqlite3 env lock",
        "text": b"md txt rst org log adoc",
        "dull": b"bak tmp swp swo o pyc pyo class orig rej part crdownload",
    }.items()
    for ext in exts.split()
}
FILE_KINDS = ("folder", "link", "special", "program", *dict.fromkeys(_BY_EXTENSION.values()), "file")
"""All there are."""


def file_kind(entry: Entry) -> str:
    """One of `FILE_KINDS`."""
    if entry.kind is Kind.FOLDER:
        return "folder"
    if entry.kind is Kind.LINK:
        return "link"
    if entry.kind is not Kind.FILE:
        return "special"
    if entry.facts is not None and entry.facts.mode & 0o111:
        return "program"
    if entry.name.endswith(b"~"):
        return "dull"
    return _BY_EXTENSION.get(extension(entry.name), "file")
