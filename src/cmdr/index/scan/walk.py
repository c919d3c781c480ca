"""Walking a tree with several fresh interpreter processes that share one queue of work.

The application is never forked: each walker is a bare `python -I -S`. This side only passes spare work
from busy walkers to idle ones, reports progress and carries a cancel; it never touches the tree itself.
"""

import errno
import marshal
import math
import mmap
import os
import selectors
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from cmdr.index.errors import DiskFull, RootMissing, WalkFailed
from cmdr.index.scan import walker_process
from cmdr.index.scan.compiled_reader import compiled_library
from cmdr.index.scan.statx import packed_device
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import WalkOptions

ROOT_NUMBER = (1 << 63) - 1
"""The number of the root among the directories of a walk; walkers count their own from below."""
# A bare interpreter that finds this package and nothing else that is installed.
_START = "import sys; sys.path.append(sys.argv[1]); from cmdr.index.scan.walker_process import main; main()"
_SOURCE = os.path.abspath(os.path.join(os.path.dirname(walker_process.__file__), *[os.path.pardir] * 3))
_PROGRESS_INTERVAL_S = 0.1
_WAIT_CHECK_INTERVAL_S = 0.02  # seconds between two looks whether walkers wait for the disk
_MIN_WAITING_SHARE = 0.1  # of the walkers, on average: a tree in memory keeps none waiting
_WAITING_THRESHOLD = 0.5  # so much more than that, added up, is no chance any more
_CANCEL_TIMEOUT_S = 10.0  # for a walker to notice a cancel; on a dead mount it never will


@dataclass
class Part:
    """What one walker saw; the rows themselves are in its part files."""

    path: str
    rows: int
    found: dict[str, Any]


@dataclass
class ScanResult:
    """What a walk found: the part files of each walker, and the problems they met."""

    root: bytes
    root_facts: os.stat_result
    started_ns: int
    seconds: float
    cancelled: bool
    parts: list[Part]
    refused_links: set[int] = field(default_factory=set)  # followed by another link already
    problems: list[tuple[bytes, int]] = field(default_factory=list)


class Worker:
    """One walker process, seen from the application."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.buffer = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, _SOURCE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a terminal face may own the screen
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()

    def send(self, message: object) -> None:
        body = marshal.dumps(cast(Any, message))
        data = memoryview(len(body).to_bytes(4, "little") + body)
        with suppress(BrokenPipeError):  # its end is noticed when reading
            while data:
                data = data[os.write(self.into, data) :]

    def receive(self) -> list[tuple[Any, ...]]:
        data = os.read(self.out, 1 << 20)
        if not data:
            return [("ended",)]
        self.buffer += data
        messages = []
        while len(self.buffer) >= 4:
            size = int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) < 4 + size:
                break
            messages.append(marshal.loads(self.buffer[4 : 4 + size]))  # noqa: S302 - from our own walker
            del self.buffer[: 4 + size]
        return messages

    def end(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck in the kernel: it ends when its mount answers
                self.process.wait(1)

    def waits_for_disk(self) -> bool | None:
        """Whether it is held up by the disk just now; None where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/stat", "rb") as facts:
                return facts.read().rpartition(b") ")[2][:1] == b"D"
        except OSError:
            return None


@dataclass(frozen=True)
class Progress:
    """How far a scan is; `expected` is known only when an earlier snapshot counted the entries."""

    phase: str  # walking, building
    entries: int
    dirs: int
    bytes: int
    seconds: float
    expected: int | None = None

    @property
    def rate(self) -> float:
        """Entries per second."""
        return self.entries / self.seconds if self.seconds > 0 else 0.0

    @property
    def percent(self) -> float | None:
        """Share of the expected entries, or None when nothing is known to compare with."""
        if not self.expected:
            return None
        return min(99.0 if self.phase == "walking" else 100.0, 100.0 * self.entries / self.expected)


