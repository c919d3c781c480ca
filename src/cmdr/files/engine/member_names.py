"""Names in archives: which of them may become names on a disk, and which links stay inside what is unpacked."""

import re

ENDINGS = (
    *(b".tar.gz", b".tar.bz2", b".tar.xz", b".tgz", b".tbz2", b".tbz", b".txz"),
    *(b".tar", b".zip"),
)
_DRIVE = re.compile(rb"[A-Za-z]:(?:/|$)")

Parts = tuple[bytes, ...]


class BadMember(Exception):
    """A member that is left out; the text says why."""


def parts_of(name: bytes, deepest: int) -> Parts:
    """The way that a name stands for, below wherever it is unpacked; refused where it leads anywhere else."""
    if name.startswith(b"/") or _DRIVE.match(name):
        raise BadMember("its name is that of a place outside")
    if name.count(b"/") > deepest:
        raise BadMember("it lies too deep in folders")
    parts = tuple(part for part in name.split(b"/") if part not in (b"", b"."))
    if b".." in parts:
        raise BadMember("its name leads out of the folder")
    if not name:
        raise BadMember("it has no name")
    if any(len(part) > 255 or b"\0" in part for part in parts):
        raise BadMember("no file can have its name")
    return parts


def must_stay_inside(link: bytes, depth: int) -> None:
    """Refuse a link that could lead out of what is unpacked; `depth` is how many folders it lies in there.

    A link may go up only at its beginning. All folders above it are real ones, so that is where it arrives; and a way
    down, even by way of other links, ends inside, because those end inside.
    """
    if not link or b"\0" in link:
        raise BadMember("a link that leads nowhere")
    parts = [part for part in link.split(b"/") if part not in (b"", b".")]
    up = next((number for number, part in enumerate(parts) if part != b".."), len(parts))
    if link.startswith(b"/") or up > depth or b".." in parts[up:]:
        raise BadMember("a link that leads out of the folder")


def folder_for(archive: bytes) -> bytes:
    """The name of the folder that an archive is unpacked to."""
    stem = archive
    for ending in ENDINGS:
        if archive.lower().endswith(ending):
            stem = archive[: -len(ending)]
            break
    else:
        head, dot, _ = archive.rpartition(b".")
        stem = head if dot else b""
    stem = stem.strip(b" .")
    return stem if stem and stem != archive else (archive[:240].strip(b" .") or b"archive") + b" unpacked"
