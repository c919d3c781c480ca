"""One walker: a fresh interpreter that lists directories and writes what it saw to a part file.

Runs with the standard library only (`python -I -S`), so that starting it costs a few milliseconds. It talks in
length-prefixed `marshal` messages: work comes in on stdin; spare work, link targets and the result go out on stdout.
A small shared file carries what must be seen without a message: the stop flag, the number of idle walkers, and this
walker's counters.
"""

import errno
import gc
import marshal
import mmap
import os
import stat
from array import array
from time import time_ns

from cmdr.index.scan.compiled_reader import directory_reader
from cmdr.index.scan.directory_reader import DirectoryReader
from cmdr.index.scan.part_file import BLOCK, PartFile
from cmdr.index.scan.statx import open_directory, packed_device

TYPE_CHECKING = False  # loading `typing` for it takes as long as all the rest
if TYPE_CHECKING:
    from typing import Any

_LINK = stat.S_IFREG  # this mode and above: of directories and links, a link
LINK_LEFT_OUT = -1
"""Stands for an error number: a link to a folder elsewhere, which is not followed."""
LISTED, DENIED, UNLISTED, OTHER_SYSTEM, CANCELLED, VANISHED, FAILED = range(7)
COUNTER_BYTES = 64  # per walker in the shared file, after the first such stretch
Item = tuple[bytes, int, int, int, bool]  # path, number, depth, inode (0: do not check), below a followed link


class WorkingDirectory:
    """The working directory of a walker; every directory must be on `device`, unless that is None."""

    def __init__(self, reader: DirectoryReader, device: int | None) -> None:
        self.visit, self.device = reader.visit, device
        self.here = self.above = b""  # the directory entered last, and the one above it

    def step_into(self, path: bytes, inode: int) -> bool:
        """Make a directory the working directory and read it; false when it is not the one that was seen.

        From the directory entered last the way is short. Whatever it led through, the inode and the device of the
        place reached decide; when they are others, the whole way is tried before the directory is given up.
        """
        above, _, name = path.rpartition(b"/")
        way = self.way(above, name)
        self.here = b""
        if way:
            try:
                if self.visit(way, inode, self.device):
                    self.here, self.above = path, above
                    return True
            except OSError:  # the directory entered last was moved meanwhile
                pass
        try:
            visited = self.visit(path, inode, self.device)
        except OSError as trouble:
            if trouble.errno != errno.ENAMETOOLONG:
                raise
            fd = open_directory(path)
            try:
                os.fchdir(fd)
            finally:
                os.close(fd)
            visited = self.visit(b".", inode, self.device)
        if not visited:
            return False
        self.here, self.above = path, above
        return True

    def way(self, above: bytes, name: bytes) -> bytes:
        """The short way from the directory entered last to a name in `above`; empty when that is none above it."""
        if not self.here or above == self.here:
            return name if self.here else b""
        if above == self.above:
            return b"../" + name
        above += b"/"
        return b"../" * (1 + self.here.count(b"/", len(above))) + name if self.here.startswith(above) else b""


def list_blindly(path: bytes, inode: int) -> list[bytes]:
    """The names in a directory that can be read but not entered."""
    fd = open_directory(path)
    try:
        if os.fstat(fd).st_ino != inode:
            raise FileNotFoundError(errno.ENOENT, "another directory took its place")
        return [os.fsencode(name) for name in os.listdir(fd)]
    finally:
        os.close(fd)


def send(*message: "Any") -> None:
    """Tell the application something."""
    body = marshal.dumps(message)
    view = memoryview(len(body).to_bytes(4, "little") + body)
    while view:
        view = view[os.write(1, view) :]


def receive() -> "Any":
    """Wait for what the application has to say; when it is gone, the walker ends."""
    size = int.from_bytes(_read(4), "little")
    return marshal.loads(_read(size))  # noqa: S302 - from our own parent, through our own pipe