def walk(
    root: bytes,
    options: WalkOptions,
    scratch: str,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    expected: int | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> ScanResult:
    """List everything below `root` into part files in `scratch`; a cancel keeps what was read.

    What is done `meanwhile`, in a thread, is done when this answers.
    """
    try:
        facts = os.stat(root)
    except OSError as trouble:
        raise RootMissing(f"{to_wire(root)} cannot be indexed: {trouble.strerror}.") from trouble
    if not stat.S_ISDIR(facts.st_mode):
        raise RootMissing(f"{to_wire(root)} is not a folder, so there is no tree to index.")
    pool = _WorkerPool(root, facts, options, scratch)
    try:
        beside = threading.Thread(target=meanwhile, name="cmdr-index-meanwhile")
        beside.start()
        result = pool.work(progress, cancelled, expected)
        beside.join()
        return result
    finally:
        pool.end()


class _WorkerPool:
    """The walker processes of one scan and the queue between them."""

    def __init__(self, root: bytes, facts: os.stat_result, options: WalkOptions, scratch: str) -> None:
        self.root, self.facts, self.scratch = root, facts, scratch
        self.started_ns, self.started = time.time_ns(), time.perf_counter()
        cores = os.cpu_count() or 1
        self.most = options.workers or max(8, 2 * cores)
        self.batch = options.workers or max(2, cores)
        self.looked, self.waited = time.monotonic(), 0.0
        shared = os.path.join(scratch, "shared")
        with open(shared, "wb") as out:
            out.write(bytes(walker_process.COUNTER_BYTES * (self.most + 1)))
        with open(shared, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), 0)
        self.counters = memoryview(self.shared).cast("q")
        self.selector = selectors.DefaultSelector()
        self.queue: list[list[Any]] = [[(root, ROOT_NUMBER, 0, facts.st_ino, False)]]
        self.targets: set[tuple[int, int]] = set()
        self.refused: set[int] = set()
        self.idle: list[Worker] = []
        self.parts: list[Part] = []
        self.problems: list[tuple[bytes, int]] = []
        self.workers: list[Worker] = []
        self.setup = {
            "depth_limit": -1 if options.depth_limit is None else options.depth_limit,
            "cross": options.cross_file_systems,
            "follow": options.follow_symlinks,
            "root": root,
            "device": packed_device(facts.st_dev),
            "shared": shared,
            "nice": options.nice,
            "library": compiled_library(),
        }
        self.start_workers()

    def start_workers(self) -> None:
        """Start some more walkers."""
        for wid in range(len(self.workers), min(len(self.workers) + self.batch, self.most)):
            part = os.path.join(self.scratch, f"part-{wid}")
            worker = Worker(part)
            self.workers.append(worker)
            self.selector.register(worker.out, selectors.EVENT_READ, worker)
            worker.send(self.setup | {"wid": wid, "part": part})

    def start_more_if_waiting(self) -> None:
        """Walkers that wait for the disk leave the processor to others: more of them read more at once."""
        now = time.monotonic()
        if not self.can_start_more or now - self.looked < _WAIT_CHECK_INTERVAL_S:
            return
        waiting = sum(worker.waits_for_disk() is not False for worker in self.workers) / len(self.workers)
        self.looked, self.waited = now, max(0.0, self.waited + waiting - _MIN_WAITING_SHARE)
        if self.waited > _WAITING_THRESHOLD:
            self.waited = 0.0
            self.start_workers()

    @property
    def can_start_more(self) -> bool:
        return len(self.workers) < self.most and not self.idle and not self.parts

    def work(
        self, progress: Callable[[Progress], None] | None, cancelled: Callable[[], bool], expected: int | None
    ) -> ScanResult:
        reported, deadline = 0.0, math.inf
        while len(self.parts) < len(self.workers):
            for key, _ in self.selector.select(_WAIT_CHECK_INTERVAL_S if self.can_start_more else _PROGRESS_INTERVAL_S):
                for message in key.data.receive():
                    self.handle(key.data, message)
            self.hand_out()
            self.start_more_if_waiting()
            now = time.perf_counter()
            if not self.counters[0] and cancelled():
                self.counters[0] = 1
                deadline = now + _CANCEL_TIMEOUT_S
            if now > deadline:
                raise WalkFailed("The scan was stopped, but a folder does not answer; the old epoch is kept.")
            if progress is not None and now - reported >= _PROGRESS_INTERVAL_S:
                reported = now
                progress(self.progress(expected))
        if progress is not None:
            progress(self.progress(expected))
        seconds = time.perf_counter() - self.started
        stopped = bool(self.counters[0])
        found = sorted(self.parts, key=lambda part: part.found["wid"])
        return ScanResult(
            self.root, self.facts, self.started_ns, seconds, stopped, found, self.refused, sorted(self.problems)
        )

    def progress(self, expected: int | None) -> Progress:
        step = walker_process.COUNTER_BYTES // 8
        sums = [sum(self.counters[step + i :: step].tolist()) for i in range(3)]
        return Progress("walking", sums[0], sums[1], sums[2], time.perf_counter() - self.started, expected)

    def handle(self, worker: Worker, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind == "idle":
            self.idle.append(worker)
        elif kind == "spare":
            self.queue.append(message[1])
        elif kind == "link":
            item, target = message[1], message[2]
            if target in self.targets:
                self.refused.add(item[1])
            else:
                self.targets.add(target)
                self.queue.append([item])
        elif kind == "done":
            found = message[1]
            found["wid"] = self.workers.index(worker)
            self.parts.append(Part(worker.part, found["rows"], found))
            self.problems += found["problems"]
            self.selector.unregister(worker.out)
        elif kind == "failed":
            if message[1] == errno.ENOSPC:
                raise DiskFull("There is no room on the disk for the scan's notes; nothing was changed.")
            raise WalkFailed(f"A walker stopped: {message[2]}.")
        else:
            raise WalkFailed("A walker process ended early; the scan was given up and the old epoch kept.")

    def hand_out(self) -> None:
        while self.queue and self.idle:
            self.idle.pop().send(self.queue.pop(0))
        if len(self.idle) == len(self.workers):
            for worker in self.idle:
                worker.send(None)
            self.idle.clear()
            self.most = len(self.workers)  # who came now would wait for work that nobody brings
            self.counters[1] = 0
        else:
            self.counters[1] = len(self.idle)

    def end(self) -> None:
        """Leave no process behind, whatever happened."""
        self.counters[0] = 1
        for worker in self.workers:
            worker.end()
        self.selector.close()
        self.counters.release()
        self.shared.close()
