"""Walking a tree with several fresh interpreter processes that share one queue of work.

The application is never forked: each walker is a bare `python -I -S`. This side only passes spare work
from busy walkers to hungry ones, reports progress and carries a cancel; it never touches the tree itself.
"""

import errno
import math
import mmap
import os
import selectors
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cmdr.index.errors import DiskFull, RootMissing, WalkFailed
from cmdr.index.scan import walker_process
from cmdr.index.scan.compiled_reader import compiled_library
from cmdr.index.scan.hand import Hand
from cmdr.index.scan.harvest import ROOT_NUMBER, Harvest, Part
from cmdr.index.scan.statx import packed_device
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import WalkOptions

_TICK = 0.1
_LOOK = 0.02  # seconds between two looks whether walkers wait for the disk
_MUST_WAIT = 0.1  # on average over the looks, this share of the walkers and more: a tree in memory keeps none waiting
_CERTAIN = 0.5  # so much more than that, added up, is no chance any more
_PATIENCE = 10.0  # for a walker to notice a cancel; on a dead mount it never will


@dataclass(frozen=True)
class Progress:
    """How far a scan is; `expected` is known only when an earlier epoch counted the entries."""

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
) -> Harvest:
    """List everything below `root` into part files in `scratch`; a cancel keeps what was read.

    What is done `meanwhile`, in a thread, is done when this answers.
    """
    try:
        facts = os.stat(root)
    except OSError as trouble:
        raise RootMissing(f"{to_wire(root)} cannot be indexed: {trouble.strerror}.") from trouble
    if not stat.S_ISDIR(facts.st_mode):
        raise RootMissing(f"{to_wire(root)} is not a folder, so there is no tree to index.")
    crew = _Crew(root, facts, options, scratch)
    try:
        beside = threading.Thread(target=meanwhile, name="cmdr-index-meanwhile")
        beside.start()
        harvest = crew.work(progress, cancelled, expected)
        beside.join()
        return harvest
    finally:
        crew.end()


class _Crew:
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
        self.hungry: list[Hand] = []
        self.parts: list[Part] = []
        self.problems: list[tuple[bytes, int]] = []
        self.hands: list[Hand] = []
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
        self.hire()

    def hire(self) -> None:
        """Start some more walkers."""
        for wid in range(len(self.hands), min(len(self.hands) + self.batch, self.most)):
            part = os.path.join(self.scratch, f"part-{wid}")
            hand = Hand(part)
            self.hands.append(hand)
            self.selector.register(hand.out, selectors.EVENT_READ, hand)
            hand.send(self.setup | {"wid": wid, "part": part})

    def hire_when_waiting(self) -> None:
        """Walkers that wait for the disk leave the processor to others: more of them read more at once."""
        now = time.monotonic()
        if not self.may_hire or now - self.looked < _LOOK:
            return
        waiting = sum(hand.waits_for_disk() is not False for hand in self.hands) / len(self.hands)
        self.looked, self.waited = now, max(0.0, self.waited + waiting - _MUST_WAIT)
        if self.waited > _CERTAIN:
            self.waited = 0.0
            self.hire()

    @property
    def may_hire(self) -> bool:
        return len(self.hands) < self.most and not self.hungry and not self.parts

    def work(
        self, progress: Callable[[Progress], None] | None, cancelled: Callable[[], bool], expected: int | None
    ) -> Harvest:
        told, deadline = 0.0, math.inf
        while len(self.parts) < len(self.hands):
            for key, _ in self.selector.select(_LOOK if self.may_hire else _TICK):
                for message in key.data.receive():
                    self.take(key.data, message)
            self.feed()
            self.hire_when_waiting()
            now = time.perf_counter()
            if not self.counters[0] and cancelled():
                self.counters[0] = 1
                deadline = now + _PATIENCE
            if now > deadline:
                raise WalkFailed("The scan was stopped, but a folder does not answer; the old epoch is kept.")
            if progress is not None and now - told >= _TICK:
                told = now
                progress(self.progress(expected))
        if progress is not None:
            progress(self.progress(expected))
        seconds = time.perf_counter() - self.started
        stopped = bool(self.counters[0])
        found = sorted(self.parts, key=lambda part: part.found["wid"])
        return Harvest(
            self.root, self.facts, self.started_ns, seconds, stopped, found, self.refused, sorted(self.problems)
        )

    def progress(self, expected: int | None) -> Progress:
        step = walker_process.COUNTER_BYTES // 8
        sums = [sum(self.counters[step + i :: step].tolist()) for i in range(3)]
        return Progress("walking", sums[0], sums[1], sums[2], time.perf_counter() - self.started, expected)

    def take(self, hand: Hand, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind == "hungry":
            self.hungry.append(hand)
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
            found["wid"] = self.hands.index(hand)
            self.parts.append(Part(hand.part, found["rows"], found))
            self.problems += found["problems"]
            self.selector.unregister(hand.out)
        elif kind == "failed":
            if message[1] == errno.ENOSPC:
                raise DiskFull("There is no room on the disk for the scan's notes; nothing was changed.")
            raise WalkFailed(f"A walker stopped: {message[2]}.")
        else:
            raise WalkFailed("A walker process ended early; the scan was given up and the old epoch kept.")

    def feed(self) -> None:
        while self.queue and self.hungry:
            self.hungry.pop().send(self.queue.pop(0))
        if len(self.hungry) == len(self.hands):
            for hand in self.hungry:
                hand.send(None)
            self.hungry.clear()
            self.most = len(self.hands)  # who came now would wait for work that nobody brings
            self.counters[1] = 0
        else:
            self.counters[1] = len(self.hungry)

    def end(self) -> None:
        """Leave no process behind, whatever happened."""
        self.counters[0] = 1
        for hand in self.hands:
            hand.end()
        self.selector.close()
        self.counters.release()
        self.shared.close()
