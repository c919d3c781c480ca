"""The delta of a snapshot: new listings of the directories that changed since it was written.

It is small and stored beside the snapshot: ids that it gave to new nodes must survive a restart.
"""

import errno
import marshal
import os
import stat
import struct
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from cmdr.index.scan.statx import CHUNK, RECORD, Statx, open_directory
from cmdr.index.snapshots.columns import Flag, column_time
from cmdr.model.trees.node import DirState

_FACTS = struct.Struct("<16xIII H2x QQQ 8x 16x qI4x qI4x qI4x 8x Q")
_local = threading.local()


class Entry(NamedTuple):
    """One name in a directory, as it was listed."""

    name: bytes
    ino: int
    size: int
    allocated: int
    mtime: int
    ctime: int
    born: int
    mode: int
    uid: int
    device: int
    flags: int
    nid: int = -1

    @property
    def is_dir(self) -> bool:
        return self.mode >> 12 == 4


@dataclass(frozen=True)
class Listing:
    """A directory as it was at one moment.

    Of a large one it holds only what changed: `entries` then replace the names `instead_of` of the snapshot and add new
    ones; all others are as the snapshot has them.
    """

    state: DirState
    listed_ns: int
    entries: tuple[Entry, ...]
    instead_of: frozenset[bytes] | None = None
    own: tuple[int, int] | None = None
    """The directory's own mtime and ctime just before it was listed: the listing above it may be older."""


@dataclass(frozen=True)
class Delta:
    """Listings by path, and the last paths of nodes that went since the epoch."""

    listings: dict[bytes, Listing] = field(default_factory=dict)
    gone: dict[int, bytes] = field(default_factory=dict)
    next_id: int = 0

    @property
    def rows(self) -> int:
        return sum(len(one.entries) for one in self.listings.values())


def read_listing(path: bytes) -> Listing:
    """List one directory, inside the application; trouble is in the state."""

    def read(fd: int) -> Listing:
        own = own_times(fd)
        return Listing(DirState.LISTED, listed, examine([os.fsencode(name) for name in os.listdir(fd)], fd), own=own)

    listed = time.time_ns()
    return read_open(path, listed, read)


def read_open(path: bytes, listed_ns: int, read: Callable[[int], Listing]) -> Listing:
    """What `read` makes of an opened directory; when one of the two fails, an empty listing with the state."""
    try:
        fd = open_directory(path)
        try:
            return read(fd)
        finally:
            os.close(fd)
    except OSError as trouble:
        if trouble.errno in (errno.EACCES, errno.EPERM):
            state = DirState.DENIED
        else:
            gone = trouble.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
            state = DirState.VANISHED if gone else DirState.FAILED
        return Listing(state, listed_ns, ())


def own_times(fd: int) -> tuple[int, int]:
    """When an open directory was changed."""
    facts = os.fstat(fd)
    return column_time(facts.st_mtime_ns), column_time(facts.st_ctime_ns)


def examine(names: list[bytes], fd: int) -> tuple[Entry, ...]:
    """The facts of names in an open directory; those that are gone are left out."""
    portions = (names[first : first + CHUNK] for first in range(0, len(names), CHUNK))
    return tuple(entry for portion in portions for entry in _examine(portion, fd))


def _examine(names: list[bytes], fd: int) -> list[Entry]:
    statx = getattr(_local, "statx", None)
    if statx is None:
        statx = _local.statx = Statx(alone=False)
    if not statx.fill(names, 0, fd):
        names = [name for name in names if _is_there(name, fd)]
        if not statx.fill(names, 0, fd):  # the careful way does not tell when a file was made
            names = statx.fill_one_by_one(names, 0, fd)
    found = []
    for at, name in enumerate(names):
        links, uid, _, mode, ino, size, blocks, born, born_ns, ctime, ctime_ns, mtime, mtime_ns, device = (
            _FACTS.unpack_from(statx.buffer, at * RECORD)
        )
        flags = Flag.UNKNOWN if not mode else Flag.HARD if links > 1 and not stat.S_ISDIR(mode) else Flag(0)
        if stat.S_ISLNK(mode) and _broken(name, fd):
            flags |= Flag.BROKEN
        when = [column_time(time * 10**9 + ns) for time, ns in ((mtime, mtime_ns), (ctime, ctime_ns), (born, born_ns))]
        found.append(Entry(name, ino, size, blocks * 512, when[0], when[1], when[2], mode, uid, device, int(flags)))
    return found


def _is_there(name: bytes, fd: int) -> bool:
    try:
        os.lstat(name, dir_fd=fd)
    except FileNotFoundError:
        return False
    except OSError:  # something is there that cannot be examined
        return True
    return True


def _broken(name: bytes, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd)
    except OSError:
        return True
    return False


def save_delta(path: str, delta: Delta) -> None:
    """Keep a delta; whoever reads sees the old one or the new one."""
    listings = {
        key: (int(one.state), one.listed_ns, [tuple(e) for e in one.entries], one.instead_of, one.own)
        for key, one in delta.listings.items()
    }
    body = marshal.dumps((listings, delta.gone, delta.next_id), 4)
    try:
        with open(path + ".tmp", "wb") as out:
            out.write(zlib.crc32(body).to_bytes(4, "little") + body)
            out.flush()
            os.fsync(out.fileno())
        os.replace(path + ".tmp", path)
    except OSError:
        with suppress(OSError):
            os.unlink(path + ".tmp")
        raise


def load_delta(path: str) -> Delta | None:
    """A kept delta, or None when there is none that can be believed: the next check then finds its changes again."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if len(data) < 5 or zlib.crc32(data[4:]) != int.from_bytes(data[:4], "little"):
        return None
    listings, gone, next_id = marshal.loads(data[4:])  # noqa: S302 - our own file, its checksum just compared
    return Delta(
        {
            key: Listing(DirState(state), when, tuple(Entry(*one) for one in rows), *rest)
            for key, (state, when, rows, *rest) in listings.items()
        },
        gone,
        next_id,
    )