def _read(size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


class Walker:
    """Lists directories from its own stack and gives half of it away when others are idle."""

    def __init__(self, setup: "dict[str, Any]") -> None:
        self.wid: int = setup["wid"]
        self.depth_limit: int = setup["depth_limit"]
        self.cross: bool = setup["cross"]
        self.follow: bool = setup["follow"]
        self.root: bytes = setup["root"]
        self.root_device: int = setup["device"]
        self.reader = directory_reader(setup["library"])
        self.working_directory = WorkingDirectory(self.reader, None if self.cross else self.root_device)
        self.part = PartFile(setup["part"], self.reader.time_bytes)
        with open(setup["shared"], "r+b") as shared:
            self.shared = mmap.mmap(shared.fileno(), 0)
        self.counters = memoryview(self.shared).cast("q")
        self.first_counter = (self.wid + 1) * COUNTER_BYTES // 8
        self.parent = os.getppid()
        self.written = self.names_written = 0  # rows and bytes of names in the part file; the reader holds more
        self.bytes = 0
        self.dir_rows = array("q")
        self.broken = array("q")
        self.aliased = array("q")
        self.followed = array("q")
        self.blocks = array("q")  # BLOCK numbers for each directory
        self.latest: list[int] = []  # the same, of the blocks since the last flush
        self.problems: list[tuple[bytes, int]] = []

    # -- the walk -------------------------------------------------------------------------------------------------
    def run(self) -> None:
        while True:
            stack = receive()
            if stack is None:
                break
            self.walk([tuple(item) for item in stack])
            self.count()
            send("idle")
        self.flush()
        send("done", self.finish())

    def walk(self, stack: list[Item]) -> None:
        since = 0
        counters = self.counters
        while stack:
            item = stack.pop()
            if counters[0]:
                self.leave_out(item[1], CANCELLED)
                continue
            self.enter(item, stack)
            since += 1
            if since & 31 == 0:
                self.count()
                if os.getppid() != self.parent:
                    os._exit(0)
                if len(stack) > 1 and counters[1] > 0:
                    half = (len(stack) + 1) // 2
                    send("spare", stack[:half])
                    del stack[:half]

    @property
    def rows(self) -> int:
        """How many were seen so far."""
        return self.written + self.reader.rows

    @property
    def names_at(self) -> int:
        """Where the next name will stand among all of this walker's."""
        return self.names_written + self.reader.name_bytes

    def count(self) -> None:
        at, listed = self.first_counter, (len(self.blocks) + len(self.latest)) // BLOCK
        self.counters[at], self.counters[at + 1], self.counters[at + 2] = self.rows, listed, self.bytes

    def leave_out(self, number: int, state: int) -> None:
        """Note a directory that is not entered."""
        self.latest += (number, self.rows, 0, state, time_ns(), self.names_at)

    def problem(self, path: bytes, trouble: OSError) -> int:
        """Remember why a directory could not be read; tells the state that it has for that."""
        code = trouble.errno or 0
        if code in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return VANISHED
        if len(self.problems) < 10_000:
            self.problems.append((path, code))
        return DENIED if code in (errno.EACCES, errno.EPERM) else FAILED

    def enter(self, item: Item, stack: list[Item]) -> None:
        start, names_at = self.rows, self.names_at
        inside: list[Item] = []
        try:
            state = self.look_into(item, inside)
        except OSError as trouble:
            state = self.problem(item[0], trouble)
        if item[4]:
            self.aliased.extend(range(start, self.rows))
        stack += reversed(inside)  # entered in the order they stand in, so that rows are nearly in order already
        self.latest += (item[1], start, self.rows - start, state, time_ns(), names_at)

    def look_into(self, item: Item, inside: list[Item]) -> int:
        """Read one directory; those in it that are to be entered are added to `inside`. Tells its state."""
        reader = self.reader
        try:
            if not self.working_directory.step_into(item[0], item[3]):
                return VANISHED  # another directory took its place
        except PermissionError:  # names may be read there, but nothing about them
            reader.take_blindly(list_blindly(item[0], item[3]))
        if reader.found:
            self.sort_out(item, inside)
        while reader.more:
            self.flush()
            if self.counters[0]:
                reader.leave()
                return CANCELLED
            reader.read_on()
            if reader.found:
                self.sort_out(item, inside)
        return LISTED

    def sort_out(self, item: Item, inside: list[Item]) -> None:
        """Note the directories and links among what was read; those to be entered are added to `inside`."""
        path, _, depth, _, alias = item
        below = path + b"/" if path != b"/" else path
        dir_rows, written, depth, first = self.dir_rows, self.written, depth + 1, self.wid << 40
        device = None if self.cross else self.root_device
        for row, name, mode, inode, on in self.reader.found:
            if mode >= _LINK:
                self.found_link(path, name, depth, written + row)
                continue
            number = first | len(dir_rows)
            dir_rows.append(written + row)
            if device is not None and on != device:
                self.leave_out(number, OTHER_SYSTEM)
            elif 0 <= self.depth_limit <= depth:
                self.leave_out(number, UNLISTED)
            else:
                inside.append((below + name, number, depth, inode, alias))

    def found_link(self, path: bytes, name: bytes, depth: int, row: int) -> None:
        try:
            target = os.stat(name)
        except OSError:
            self.broken.append(row)
            return
        if not self.follow or not stat.S_ISDIR(target.st_mode) or 0 <= self.depth_limit <= depth:
            return
        if not self.cross and packed_device(target.st_dev) != self.root_device:
            self.left_out_link(path, name)
            return
        real = os.path.realpath(path + b"/" + name)
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        if (path + b"/").startswith(real + b"/"):
            return  # back to a directory above
        if not (real + b"/").startswith(inside):
            self.left_out_link(path, name)
            return
        number = self.wid << 40 | len(self.dir_rows)
        self.dir_rows.append(row)
        self.followed.append(row)
        send("link", (real, number, depth, target.st_ino, True), (target.st_dev, target.st_ino))

    def left_out_link(self, path: bytes, name: bytes) -> None:
        """Remember a link to a folder elsewhere: whoever asked to follow links learns that this one was not."""
        if len(self.problems) < 10_000:
            self.problems.append((path + b"/" + name, LINK_LEFT_OUT))

    # -- the part file --------------------------------------------------------------------------------------------
    def flush(self) -> None:
        """Write the buffered records and forget them: memory stays flat however big the tree."""
        reader = self.reader
        if reader.rows:
            self.part.add(reader)
            self.bytes += reader.size_sum()
            self.written += reader.rows
            self.names_written += reader.name_bytes
            reader.clear()
            self.collect_blocks()
            self.count()

    def collect_blocks(self) -> None:
        self.blocks.fromlist(self.latest)
        self.latest.clear()

    def finish(self) -> "dict[str, Any]":
        self.collect_blocks()
        found: dict[str, Any] = {
            "rows": self.rows,
            "problems": self.problems,
            "constants": self.part.constants(),
            "time_bytes": self.reader.time_bytes,
        }
        for name in ("dir_rows", "broken", "aliased", "followed", "blocks"):
            found[name] = getattr(self, name).tobytes()
        return found


def main() -> None:
    """Take the setup, walk until told to end, worker over the result."""
    setup = receive()
    gc.disable()  # nothing here goes in circles, and looking for it costs
    try:
        os.nice(setup["nice"])
        walker = Walker(setup)
        send("idle")
        walker.run()
        os._exit(0)  # everything is written; tidying up memory would only take time
    except BrokenPipeError:
        return
    except OSError as trouble:
        send("failed", trouble.errno or 0, str(trouble))
