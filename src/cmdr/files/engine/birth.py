"""When a folder was made: with device and number its identity, for the number alone may be given again.

Folders only: asking takes a call of its own, and for files the time of the last change says more.
"""

import ctypes
import os
import struct
from typing import Final

_LIBC = ctypes.CDLL(None)
_STATX = getattr(_LIBC, "statx", None)
_RECORD: Final = 256
_AT_NOFOLLOW, _AT_EMPTY_PATH, _BIRTH = 0x100, 0x1000, 0x800
_OVERLAY: Final = 0x794C7630
_HOLD: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC
_overlays: dict[tuple[int, int], bool] = {}
"""Whether a device, by major and minor number, is an overlay."""


def birth_of(name: bytes, folder: int) -> int | None:
    """When a folder inside an open one was made, or None where the system does not tell."""
    return _birth(folder, name, _AT_NOFOLLOW)


def birth_of_open(fd: int) -> int | None:
    """When an open folder was made, or None where the system does not tell."""
    return _birth(fd, b"", _AT_EMPTY_PATH)


def _birth(fd: int, name: bytes, flags: int) -> int | None:
    if _STATX is None:  # pragma: no cover - macOS, which tells it with every look
        return _told(os.stat(name, dir_fd=fd, follow_symlinks=False) if name else os.fstat(fd))
    record = ctypes.create_string_buffer(_RECORD)
    if _STATX(fd, name, flags, _BIRTH, record) != 0:
        return None
    (mask,) = struct.unpack_from("<I", record)
    if not mask & _BIRTH or _is_overlay(struct.unpack_from("<II", record, 136), fd, name):
        return None
    seconds, nanoseconds = struct.unpack_from("<qI", record, 80)
    return int(seconds) * 10**9 + int(nanoseconds)


def _told(found: os.stat_result) -> int | None:  # pragma: no cover - macOS
    born = getattr(found, "st_birthtime", None)
    return None if born is None else round(born * 10**9)


def _is_overlay(device: tuple[int, ...], fd: int, name: bytes) -> bool:
    """Whether a folder lies on an overlay: there it is made anew, at the same place, when it is first written to."""
    major, minor = device
    known = _overlays.get((major, minor))
    if known is None:
        held = os.open(name, _HOLD, dir_fd=fd) if name else os.dup(fd)
        try:
            facts = ctypes.create_string_buffer(_RECORD)
            known = _LIBC.fstatfs(held, facts) == 0 and struct.unpack_from("@l", facts)[0] == _OVERLAY
        finally:
            os.close(held)
        _overlays[major, minor] = known
    return known
