"""Which names are those of archives; what a file really is, its contents tell."""

import os

UNPACKED = (
    *(b".zip", b".jar", b".tar", b".tgz", b".tbz", b".tbz2", b".txz"),
    *(b".tar.gz", b".tar.bz2", b".tar.xz"),
)


def is_archive_name(name: bytes) -> bool:
    """Whether somebody who opens a file of this name would want to see what is in it."""
    return name.lower().endswith(UNPACKED)


def usual_name(first: bytes, *, is_only: bool) -> bytes:
    """What an archive is called if nobody says: as the one thing in it, or as the folder that all of it is from."""
    first = first.rstrip(b"/")
    return (os.path.basename(first if is_only else os.path.dirname(first))[:200] or b"archive") + b".zip"
