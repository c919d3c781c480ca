"""Very large folders are read and sorted by a worker process that ends with its answer, the columns of a listing."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable, Iterator

from cmdr.files.errors import ReadFailed, ScanStopped, disk_error
from cmdr.files.folder_reader import FolderReader, OnProgress, Stopped, ignore_progress, never
from cmdr.files.worker_process import MORE, WorkerEnded, run_worker
from cmdr.model.panes.listing import Columns, FactColumns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

_SORTING = b"="
"""The disk is done."""
_HEAD = struct.Struct("=iQ?")
"""What failed, how many folders there are, and whether the entries are in the order they were read."""


def scan_in_process(
    path: bytes, sort: SortOrder, *, show_hidden: bool, stopped: Stopped = never, alive: OnProgress = ignore_progress
) -> Listing:
    """Read and sort a folder in a worker process; the calling thread waits, or ends it when `stopped` says so."""
    is_sorting = False

    def on_progress(sign: bytes) -> None:
        nonlocal is_sorting
        is_sorting = sign == _SORTING if sign else is_sorting
        if sign or is_sorting:
            alive()  # when it sorts it only computes, however long that takes
        if stopped():
            raise ScanStopped

    task = (sort.by.encode(), sort.direction.encode(), b"%d" % show_hidden, path)
    try:
        blocks = run_worker(__name__, task, on_progress)
    except WorkerEnded:
        raise ReadFailed(path, "the reading broke off") from None
    failed, folder_count, is_whole = _HEAD.unpack(blocks[0])
    if failed:
        raise disk_error(path, OSError(failed, os.strerror(failed)))
    names, starts, kinds, inodes, order, sizes, modified, created = blocks[1:]
    columns = Columns(
        names, _array("I", starts), kinds, _array("Q", inodes), folder_count,
        FactColumns(_array("q", sizes), _array("q", modified), _array("q", created)) if sizes else None,
    )  # fmt: skip
    return Listing(columns, range(len(columns)) if is_whole else _array("I", order), sort, show_hidden)


def work(task: Iterator[bytes], progress: Callable[[bytes], None]) -> list[bytes]:
    """In the worker: the columns of the folder, or what failed."""
    by, direction, show_hidden, path = task
    try:
        reading = FolderReader(path, alive=lambda: progress(MORE))
        with os.scandir(path) as entries:
            reading.take(entries)
        order = SortOrder(SortKey(by.decode()), Direction(direction.decode()))
        if not order.needs_facts:
            progress(_SORTING)
        listing = reading.listing(order, show_hidden=show_hidden == b"1")
    except OSError as error:
        return [_HEAD.pack(error.errno or 5, 0, False)]
    columns, is_whole = listing.columns, isinstance(listing.order, range)
    facts = (columns.facts.sizes, columns.facts.modified_ns, columns.facts.created_ns) if columns.facts else ()
    return [
        _HEAD.pack(0, columns.folder_count, is_whole),
        columns.names,
        columns.starts.tobytes(),
        columns.kinds,
        columns.inodes.tobytes(),
        b"" if is_whole else array("I", listing.order).tobytes(),
        *([column.tobytes() for column in facts] or [b""] * 3),
    ]


def _array(code: str, block: bytes) -> array[int]:
    column: array[int] = array(code)
    column.frombytes(block)
    return column
