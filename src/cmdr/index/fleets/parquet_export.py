"""An index as Parquet that any engine reads: one file for each host and root, the usual way of partitions.

Every predicate of the filter that needs no index has its column (`export_rows`), so `fleet` and other engines find
in many exports what the index finds in one tree. A file takes its place in one step: whoever reads meanwhile has the
earlier export or this one, never half of either.
"""

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Cancelled, ExportRunning
from cmdr.index.fleets.export_rows import ExportedRows
from cmdr.index.query.queries import IndexQueries
from cmdr.index.snapshots.columns import Column
from cmdr.model.filters.filter import EVERYTHING
from cmdr.model.names import to_wire

if TYPE_CHECKING:
    import polars as pl

VERSION = "2"
"""Of the columns and what they mean; it stands in every file, for whoever compiles filters to them."""
VERSION_KEY, WHEN_KEY, HOST_KEY, ROOT_KEY = "cmdr.export", "cmdr.exported_ns", "cmdr.host", "cmdr.root"
FILE = "rows.parquet"
ROWS_AT_ONCE = 1 << 18
_COMING = ".coming"  # no reader takes it for Parquet
_PIECES = 32  # of a megabyte: more than is written at once
_MAX_PARTITION_BYTES = 200  # bytes of a partition's name; a file system takes 255


@dataclass(frozen=True)
class Exported:
    """Where an export was written, and how much."""

    folder: str
    rows: int
    bytes: int


def export(
    answers: IndexQueries, root: bytes, to: str, host: str, stop: Callable[[], bool] = lambda: False
) -> Exported:
    """Write every entry at and below `root`; an earlier export of the same root is replaced when all is written."""
    place = os.path.join(to, partition("machine", host), partition("tree", to_wire(root)))
    found = answers.ask(EVERYTHING, root, stop)
    view = found.view
    rows = np.concatenate([[answers.row(root, view)], found.rows])
    with disk_full_as_error("the export; an earlier one stays"):
        os.makedirs(place, exist_ok=True)
        with _coming(place) as path:
            _write(ExportedRows(view, host, root), rows, path, stop)
            size = os.stat(path).st_size
            os.replace(path, os.path.join(place, FILE))
        _make_last(place)
    return Exported(place, len(rows), size)


def partition(name: str, value: str) -> str:
    """The folder for a value, such as `machine=web1`; one that is too long for a name keeps its beginning.

    It is a label: engines make columns of such folders, not all of them undo the escapes, and `host` and `root` must
    stay what the rows say. So these have other names.
    """
    label = quote(value, safe="")
    if len(label) > _MAX_PARTITION_BYTES:
        whole = re.sub(r"%.?$", "", label[: _MAX_PARTITION_BYTES - 17])
        label = whole + "~" + hashlib.sha256(value.encode()).hexdigest()[:16]
    return f"{name}={label}"


@contextmanager
def _coming(place: str) -> Iterator[str]:
    """A file that nobody else writes, and that is gone when it did not take its place."""
    path = os.path.join(place, _COMING)
    while True:
        fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            shown = to_wire(os.fsencode(place))
            raise ExportRunning(f"{shown} is being written by another export; try again when it is done.") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                break
        os.close(fd)  # it took its place between the two steps
    try:
        yield path
    finally:
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                os.unlink(path)
        os.close(fd)


def _write(columns: ExportedRows, rows: Column, path: str, stop: Callable[[], bool]) -> None:
    from polars.io.plugins import register_io_source  # heavy, and only needed here

    trouble: list[Exception] = []

    def piece(first: int) -> "pl.DataFrame":
        if stop():
            raise Cancelled("The export was stopped.")
        return columns.frame(rows[first : first + ROWS_AT_ONCE])

    def pieces(*_: object) -> "Iterator[pl.DataFrame]":
        """Piece by piece, so that a big tree needs little more memory than a small one. What goes wrong is kept, as
        polars would tell it in words of its own."""
        try:
            yield from map(piece, range(0, len(rows), ROWS_AT_ONCE))
        except Exception as error:
            trouble.append(error)
            raise

    source = register_io_source(pieces, schema=columns.frame(rows[:1]).schema)
    about = (VERSION, str(time.time_ns()), columns.host, columns.root.shown)
    metadata: dict[str, Any] = dict(zip((VERSION_KEY, WHEN_KEY, HOST_KEY, ROOT_KEY), about, strict=True))
    try:
        with open(path, "wb") as out:  # polars itself opens no path that is not text
            source.sink_parquet(
                out, compression="zstd", compression_level=1, row_group_size=ROWS_AT_ONCE, metadata=metadata
            )
            out.flush()
            os.fsync(out.fileno())
    except Exception:
        if trouble:
            raise trouble[0] from None
        _ask_the_disk(path)
        raise


def _ask_the_disk(path: str) -> None:
    """Polars does not tell why it could not write; when there is no room, writing more says so."""
    with open(path, "ab", buffering=0) as out:
        for _ in range(_PIECES):
            out.write(bytes(1 << 20))


def _make_last(place: str) -> None:
    """Make sure that the new file is there after a loss of power."""
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
