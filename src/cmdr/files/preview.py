"""A little more about a file: its extended attributes, and how a text begins."""

import os

from cmdr.files.errors import DiskError
from cmdr.files.sandbox.reach import Reach
from cmdr.model.names import to_wire

BEGINNING = 4096
_LONGEST_VALUE = 256


def extended_attributes(path: bytes) -> dict[str, str]:
    """Names and values of a file's attributes, printable and cut; none where there are none to read."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {
            name: to_wire(os.getxattr(path, name, follow_symlinks=False)[:_LONGEST_VALUE])
            for name in os.listxattr(path, follow_symlinks=False)
        }
    except (OSError, ValueError):
        return {}


def preview(reach: Reach, path: bytes) -> str | None:
    """The beginning of a text inside the roots, printable line by line; None for anything else."""
    try:
        with reach.find(path) as found:
            if not found.is_file:
                return None
            fd = found.open()
    except (DiskError, OSError):
        return None
    with open(fd, "rb") as file:
        head = file.read(BEGINNING)
    if b"\0" in head:
        return None
    return "\n".join(to_wire(line) for line in head.split(b"\n"))
