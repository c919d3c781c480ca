"""Facts of many names in few steps: `statx` calls fed from C into one buffer, the standard library only.

Walkers import this in a bare interpreter, so it knows nothing of numpy or of the rest of the index.
"""

import ctypes
import errno
import os
import struct
from itertools import repeat

CHUNK = 8192
RECORD = 256  # struct statx
OPEN_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# -100 as ctypes likes it best: for a negative number it first makes an exception and throws it away, at every call.
AT_FDCWD = (1 << 32) - 100
AT_SYMLINK_NOFOLLOW, AT_STATX_DONT_SYNC = 0x100, 0x4000
STATX_INO, STATX_ALL = 0x100, 0xFFF
_SPARE_INO, _SPARE_DEVICE = CHUNK * RECORD // 8 + 4, CHUNK * RECORD // 8 + 17


class _Moment(ctypes.Structure):
    """A time in `struct statx`; what is behind it is always zero."""

    _fields_ = (("seconds", ctypes.c_int64), ("ns", ctypes.c_uint32), ("unused", ctypes.c_int32))


class Statx:
    """Facts of names in one directory, written as `struct statx` records into one buffer.

    A walker holds its interpreter during the calls, which is quickest; inside the application `alone` must be false.
    """

    def __init__(self, alone: bool = True) -> None:
        self.buffer = ctypes.create_string_buffer((CHUNK + 1) * RECORD)
        view = memoryview(self.buffer).cast("B")
        self.u8, self.u16, self.u32, self.u64 = view, view.cast("H"), view.cast("I"), view.cast("Q")
        self.moments = memoryview((_Moment * (len(view) // 16)).from_buffer(self.buffer))
        self.slots = [ctypes.byref(self.buffer, i * RECORD) for i in range(CHUNK)]
        self.spare = ctypes.byref(self.buffer, CHUNK * RECORD)
        # The whole call stays in C: `map` feeds the names, `any` stops at the first failure. Arguments are given
        # without `argtypes` on purpose; converting them one by one would double the cost of a call.
        self.call = getattr((ctypes.PyDLL if alone else ctypes.CDLL)(None), "statx", None)
        self.here = repeat(AT_FDCWD)
        self.flags, self.mask = repeat(AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC), repeat(STATX_ALL)

    def fill(self, names: list[bytes], at: int, fd: int = AT_FDCWD) -> bool:
        """Examine all names into the records from `at` on; false when one of them failed."""
        if self.call is None:
            return False
        where = self.here if fd == AT_FDCWD else repeat(fd)
        return not any(map(self.call, where, names, self.flags, self.mask, self.slots[at : at + len(names)]))

    def fill_one_by_one(self, names: list[bytes], at: int, fd: int | None = None) -> list[bytes]:
        """The careful way: names that vanished are left out, names that cannot be examined have an empty record."""
        kept: list[bytes] = []
        for name in names:
            try:
                facts = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError:
                self.blank(at + len(kept), 1)
            else:
                pack(self.buffer, (at + len(kept)) * RECORD, facts)
            kept.append(name)
        return kept

    def blank(self, at: int, count: int) -> None:
        """Records of which nothing is known."""
        ctypes.memset(ctypes.addressof(self.buffer) + at * RECORD, 0, count * RECORD)

    def is_at(self, inode: int, device: int | None) -> bool:
        """Whether the working directory is this one; a device of None is any."""
        if self.call is not None and not self.call(AT_FDCWD, b".", AT_STATX_DONT_SYNC, STATX_INO, self.spare):
            facts = self.u64
            return facts[_SPARE_INO] == inode and (device is None or facts[_SPARE_DEVICE] == device)
        found = os.stat(b".")
        return found.st_ino == inode and (device is None or packed_device(found.st_dev) == device)


def packed_device(dev: int) -> int:
    """Major and minor as they stand in `struct statx`."""
    return os.major(dev) | os.minor(dev) << 32


def pack(buffer: "ctypes.Array[ctypes.c_char]", at: int, facts: os.stat_result) -> None:
    """Write a stat result the way statx would have."""
    born = int(getattr(facts, "st_birthtime", 0) * 10**9)
    struct.pack_into(
        "<16xIIIH2xQQQ",
        buffer,
        at,
        facts.st_nlink,
        facts.st_uid,
        facts.st_gid,
        facts.st_mode,
        facts.st_ino,
        facts.st_size,
        facts.st_blocks,
    )
    times = [*divmod(born, 10**9), *divmod(facts.st_ctime_ns, 10**9), *divmod(facts.st_mtime_ns, 10**9)]
    struct.pack_into("<qI4xqI4xqI4x", buffer, at + 80, *times)
    struct.pack_into("<Q", buffer, at + 136, packed_device(facts.st_dev))


def open_directory(path: bytes) -> int:
    """Open a directory however long its path is; the kernel takes at most 4,096 bytes at once."""
    try:
        return os.open(path, OPEN_DIR)
    except OSError as trouble:
        if trouble.errno != errno.ENAMETOOLONG or len(path) < 4000:
            raise
    fd = os.open(b"/", OPEN_DIR)
    rest = path.lstrip(b"/")
    while rest:
        cut = len(rest) if len(rest) < 4000 else rest.rindex(b"/", 0, 4000)
        try:
            deeper = os.open(rest[:cut], OPEN_DIR, dir_fd=fd)
        finally:
            os.close(fd)
        fd, rest = deeper, rest[cut:].lstrip(b"/")
    return fd
