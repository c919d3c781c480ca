"""One walker: a fresh interpreter that lists directories and writes what it saw to a part file.

Runs with the standard library only (`python -I -S`), so that starting it costs a few milliseconds. It talks in
length-prefixed `marshal` messages: work comes in on stdin; spare work, link targets and the result go out on stdout.
A small shared file carries what must be seen without a message: the stop flag, the number of hungry walkers, and this
walker's counters.
"""

import errno
import gc
import mmap
import os
import stat
from array import array
from time import time_ns

from cmdr.index.part_file import BLOCK, PartFile
from cmdr.index.statx import CHUNK, RECORD, Statx, packed_device
from cmdr.index.walker_pipe import receive, send
from cmdr.index.whereabouts import Whereabouts, list_blindly

TYPE_CHECKING = False  # loading `typing` for it takes as long as all the rest
if TYPE_CHECKING:
    from typing import Any

# By the high byte of a mode: 1 for a directory or a link, 0 for what is only noted.
_DIR_OR_LINK = bytes(byte >> 4 in (stat.S_IFDIR >> 12, stat.S_IFLNK >> 12) for byte in range(256))
LISTED, DENIED, UNLISTED, OTHER_SYSTEM, CANCELLED, VANISHED, FAILED = range(7)
COUNTER_BYTES = 64  # per walker in the shared file, after the first such stretch
Item = tuple[bytes, int, int, int, bool]  # path, number, depth, inode (0: do not check), below a followed link


