"""Landlock by hand: a process gives up every file and port it was not left, for itself and all it starts."""

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION = 1
_RULE_PATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_VERSION_1_RIGHTS = (1 << 13) - 1
"""Every right of the first version."""
_MAKE_DEVICES = 1 << 6 | 1 << 11
_MIN_VERSION = 3
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_BIND_AND_CONNECT = 3
_SOCKETS_AND_SIGNALS = 3

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def version() -> int:
    """What this kernel's Landlock can do; 0 when there is none."""
    found: int = _LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(found, 0)


def restrict(
    write: Iterable[bytes] = (), read: Iterable[bytes] = (), use: Iterable[bytes] = (), *, network: bool = False
) -> None:
    """Keep these trees and nothing else: to change, to read and run, or (devices) to read and write in place."""
    able = version()
    if able < _MIN_VERSION:
        raise OSError("this kernel's Landlock is missing or too old to guard against truncating files")
    rights = _VERSION_1_RIGHTS | _REFER | _TRUNCATE | (_IOCTL_DEVICE if able >= 5 else 0)
    # No port at all is allowed from version 4 on; from 6 on neither sockets without a name nor signals to outside.
    ruleset = struct.pack(
        "=QQQ", rights, _BIND_AND_CONNECT if able >= 4 and not network else 0, _SOCKETS_AND_SIGNALS if able >= 6 else 0
    )
    size = 8 if able < 4 else 16 if able < 6 else 24
    rules = _call(_CREATE, ctypes.c_char_p(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in write:
            _add(rules, path, rights & ~_MAKE_DEVICES)
        for path in read:
            _add(rules, path, rights & (_READ_FILE | _READ_DIR | _EXECUTE))
        for path in use:
            _add(rules, path, rights & (_READ_FILE | _WRITE_FILE | _TRUNCATE))
        give_up_privileges()
        _call(_RESTRICT, rules, ctypes.c_uint32(0))
    finally:
        os.close(rules)


def give_up_privileges() -> None:
    """No program started from here on gains rights, whatever bits its file has."""
    if _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")


def _add(rules: int, path: bytes, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _OF_FILES
        _call(_ADD_RULE, rules, _RULE_PATH, ctypes.c_char_p(struct.pack("=Qi", rights, place)), ctypes.c_uint32(0))
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    result: int = _LIBC.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
