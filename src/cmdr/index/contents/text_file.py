"""A file read as text for a search: opened without waiting or following, looked at, and turned into UTF-8."""

import errno
import os
import stat
from enum import Enum

from cmdr.index.contents.searching import Opener
from cmdr.model.contents import MAX_FILE_BYTES

HEAD_BYTES = 1 << 16
"""A zero byte among the first ones says that a file is no text."""
_STEP = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BOM = b"\xef\xbb\xbf"
_DENIED = (errno.EACCES, errno.EPERM)


class LeftOut(Enum):
    """Why a file was not searched; the values are the fields of `SearchCoverage` that count it."""

    BINARY = "binary"
    TOO_BIG = "too_big"
    DENIED = "denied"
    GONE = "gone"
    SPECIAL = "special"


def read_text(path: bytes, opener: Opener | None = None) -> bytes | LeftOut:
    """The text of a file as it is searched, without a byte order mark, or why it is not searched.

    What is not UTF-8 stays as it is; UTF-16 with a mark is made UTF-8.
    """
    try:
        fd = os.open(path, _FLAGS) if opener is None else opener(path)
    except OSError as trouble:
        if trouble.errno in _DENIED:
            return LeftOut.DENIED
        return LeftOut.SPECIAL if trouble.errno in (errno.ELOOP, errno.ENXIO) else LeftOut.GONE
    try:
        return _text(fd)
    except OSError:
        return LeftOut.GONE
    finally:
        os.close(fd)


def _text(fd: int) -> bytes | LeftOut:
    seen = os.fstat(fd)
    if not stat.S_ISREG(seen.st_mode):
        return LeftOut.SPECIAL
    data = os.read(fd, HEAD_BYTES)
    encoding = _WIDE.get(data[:2])
    if encoding is None and b"\0" in data:
        return LeftOut.BINARY
    if seen.st_size > MAX_FILE_BYTES:
        return LeftOut.TOO_BIG
    if len(data) == HEAD_BYTES:
        data = _rest(fd, data)
    if encoding is not None:
        text = data[2 : len(data) & ~1].decode(encoding, "replace").encode()
        return LeftOut.BINARY if b"\0" in text[:HEAD_BYTES] else text
    return data.removeprefix(_BOM)


def _rest(fd: int, head: bytes) -> bytes:
    """The whole file; one that grows while it is read is cut where files become too big."""
    pieces, length = [head], len(head)
    while length < MAX_FILE_BYTES and (piece := os.read(fd, min(_STEP, MAX_FILE_BYTES - length))):
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)
