"""Stat of entries without following links, opening of regular files only, and the names of owners."""

from __future__ import annotations

import ctypes
import errno
import grp
import os
import pwd
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BufferedReader
from typing import Final

from cmdr.files.errors import disk_error
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.listing import UNKNOWN

_CLOCK_TICK_NS = 50_000_000  # nanoseconds; file systems keep times no finer than the kernel's own tick
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_BTIME_OFFSET = 0x50  # struct statx: stx_btime, seconds (s64) and nanoseconds (u32)


class _Statx:
    """Creation times on Linux, which `os.stat` does not tell."""

    def __init__(self) -> None:
        self._call = ctypes.CDLL(None, use_errno=True).statx
        self._call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]

    def created_ns(self, folder: int, name: bytes) -> int | None:
        buffer = ctypes.create_string_buffer(256)
        if self._call(folder, name, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, buffer) != 0:
            return None
        if not int.from_bytes(buffer.raw[:4], sys.byteorder) & _STATX_BTIME:
            return None
        seconds = int.from_bytes(buffer.raw[_BTIME_OFFSET : _BTIME_OFFSET + 8], sys.byteorder, signed=True)
        fraction = int.from_bytes(buffer.raw[_BTIME_OFFSET + 8 : _BTIME_OFFSET + 12], sys.byteorder)
        return seconds * 1_000_000_000 + fraction


_statx = _Statx() if sys.platform == "linux" else None


def stat_entry(folder: int, name: bytes) -> Facts | None:
    """The facts of one entry of an open folder, or None when it is gone or unreadable."""
    try:
        stat = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    if _statx is not None:
        created = _statx.created_ns(folder, name)
    else:
        born: float | None = getattr(stat, "st_birthtime", None)
        created = None if born is None else int(born * 1_000_000_000)
    return Facts(stat.st_size, stat.st_mtime_ns, created, stat.st_mode, stat.st_ino, stat.st_dev)


def storable_ns(ns: int | None) -> int:
    """A time as a column holds it: some file systems keep years that nanoseconds in 64 bits cannot count."""
    return UNKNOWN if ns is None else max(UNKNOWN + 1, min(ns, 2**63 - 1))


def stat_entries(path: bytes, names: Iterable[bytes]) -> list[Facts | None]:
    """The facts of some entries of a folder; None for each that is gone or unreadable."""
    names = list(names)
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return [None] * len(names)
    try:
        return [stat_entry(folder, name) for name in names]
    finally:
        os.close(folder)


def folder_mtime_ns(path: bytes) -> int | None:
    """When entries of a folder were last added, renamed or taken away; None when it is gone, or when that is so short
    ago that one more change could carry the same time."""
    try:
        changed = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return None
    return changed if time.time_ns() - changed > _CLOCK_TICK_NS else None


def check_exists(path: bytes) -> None:
    """Raise unless there is an entry at this path; a broken link is one."""
    try:
        os.lstat(path)
    except (OSError, ValueError) as error:
        raise disk_error(path, error) from error


def link_target(path: bytes) -> bytes | None:
    """Where a symbolic link leads, as it is written in the link; None for everything else."""
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def regular_file(name: bytes, folder: int) -> Iterator[BufferedReader]:
    """A file in an open folder, to read from; an OSError for anything else, and nothing is left open."""
    fd = os.open(name, _FLAGS, dir_fd=folder)
    # Wrapped only after the look: Python refuses a folder's descriptor without closing it.
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "Not a file")
        with open(fd, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(fd)


@lru_cache(1024)
def user_name(uid: int) -> str:
    """A user's name, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


@lru_cache(1024)
def group_name(gid: int) -> str:
    """A group's name, or the number when none has it."""
    try:
        return grp.getgrgid(gid).gr_name
    except (KeyError, OverflowError):
        return str(gid)


def uid_of(text: str) -> int | None:
    """The number of a user, named or numbered; None when there is none."""
    try:
        return pwd.getpwnam(text).pw_uid
    except (KeyError, ValueError):
        return _number(text)


def gid_of(text: str) -> int | None:
    """The number of a group, named or numbered; None when there is none."""
    try:
        return grp.getgrnam(text).gr_gid
    except (KeyError, ValueError):
        return _number(text)


def _number(text: str) -> int | None:
    # The highest number means "leave it" to the system.
    return int(text) if text.isascii() and text.isdigit() and int(text) < 2**32 - 1 else None
