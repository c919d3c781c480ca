"""Very large folders are read and sorted by a helper process that ends with its answer.

The helper writes a sign for every few thousand entries, one when the disk is done, and one before the finished columns,
which follow as a header of lengths and the raw arrays. Ending it is how a reading is stopped, even one that hangs on a
dead mount.
"""

from __future__ import annotations

import gc
import os
import select
import struct
import subprocess
import sys
from array import array
from typing import IO

from cmdr.files.errors import ReadFailed, ScanStopped, disk_error
from cmdr.files.folder_reader import Alive, FolderReader, Stopped, never, unheard
from cmdr.model.panes.listing import Columns, FactColumns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

_HEADER = struct.Struct("=8Q")
_FAILED = struct.Struct("=i")
_SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# No site packages and no user settings: the helper needs the standard library and cmdr's own modules only.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from cmdr.files.large_folder import main; main(sys.argv[2:])"


_MORE, _SORTING, _ANSWER = b"+", b"=", b"!"


def scan_in_process(
    path: bytes, sort: SortOrder, *, show_hidden: bool, stopped: Stopped = never, alive: Alive = unheard
) -> Listing:
    """Read and sort a folder in a helper process; the calling thread waits, or ends it when `stopped` says so."""
    command: list[str | bytes] = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        _PROGRAM,
        _SOURCE,
        sort.by,
        sort.direction,
        str(int(show_hidden)),
        path,
    ]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as helper:
        assert helper.stdout is not None
        try:
            _await_answer(helper.stdout, path, stopped, alive)
            return _receive(helper.stdout, path, sort, show_hidden=show_hidden)
        finally:
            helper.kill()


def _await_answer(stream: IO[bytes], path: bytes, stopped: Stopped, alive: Alive) -> None:
    signs = select.poll()  # `select` itself fails once the program holds a thousand files and sockets
    signs.register(stream, select.POLLIN)
    sorting = False
    while True:
        if signs.poll(100):
            sign = os.read(stream.fileno(), 1)
            if sign == _ANSWER:
                return
            if not sign:
                raise ReadFailed(path, "the reading broke off")
            sorting = sign == _SORTING
            alive()
        elif sorting:
            alive()  # it only computes now, however long that takes
        if stopped():
            raise ScanStopped


def main(arguments: list[str]) -> None:
    """The helper itself: read, sort, write, end."""
    gc.disable()  # nothing here makes cycles, and walking a million objects for them costs a second
    by, direction, show_hidden, folder = arguments
    path = os.fsencode(folder)
    out = sys.stdout.buffer

    def sign(letter: bytes = _MORE) -> None:
        out.write(letter)
        out.flush()

    try:
        reading = FolderReader(path, alive=sign)
        with os.scandir(path) as entries:
            reading.take(entries)
        order = SortOrder(SortKey(by), Direction(direction))
        if not order.needs_facts:
            sign(_SORTING)
        listing = reading.listing(order, show_hidden=show_hidden == "1")
    except OSError as error:
        out.write(_ANSWER)
        out.write(_FAILED.pack(error.errno or 5))
        return
    out.write(_ANSWER)
    out.write(_FAILED.pack(0))
    _send(listing, out)


def _send(listing: Listing, out: IO[bytes]) -> None:
    columns = listing.columns
    facts = columns.facts
    order = b"" if isinstance(listing.order, range) else array("I", listing.order).tobytes()
    blocks = [columns.names, columns.starts.tobytes(), columns.kinds, columns.inodes.tobytes(), order]
    blocks += (
        [column.tobytes() for column in (facts.sizes, facts.modified_ns, facts.created_ns)] if facts else [b""] * 3
    )
    out.write(_HEADER.pack(*map(len, blocks)))
    out.write(struct.pack("=Q?", columns.folder_count, isinstance(listing.order, range)))
    for block in blocks:
        out.write(block)


def _receive(stream: IO[bytes], path: bytes, sort: SortOrder, *, show_hidden: bool) -> Listing:
    try:
        (failed,) = _FAILED.unpack(stream.read(_FAILED.size))
        if failed:
            raise disk_error(path, OSError(failed, os.strerror(failed)))
        lengths = _HEADER.unpack(stream.read(_HEADER.size))
        folder_count, whole = struct.unpack("=Q?", stream.read(9))
        blocks = [stream.read(length) for length in lengths]
    except struct.error as error:
        raise ReadFailed(path, "the reading broke off") from error
    if tuple(map(len, blocks)) != lengths:
        raise ReadFailed(path, "the reading broke off")
    names, starts, kinds, inodes, order, sizes, modified, created = blocks
    columns = Columns(
        names, _array("I", starts), kinds, _array("Q", inodes), folder_count,
        FactColumns(_array("q", sizes), _array("q", modified), _array("q", created)) if sizes else None,
    )  # fmt: skip
    return Listing(columns, range(len(columns)) if whole else _array("I", order), sort, show_hidden)


def _array(code: str, block: bytes) -> array[int]:
    column: array[int] = array(code)
    column.frombytes(block)
    return column
