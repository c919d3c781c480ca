"""Copying what is in a file: holes stay holes, blocks are shared where the file system can, and a stop is heard."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator

from cmdr.engine.errors import Damaged, Drifted
from cmdr.engine.fs.syscalls import Syscalls

CHUNK = 1 << 20
STRIDE = 16 << 20
# What a kernel or file system answers when it will not copy by itself between these two files.
_CANNOT = frozenset(
    {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EBADF, errno.ETXTBSY}
)

Stride = Callable[[int], None]
"""Called after each stretch with its length; may raise to stop."""


def copy_contents(syscalls: Syscalls, source: int, target: int, found: os.stat_result, stride: Stride) -> None:
    """Copy the data of an open file into an empty one."""
    by_kernel, end = True, 0
    for start, end in extents(source, found):
        offset = start
        while offset < end:
            if by_kernel:
                try:
                    copied = syscalls.copy_range(source, target, min(STRIDE, end - offset), offset)
                except OSError as problem:
                    if problem.errno not in _CANNOT:
                        raise
                    by_kernel = False
                    continue
            else:
                copied = _copy_chunk(syscalls, source, target, min(CHUNK, end - offset), offset)
            if copied == 0:
                raise Drifted("the file became shorter while it was being copied")
            offset += copied
            stride(copied)
    # Holes at the end, and files that are one single hole.
    if end != found.st_size:
        syscalls.truncate(target, found.st_size)


def write_contents(syscalls: Syscalls, target: int, data: bytes) -> None:
    """Write all of the data."""
    write_at(syscalls, target, data, 0)


def write_at(syscalls: Syscalls, target: int, data: bytes, at: int) -> None:
    """Write all of the data from a place on."""
    offset = 0
    view = memoryview(data)
    while offset < len(data):
        offset += syscalls.write(target, bytes(view[offset : offset + CHUNK]), at + offset)


def verify(syscalls: Syscalls, source: int, target: int, stride: Stride) -> None:
    """Read both files again and compare their hashes."""
    if _hash(syscalls, source, stride) != _hash(syscalls, target, stride):
        raise Damaged("the copy does not read back the same")


def have_same_contents(syscalls: Syscalls, first: int, second: int, stride: Stride) -> bool:
    """Whether two open files hold the same bytes."""
    offset = 0
    while True:
        one = syscalls.read(first, CHUNK, offset)
        if one != syscalls.read(second, max(1, len(one)), offset):
            return False
        if not one:
            return True
        offset += len(one)
        stride(0)


def extents(fd: int, found: os.stat_result) -> Iterator[tuple[int, int]]:
    """The stretches of a file that hold data."""
    size = found.st_size
    if size and found.st_blocks * 512 >= size:
        yield 0, size
        return
    offset = 0
    while offset < size:
        try:
            start = os.lseek(fd, offset, os.SEEK_DATA)
            end = min(size, os.lseek(fd, start, os.SEEK_HOLE))
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                # The file system keeps no account of holes.
                yield offset, size
            return
        yield start, end
        offset = end


def _copy_chunk(syscalls: Syscalls, source: int, target: int, count: int, offset: int) -> int:
    data = syscalls.read(source, count, offset)
    written = 0
    while written < len(data):
        written += syscalls.write(target, data[written:] if written else data, offset + written)
    return written


def _hash(syscalls: Syscalls, fd: int, stride: Stride) -> bytes:
    if hasattr(os, "posix_fadvise"):  # pragma: no branch - macOS
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    state = hashlib.blake2b()
    offset = 0
    while data := syscalls.read(fd, CHUNK, offset):
        state.update(data)
        offset += len(data)
        stride(0)
    return state.digest()
