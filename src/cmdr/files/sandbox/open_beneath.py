"""Opens what a path names without ever leaving a directory, whoever moves links and folders meanwhile.

Linux decides this itself (openat2 with RESOLVE_BENEATH). Where that call is missing or forbidden, the way is walked
step by step: each name is opened without following it, links are read and followed here, and `..` goes back to a
directory that is already open, so nothing is ever looked up twice.
"""

import ctypes
import errno
import os
import stat
import struct
import sys

_OPENAT2 = 437
_NO_MAGICLINKS, _BENEATH = 0x02, 0x08
_HOW = struct.Struct("=QQQ")  # flags, mode, resolve
_MAX_TRIES = 64
"""The kernel gives up when a folder moves under it; so often it is asked again."""
_MAX_LINKS = 40
_PATH: int = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
"""A handle that reads nothing and wakes no device; macOS has none, so specials are refused there beforehand."""
_IS_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def open_beneath(root: int, way: bytes, *, follow: bool = True, kernel: bool = True) -> int:
    """A handle on what `way` names below the open directory `root`; raises `OSError`, EXDEV when it leads outside.

    With `follow` off a link at the very end is found itself. `kernel` off walks by hand.
    """
    if b"\0" in way:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    if kernel and kernel_can():
        return _ask_kernel(root, way or b".", follow=follow)
    return _walk(root, way, follow=follow)


def reopen(handle: int, flags: int) -> int:
    """Open what a handle stands for, and nothing else, for reading."""
    if _IS_LINUX:
        return os.open(f"/proc/self/fd/{handle}", flags | os.O_CLOEXEC)
    return os.dup(handle)


def real_path(handle: int) -> bytes:
    """Where the kernel says an open handle lies."""
    if _IS_LINUX:
        return os.readlink(b"/proc/self/fd/%d" % handle)
    import fcntl  # noqa: PLC0415

    return fcntl.fcntl(handle, 50, b"\0" * 1024).rstrip(b"\0")  # F_GETPATH


_kernel_can: bool | None = None


def kernel_can() -> bool:
    """Whether the kernel has the call and lets us use it; some containers forbid it."""
    global _kernel_can
    if _kernel_can is None:
        here = os.open(b"/", _PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.close(_ask_kernel(here, b".", follow=True))
            _kernel_can = True
        except OSError:
            _kernel_can = False
        finally:
            os.close(here)
    return _kernel_can


def _ask_kernel(root: int, way: bytes, *, follow: bool) -> int:
    if not _IS_LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    flags = _PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    how = _HOW.pack(flags, 0, _BENEATH | _NO_MAGICLINKS)
    number = errno.EAGAIN
    for _ in range(_MAX_TRIES):
        handle: int = _LIBC.syscall(_OPENAT2, root, ctypes.c_char_p(way), ctypes.c_char_p(how), _HOW.size)
        if handle >= 0:
            return handle
        number = ctypes.get_errno()
        if number != errno.EAGAIN:
            break
    raise OSError(number, os.strerror(number))


def _walk(root: int, way: bytes, *, follow: bool) -> int:
    if way.startswith(b"/"):
        raise _outside()
    todo = way.split(b"/")[::-1]
    if not todo[0] and len(todo) > 1:
        todo[0] = b"."  # a slash at the end asks for a folder, as the kernel has it
    held = [os.dup(root)]
    links = 0
    try:
        while todo:
            name = todo.pop()
            here = held[-1]
            if not stat.S_ISDIR(os.fstat(here).st_mode):
                raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            if name == b"..":
                if len(held) == 1:
                    raise _outside()
                os.close(held.pop())
            elif name not in (b"", b"."):
                link = _step(held, name)
                if link is not None and (todo or follow):
                    links += 1
                    if links > _MAX_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    if link.startswith(b"/"):
                        raise _outside()
                    os.close(held.pop())
                    todo += link.split(b"/")[::-1]
        return held.pop()
    finally:
        for handle in held:
            os.close(handle)


def _step(held: list[int], name: bytes) -> bytes | None:
    """Open the next name in the last directory; for a link, what it says."""
    here = held[-1]
    if not hasattr(os, "O_PATH"):
        seen = os.stat(name, dir_fd=here, follow_symlinks=False)
        if not (stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode) or stat.S_ISLNK(seen.st_mode)):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        if stat.S_ISLNK(seen.st_mode):
            held.append(os.open(name, 0x200000 | os.O_CLOEXEC, dir_fd=here))  # O_SYMLINK
            return os.readlink(name, dir_fd=here)
    handle = os.open(name, _PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
    held.append(handle)
    if stat.S_ISLNK(os.fstat(handle).st_mode):
        return os.readlink(b"", dir_fd=handle)
    return None


def _outside() -> OSError:
    return OSError(errno.EXDEV, os.strerror(errno.EXDEV))
