"""Fingerprints: identity, version and time of birth of what stands under a name, or of an open file."""

import ctypes
import os
import stat
import struct
from typing import Final

from cmdr.model.plans.plan import Fingerprint, Kind

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
        return _birth_of_stat(os.stat(name, dir_fd=fd, follow_symlinks=False) if name else os.fstat(fd))
    record = ctypes.create_string_buffer(_RECORD)
    if _STATX(fd, name, flags, _BIRTH, record) != 0:
        return None
    (mask,) = struct.unpack_from("<I", record)
    if not mask & _BIRTH or _is_overlay(struct.unpack_from("<II", record, 136), fd, name):
        return None
    seconds, nanoseconds = struct.unpack_from("<qI", record, 80)
    return int(seconds) * 10**9 + int(nanoseconds)


def _birth_of_stat(found: os.stat_result) -> int | None:  # pragma: no cover - macOS
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


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.FOLDER, stat.S_IFLNK: Kind.LINK}
_FOLDER, _SPECIAL = Kind.FOLDER, Kind.SPECIAL


def kind_of(mode: int) -> Kind:
    """What a file's mode says it is."""
    return _KINDS.get(stat.S_IFMT(mode), _SPECIAL)


def of_stat(found: os.stat_result) -> Fingerprint:
    """The fingerprint in a stat result; of a folder without the time it was made, which stands nowhere in it."""
    kind = kind_of(found.st_mode)
    stamp = None if kind is _FOLDER else found.st_ctime_ns
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, kind, stamp)


def of_found(found: os.stat_result, name: bytes, folder: int) -> Fingerprint:
    """The fingerprint of what was found under a name in an open directory; of a folder with the time it was made."""
    mark = of_stat(found)
    return mark._replace(stamp_ns=birth_of(name, folder)) if mark.kind is _FOLDER else mark


def shows(found: os.stat_result, expected: Fingerprint) -> bool:
    """Whether a stat result is that of the same file, unchanged; as `matches`, without making another fingerprint."""
    if found.st_ino != expected.ino or found.st_dev != expected.dev or kind_of(found.st_mode) is not expected.kind:
        return False
    if expected.kind is _FOLDER:
        return True
    if found.st_size != expected.size or found.st_mtime_ns != expected.mtime_ns:
        return False
    return expected.stamp_ns is None or found.st_ctime_ns == expected.stamp_ns


def of_open(fd: int) -> Fingerprint:
    """The fingerprint of an open file."""
    return of_stat(os.fstat(fd))


def of_name(name: bytes, folder: int) -> Fingerprint | None:
    """The fingerprint of what stands under a name, or None when the name is free."""
    try:
        return of_found(os.stat(name, dir_fd=folder, follow_symlinks=False), name, folder)
    except FileNotFoundError:
        return None


def of_path(path: bytes) -> Fingerprint | None:
    """The fingerprint of what stands at a path, or None; for listings and callers, not for mid-operation."""
    try:
        return of_stat(os.stat(path, follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return None
