"""Namespaces and capabilities by hand, for where bubblewrap is not installed but the kernel would let us."""

import ctypes
import os
import struct

_NEW_USER, _NEW_PID, _NEW_NET, _NEW_IPC, _NEW_UTS = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
_CAPABILITIES = 64
_DROP_BOUNDING, _SUBREAPER, _PARENT_DEATH = 24, 36, 1
_CAPSET_VERSION = 0x20080522

_LIBC = ctypes.CDLL(None, use_errno=True)


def enter_namespaces(*, network: bool = False) -> None:
    """Leave the network, unless it is given, and the other users' things behind; the next child is the first process
    of its own world."""
    uid, gid = os.geteuid(), os.getegid()
    if _LIBC.unshare(_NEW_USER | _NEW_PID | (0 if network else _NEW_NET) | _NEW_IPC | _NEW_UTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def drop_capabilities() -> None:
    """Root without the powers of root: files that belong to it, and nothing else."""
    for number in range(_CAPABILITIES):
        _LIBC.prctl(_DROP_BOUNDING, number, 0, 0, 0)  # refused for those we never had
    header = struct.pack("=Ii", _CAPSET_VERSION, 0)
    if _LIBC.capset(ctypes.c_char_p(header), ctypes.c_char_p(b"\0" * 24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def adopt_orphans() -> None:
    """Become the parent of every grandchild whose parent dies: none can leave the family."""
    if _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "subreaper")


def die_with_parent(signal: int) -> None:
    """Get a signal when whoever started us is gone."""
    _LIBC.prctl(_PARENT_DEATH, signal, 0, 0, 0)
