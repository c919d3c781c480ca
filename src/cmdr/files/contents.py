"""What files hold: extended attributes, the beginning of a text, a digest, and whether two are equal."""

import hashlib
import os
from collections.abc import Callable
from typing import BinaryIO

from cmdr.files.errors import DiskError
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.model.names import to_wire

PREVIEW_BYTES = 4096
_MAX_VALUE_BYTES = 256
CHUNK_BYTES = 1 << 20


def extended_attributes(resolver: PathResolver, path: bytes) -> dict[str, str]:
    """Names and values of a file's attributes, printable and cut; none where there are none to read."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        with resolver.find(path, follow=False) as found:
            fd = found.open()
        try:
            return {name: to_wire(os.getxattr(fd, name)[:_MAX_VALUE_BYTES]) for name in os.listxattr(fd)}
        finally:
            os.close(fd)
    except (DiskError, OSError, ValueError):
        return {}


def preview(resolver: PathResolver, path: bytes) -> str | None:
    """The beginning of a text inside the roots, printable line by line; None for anything else."""
    fd = _opened(resolver, path, None)
    if fd is None:
        return None
    try:
        with open(fd, "rb") as file:
            head = file.read(PREVIEW_BYTES)
    except OSError:
        return None
    if b"\0" in head:
        return None
    return "\n".join(to_wire(line) for line in head.split(b"\n"))


def digest(resolver: PathResolver, path: bytes, max_bytes: int | None, stop: Callable[[], bool]) -> str | None:
    """The SHA-256 of a file inside the roots; None for one of more than `max_bytes`, and for anything else."""
    fd = _opened(resolver, path, max_bytes)
    if fd is None:
        return None
    state = hashlib.sha256()
    try:
        with open(fd, "rb", buffering=0) as file:
            while not stop() and (chunk := file.read(CHUNK_BYTES)):
                state.update(chunk)
    except OSError:
        return None
    return None if stop() else f"sha256:{state.hexdigest()}"


def _opened(resolver: PathResolver, path: bytes, max_bytes: int | None) -> int | None:
    try:
        with resolver.find(path) as found:
            if not found.is_file or (max_bytes is not None and found.stat.st_size > max_bytes):
                return None
            return found.open()
    except (DiskError, OSError):
        return None


def same_contents(one: bytes, other: bytes) -> bool:
    """Compare byte by byte; files that cannot be read are different. Blocks, so it runs in a thread."""
    try:
        with _reading(one) as first, _reading(other) as second:
            while (chunk := first.read(CHUNK_BYTES)) == second.read(CHUNK_BYTES):
                if not chunk:
                    return True
    except OSError:
        pass
    return False


def _reading(path: bytes) -> BinaryIO:
    # A pipe would block without this flag.
    return open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


def differing_contents(left: bytes, right: bytes, names: list[bytes]) -> set[bytes]:
    """Which of these names hold different bytes in two folders."""
    return {name for name in names if not same_contents(os.path.join(left, name), os.path.join(right, name))}
