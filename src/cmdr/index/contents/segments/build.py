"""Building segments with some niced worker processes, under names that count for nothing until they are taken over."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.segments.segment_file import SegmentRecord
from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Cancelled, WalkFailed
from cmdr.index.snapshots.columns import Column

STEP_FILES = 1 << 16
"""Files that one worker takes at once; a segment never has files of two steps."""
_MIN_STEP_FILES = 1 << 12
_MAX_WORKERS = 4
_PROGRESS_INTERVAL_S = 0.1
_WORK_MAGIC = 0x4B574E43
_COUNTERS = 2  # of each worker: files and bytes that it read
_START = "import sys; sys.path.append(sys.argv[1]); from cmdr.index.contents.segments.build_worker import main; main()"
_SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.path.pardir] * 4))


@dataclass(frozen=True)
class BuildProgress:
    """How far the building of an index of contents is."""

    files: int
    total_files: int
    bytes: int
    seconds: float

    @property
    def percent(self) -> float:
        return 100.0 * self.files / self.total_files if self.total_files else 100.0


@dataclass(frozen=True, eq=False)
class Built:
    """Segments in a scratch folder, and what became of each file: its state and its stamp."""

    segments: list[SegmentRecord]
    states: Column
    stamps: Column


@dataclass(frozen=True)
class BuildOptions:
    """How many workers there are, none for as many as there are cores, and how much they give way."""

    workers: int | None = None
    nice: int = 10
    racy_ns: int = 2 * 10**9
    """A file changed so shortly before it was read may change again without another time: it always may match."""


def build_segments(
    files: FileList,
    ids: Column,
    scratch: str,
    options: BuildOptions,
    progress: Callable[[BuildProgress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Built:
    """Index files, which have these ids, into segments in `scratch`; raises Cancelled, DiskFull and WalkFailed."""
    if not len(files):
        return Built([], np.empty(0, np.uint8), np.empty(0, np.uint64))
    count = max(1, min(options.workers or os.cpu_count() or 1, _MAX_WORKERS, -(-len(files) // _MIN_STEP_FILES)))
    step = min(STEP_FILES, max(_MIN_STEP_FILES, -(-len(files) // count)))
    with disk_full_as_error("the list of files to index"):
        work, notes = _write_work(files, ids, scratch, count)
    told = np.memmap(notes, np.uint8, "r")
    counters = told[: 8 * _COUNTERS * count].view(np.uint64)
    began = time.perf_counter()

    def report() -> None:
        if progress is not None:
            read = [int(counters[one::_COUNTERS].sum()) for one in range(_COUNTERS)]
            progress(BuildProgress(read[0], len(files), read[1], time.perf_counter() - began))

    setup = {"work": work, "notes": notes, "workers": count, "nice": options.nice, "racy_ns": options.racy_ns}
    pool = _Workers(count, setup, scratch)
    try:
        segments = pool.build(range(0, len(files), step), step, len(files), report, cancelled)
    finally:
        pool.end()
    report()
    stamps = told[8 * _COUNTERS * count :][: 8 * len(files)].view(np.uint64).copy()
    return Built(segments, told[len(told) - len(files) :].copy(), stamps)


def _write_work(files: FileList, ids: Column, scratch: str, workers: int) -> tuple[str, str]:
    """What the library reads, and the file in which it notes what became of each file."""
    work, notes = os.path.join(scratch, "work"), os.path.join(scratch, "notes")
    names = np.ascontiguousarray(files.names.blob)
    with open(work, "wb") as out:
        sizes = (_WORK_MAGIC, len(files), len(files.folders), len(files.folder_blob), len(names))
        out.write(np.array(sizes, "<u8").tobytes())
        out.write(files.folder_at.astype("<u8").tobytes())
        out.write(files.names.offsets[:-1].astype("<u8").tobytes())
        out.write(files.folder_of.astype("<u4").tobytes())
        out.write(ids.astype("<u4").tobytes())
        out.write(files.folder_blob)
        out.write(names.data)
    with open(notes, "wb") as out:  # written in full: a mapped file whose disk is full would end the worker
        left = 8 * _COUNTERS * workers + 9 * len(files)
        while left:
            left -= out.write(bytes(min(left, 1 << 20)))
        out.flush()
        os.fsync(out.fileno())
    return work, notes


class _Workers:
    """The worker processes of one build."""

    def __init__(self, count: int, setup: Mapping[str, object], scratch: str) -> None:
        self.scratch = scratch
        self.selector = selectors.DefaultSelector()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.ranges: dict[int, int] = {}  # by worker, the first file of what it builds
        self.made: dict[int, list[SegmentRecord]] = {}
        for number in range(count):
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _START, _SOURCE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # a terminal face may own the screen
            )
            self.processes.append(process)
            assert process.stdout is not None
            self.selector.register(process.stdout, selectors.EVENT_READ, number)
            self.tell(number, {**setup, "number": number})

    def tell(self, number: int, message: object) -> None:
        stream = self.processes[number].stdin
        assert stream is not None
        with suppress(BrokenPipeError):  # its end is noticed when reading
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()

    def build(
        self, firsts: range, step: int, total: int, report: Callable[[], None], cancelled: Callable[[], bool]
    ) -> list[SegmentRecord]:
        waiting = list(firsts)[::-1]

        def hand_out(number: int) -> None:
            if waiting:
                first = self.ranges[number] = waiting.pop()
                prefix = os.path.join(self.scratch, f"part-{first // step:06d}")
                self.tell(number, [first, min(first + step, total), prefix])

        for number in range(len(self.processes)):
            hand_out(number)
        reported = 0.0
        while self.ranges:
            for key, _ in self.selector.select(_PROGRESS_INTERVAL_S):
                self.take(key.data, step)
                hand_out(key.data)
            if cancelled():
                raise Cancelled("The building of the index of contents was stopped; nothing was changed.")
            if time.monotonic() - reported >= _PROGRESS_INTERVAL_S:
                reported = time.monotonic()
                report()
        return [record for first in sorted(self.made) for record in self.made[first]]

    def take(self, number: int, step: int) -> None:
        stream = self.processes[number].stdout
        assert stream is not None
        line = stream.readline()
        if not line.endswith(b"\n"):
            raise WalkFailed("A process that indexes contents ended early; nothing was changed.")
        count, numbers = json.loads(line)
        if count < 0:
            with disk_full_as_error("the index of contents; what was there stays in use"):
                raise OSError(-count, os.strerror(-count))
        first = self.ranges.pop(number)
        self.made[first] = [SegmentRecord(f"part-{first // step:06d}.{at:03d}", *one) for at, one in enumerate(numbers)]

    def end(self) -> None:
        for process in self.processes:
            process.kill()  # whatever it writes is thrown away, or was taken over already
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
            with suppress(subprocess.TimeoutExpired):  # stuck in the kernel: it ends when its mount answers
                process.wait(2)
        self.selector.close()
