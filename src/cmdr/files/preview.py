"""A little more about a file: its extended attributes, how a text begins, and the digest of its contents."""

import hashlib
import os
from collections.abc import Callable

from cmdr.files.errors import DiskError
from cmdr.files.sandbox.reach import Reach
from cmdr.model.names import to_wire

BEGINNING = 4096
_LONGEST_VALUE = 256
_PIECE = 1 << 20


def extended_attributes(reach: Reach, path: bytes) -> dict[str, str]:
    """Names and values of a file's attributes, printable and cut; none where there are none to read."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        with reach.find(path, follow=False) as found:
            fd = found.open()
        try:
            return {name: to_wire(os.getxattr(fd, name)[:_LONGEST_VALUE]) for name in os.listxattr(fd)}
        finally:
            os.close(fd)
    except (DiskError, OSError, ValueError):
        return {}


def preview(reach: Reach, path: bytes) -> str | None:
    """The beginning of a text inside the roots, printable line by line; None for anything else."""
    fd = _opened(reach, path, None)
    if fd is None:
        return None
    try:
        with open(fd, "rb") as file:
            head = file.read(BEGINNING)
    except OSError:
        return None
    if b"\0" in head:
        return None
    return "\n".join(to_wire(line) for line in head.split(b"\n"))


def digest(reach: Reach, path: bytes, most: int | None, stop: Callable[[], bool]) -> str | None:
    """The SHA-256 of a file inside the roots; None for one of more than `most` bytes, and for anything else."""
    fd = _opened(reach, path, most)
    if fd is None:
        return None
    state = hashlib.sha256()
    try:
        with open(fd, "rb", buffering=0) as file:
            while not stop() and (piece := file.read(_PIECE)):
                state.update(piece)
    except OSError:
        return None
    return None if stop() else f"sha256:{state.hexdigest()}"


def _opened(reach: Reach, path: bytes, most: int | None) -> int | None:
    try:
        with reach.find(path) as found:
            if not found.is_file or (most is not None and found.stat.st_size > most):
                return None
            return found.open()
    except (DiskError, OSError):
        return None
