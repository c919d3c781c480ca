"""A filter on system calls for where Landlock has gaps: no sockets, no other process's memory, no new namespaces."""

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4  # where they stand in what the filter is shown
_X32 = 0x40000000

# Each call with its number on x86_64 and on aarch64. Sockets reach daemons that act for us, io_uring goes around the
# filter, the others reach into processes, keys, mounts or namespaces outside.
_CALLS = """
    socket 41 198; io_uring_setup 425 425; ptrace 101 117; process_vm_readv 310 270; process_vm_writev 311 271;
    keyctl 250 219; add_key 248 217; request_key 249 218; bpf 321 280; perf_event_open 298 241;
    userfaultfd 323 282; open_by_handle_at 304 265; mount 165 40; umount2 166 39; pivot_root 155 41;
    move_mount 429 429; fsopen 430 430; fsmount 432 432; open_tree 428 428; mount_setattr 442 442;
    unshare 272 97; setns 308 268; kexec_load 246 104; init_module 175 105; finit_module 313 273;
    delete_module 176 106; swapon 167 224; swapoff 168 225; reboot 169 142; quotactl 179 60; acct 163 89;
    pidfd_getfd 438 438
"""
_ROWS = [row.split() for row in _CALLS.split(";")]
_MACHINES = {
    "x86_64": (0xC000003E, tuple(int(row[1]) for row in _ROWS)),
    "aarch64": (0xC00000B7, tuple(int(row[2]) for row in _ROWS)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def can_filter() -> bool:
    """Whether the calls of this machine are known here."""
    return platform.machine() in _MACHINES


def filter_calls(*, sockets: bool = False) -> None:
    """Refuse the dangerous calls from here on, here and in all it starts; privileges must be given up before.

    With `sockets`, making those stays allowed.
    """
    architecture, numbers = _MACHINES[platform.machine()]
    # The first row is the one of sockets.
    code = b"".join(_instructions(architecture, numbers[1:] if sockets else numbers))
    program = _Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _instructions(architecture: int, numbers: Iterable[int]) -> Iterable[bytes]:
    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, value)

    yield step(_LOAD, _ARCHITECTURE)
    yield step(_EQUAL, architecture, 1, 0)
    yield step(_RETURN, _KILL)  # another calling convention would have other numbers
    yield step(_LOAD, _NUMBER)
    yield step(_AT_LEAST, _X32, 0, 1)
    yield step(_RETURN, _KILL)
    for number in numbers:
        yield step(_EQUAL, number, 0, 1)
        yield step(_RETURN, _FAIL | errno.EPERM)
    yield step(_RETURN, _ALLOW)