class Walker:
    """Lists directories from its own stack and gives half of it away when others are hungry."""

    def __init__(self, setup: "dict[str, Any]") -> None:
        self.wid: int = setup["wid"]
        self.depth_limit: int = setup["depth_limit"]
        self.cross: bool = setup["cross"]
        self.follow: bool = setup["follow"]
        self.root: bytes = setup["root"]
        self.root_device: int = setup["device"]
        self.statx = Statx()
        self.whereabouts = Whereabouts(self.statx, None if self.cross else self.root_device)
        self.part = PartFile(setup["part"])
        with open(setup["shared"], "r+b") as shared:
            self.shared = mmap.mmap(shared.fileno(), 0)
        self.counters = memoryview(self.shared).cast("q")
        self.first_counter = (self.wid + 1) * COUNTER_BYTES // 8
        self.parent = os.getppid()
        self.names: list[bytes] = []  # of each directory in one piece
        self.names_at = 0  # where the next name will stand among all of this walker's
        self.pending = 0  # rows in the buffer that are not in the part file yet
        self.rows = 0
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
            send("hungry")
        self.flush()
        send("done", self.finish())

    def walk(self, stack: list[Item]) -> None:
        since = 0
        counters = self.counters
        while stack:
            item = stack.pop()
            if counters[0]:
                self.block(item[1], self.rows, CANCELLED)
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

    def count(self) -> None:
        at, listed = self.first_counter, (len(self.blocks) + len(self.latest)) // BLOCK
        self.counters[at], self.counters[at + 1], self.counters[at + 2] = self.rows, listed, self.bytes

    def block(self, number: int, start: int, state: int) -> None:
        self.latest += (number, start, self.rows - start, state, time_ns(), self.names_at)

    def problem(self, item: Item, trouble: OSError) -> None:
        code = trouble.errno or 0
        state = (
            DENIED
            if code in (errno.EACCES, errno.EPERM)
            else VANISHED
            if code in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
            else FAILED
        )
        if state != VANISHED and len(self.problems) < 10_000:
            self.problems.append((item[0], code))
        self.block(item[1], self.rows, state)

    def enter(self, item: Item, stack: list[Item]) -> None:
        number, start = item[1], self.rows
        blind = False
        try:
            try:
                if not self.whereabouts.step_into(item[0], item[3]):
                    return self.block(number, start, VANISHED)  # another directory took its place
                names = os.listdir(b".")
            except PermissionError:  # names may be read there, but nothing about them
                blind = True
                names = list_blindly(item[0], item[3])
        except OSError as trouble:
            return self.problem(item, trouble)
        state, names_at = LISTED, self.names_at
        if len(names) <= CHUNK:
            if names:
                self.examine(names, item, stack, blind)
        else:
            for first in range(0, len(names), CHUNK):
                if first and self.counters[0]:
                    state = CANCELLED
                    break
                self.examine(names[first : first + CHUNK], item, stack, blind)
        self.latest += (number, start, self.rows - start, state, time_ns(), names_at)

    def examine(self, names: list[bytes], item: Item, stack: list[Item], blind: bool) -> None:
        count, at, row, statx = len(names), self.pending, self.rows, self.statx
        if at + count > CHUNK:
            self.flush()
            at = 0
        if blind:
            statx.blank(at, count)
        elif not statx.fill(names, at):
            names = statx.fill_one_by_one(names, at)
            count = len(names)
            if not count:
                return
        joined = b"\0".join(names)
        self.names.append(joined)
        self.names_at += len(joined) + 1
        self.pending = at + count
        self.rows = row + count
        if item[4]:
            self.aliased.extend(range(row, row + count))
        # The high byte of each mode tells the kind; only directories and links are looked at one by one.
        kinds = statx.u8[at * RECORD + 29 : (at + count) * RECORD : RECORD].tobytes()
        marks = kinds.translate(_DIR_OR_LINK)
        if 1 not in marks:
            return
        path, _, depth, _, alias = item
        below = path + b"/" if path != b"/" else path
        facts, depth, first = statx.u64, depth + 1, self.wid << 40
        inside: list[Item] = []
        i = marks.index(1)
        while i >= 0:
            if kinds[i] >= 0x80:
                self.found_link(path, names[i], depth, row + i)
            else:
                number = first | len(self.dir_rows)
                self.dir_rows.append(row + i)
                record = (at + i) * (RECORD // 8)
                if not self.cross and facts[record + 17] != self.root_device:
                    self.block(number, self.rows, OTHER_SYSTEM)
                elif 0 <= self.depth_limit <= depth:
                    self.block(number, self.rows, UNLISTED)
                else:
                    inside.append((below + names[i], number, depth, facts[record + 4], alias))
            i = marks.find(1, i + 1)
        stack += reversed(inside)  # entered in the order they stand in, so that rows are nearly in order already

    def found_link(self, path: bytes, name: bytes, depth: int, row: int) -> None:
        try:
            target = os.stat(name)
        except OSError:
            self.broken.append(row)
            return
        if not self.follow or not stat.S_ISDIR(target.st_mode) or 0 <= self.depth_limit <= depth:
            return
        if not self.cross and packed_device(target.st_dev) != self.root_device:
            return
        real = os.path.realpath(path + b"/" + name)
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        if not (real + b"/").startswith(inside) or (path + b"/").startswith(real + b"/"):
            return  # leads out of the root, or back to a directory above
        number = self.wid << 40 | len(self.dir_rows)
        self.dir_rows.append(row)
        self.followed.append(row)
        send("link", (real, number, depth, target.st_ino, True), (target.st_dev, target.st_ino))

    # -- the part file --------------------------------------------------------------------------------------------
    def flush(self) -> None:
        """Write the buffered records and forget them: memory stays flat however big the tree."""
        if self.pending:
            self.bytes += self.part.add(self.statx, self.pending, self.names)
            self.names.clear()
            self.pending = 0
            self.settle()
            self.count()

    def settle(self) -> None:
        self.blocks.fromlist(self.latest)
        self.latest.clear()

    def finish(self) -> "dict[str, Any]":
        self.settle()
        found: dict[str, Any] = {"rows": self.rows, "problems": self.problems, "constants": self.part.constants()}
        for name in ("dir_rows", "broken", "aliased", "followed", "blocks"):
            found[name] = getattr(self, name).tobytes()
        return found


def main() -> None:
    """Take the setup, walk until told to end, hand over the result."""
    setup = receive()
    gc.disable()  # nothing here goes in circles, and looking for it costs
    try:
        os.nice(setup["nice"])
        walker = Walker(setup)
        send("hungry")
        walker.run()
        os._exit(0)  # everything is written; tidying up memory would only take time
    except BrokenPipeError:
        return
    except OSError as trouble:
        send("failed", trouble.errno or 0, str(trouble))
