"""What kind of file a name stands for, by its look: it decides the colour of the row and nothing else."""

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
_SIGNS = {Kind.FOLDER: "/", Kind.LINK: "@", Kind.PIPE: "|", Kind.SOCKET: "=", Kind.BLOCK: "#", Kind.CHARACTER: "-"}


def look_of(entry: Entry) -> str:
    """The colour role of a row."""
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


def sign_of(entry: Entry) -> str:
    """The one letter that tells the kind without any colour."""
    if entry.kind is Kind.LINK and entry.is_folder:
        return "~"
    if entry.kind is Kind.FILE:
        return "*" if entry.facts is not None and entry.facts.mode & 0o111 else " "
    return _SIGNS.get(entry.kind, "?")
