"""The kind of file an entry is, by its name and mode: it decides the colour of its row in every face, nothing else."""

from cmdr.model.panes.entry import Entry, Kind
from cmdr.model.panes.sorting import extension

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
