"""Reading directories one after the other into buffers: names one behind the other, and the facts of each.

Walkers import this in a bare interpreter. `compiled_reader` does the same in far fewer steps where it was built.
"""

import ctypes
import os
import stat

from cmdr.index.scan.statx import CHUNK, RECORD, Statx

TYPE_CHECKING = False  # loading `typing` for it takes as long as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAME_CAPACITY = CHUNK * 256
TIME_COLUMNS = ("born", "ctime", "mtime")
WIDTHS = {"ino": 8, "size": 8, "blocks": 8, "device": 8, "nlink": 4, "uid": 4, "mode": 2}  # of the other columns
FoundEntry = tuple[int, bytes, int, int, int]  # a directory or a link: its row, name, mode, inode and device
# By the high byte of a mode: 1 for a directory or a link, 0 for what is only noted.
_DIR_OR_LINK = bytes(byte >> 4 in (stat.S_IFDIR >> 12, stat.S_IFLNK >> 12) for byte in range(256))
# Where each column stands in `struct statx`, counted in its own width.
_COLUMNS = {
    "moments": (16, {"born": 5, "ctime": 6, "mtime": 7}),  # seconds, nanoseconds and nothing, in 8, 4 and 4 bytes
    "u64": (8, {"ino": 4, "size": 5, "blocks": 6, "device": 17}),
    "u32": (4, {"nlink": 4, "uid": 5}),
    "u16": (2, {"mode": 14}),
}


class DirectoryReader:
    """Fills its buffers, directory after directory, until somebody takes what is in them."""

    time_bytes: int  # how wide a time is in its column

    def __init__(self) -> None:
        self.name_buffer = ctypes.create_string_buffer(NAME_CAPACITY)
        self.names = memoryview(self.name_buffer).cast("B")
        self.rows = 0  # that are filled
        self.name_bytes = 0  # of them, each ending with NUL
        self.found: Iterable[FoundEntry] = ()  # among what was read last
        self.more = False  # the room is full, but the directory is not read to its end

    def visit(self, way: bytes, inode: int, device: int | None) -> bool:
        """Make a directory the working directory and read it; false when it is not the one that is meant.

        Any device will do when it is None.
        """
        raise NotImplementedError

    def take_blindly(self, names: list[bytes]) -> None:
        """Take these names without looking at them: nothing can be known of them."""
        raise NotImplementedError

    def read_on(self) -> None:
        """Go on with a directory of which there is more."""
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the rest of a directory unread."""
        self.more = False

    def columns(self) -> "Iterator[tuple[str, bytes]]":
        """The facts of all rows, column by column."""
        raise NotImplementedError

    def size_sum(self) -> int:
        """How many bytes the files of all rows have."""
        raise NotImplementedError

    def clear(self) -> None:
        """Make room: what was read is in other hands."""
        self.rows = self.name_bytes = 0


class PythonReader(DirectoryReader):
    """The reader that needs nothing but the standard library."""

    time_bytes = 16

    def __init__(self) -> None:
        super().__init__()
        self.statx = Statx()
        self.waiting: list[bytes] = []
        self.taken = 0  # of those waiting
        self.blind = False

    def visit(self, way: bytes, inode: int, device: int | None) -> bool:
        os.chdir(way)
        if not self.statx.is_at(inode, device):
            return False
        self.waiting, self.taken, self.blind = os.listdir(b"."), 0, False
        self.read_on()
        return True

    def take_blindly(self, names: list[bytes]) -> None:
        self.waiting, self.taken, self.blind = names, 0, True
        self.read_on()

    def read_on(self) -> None:
        names, at, statx = self._that_fit(), self.rows, self.statx
        if self.blind:
            statx.blank(at, len(names))
        elif not statx.fill(names, at):
            names = statx.fill_one_by_one(names, at)
        self.found = ()
        if names:
            joined = b"\0".join(names) + b"\0"
            self.names[self.name_bytes : self.name_bytes + len(joined)] = joined
            self.name_bytes += len(joined)
            self.rows += len(names)
            self.found = self._directories_and_links(names, at)
        self.more = self.taken < len(self.waiting)

    def columns(self) -> "Iterator[tuple[str, bytes]]":
        for view, (width, columns) in _COLUMNS.items():
            step = RECORD // width
            for name, at in columns.items():
                yield name, getattr(self.statx, view)[at : self.rows * step : step].tobytes()

    def size_sum(self) -> int:
        return sum(self.statx.u64[5 : self.rows * (RECORD // 8) : RECORD // 8].tolist())

    def _that_fit(self) -> list[bytes]:
        """The next of the names waiting, as many as there is room for."""
        names = self.waiting[self.taken : self.taken + CHUNK - self.rows]
        while sum(map(len, names)) + len(names) > NAME_CAPACITY - self.name_bytes:  # some file systems have longer ones
            names = names[: len(names) // 2]
        self.taken += len(names)
        return names

    def _directories_and_links(self, names: list[bytes], at: int) -> list[FoundEntry]:
        # The high byte of each mode tells the kind.
        marks = self.statx.u8[at * RECORD + 29 : self.rows * RECORD : RECORD].tobytes().translate(_DIR_OR_LINK)
        modes, facts = self.statx.u16, self.statx.u64
        found: list[FoundEntry] = []
        i = marks.find(1)
        while i >= 0:
            wide = (at + i) * (RECORD // 8)
            found.append((at + i, names[i], modes[wide * 4 + 14], facts[wide + 4], facts[wide + 17]))
            i = marks.find(1, i + 1)
        return found
