"""One folder per snapshot, written once: raw columns and a manifest that vouches for them.

A new snapshot is written beside the old one under a temporary name, synced, and renamed: whoever is killed when, the
newest complete folder is valid. Opening checks the manifest's own checksum and every file's length; `verify` reads
everything again and compares the checksums.
"""

import ctypes
import errno
import json
import os
import shutil
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cmdr.index.errors import Cancelled, Corrupt, DiskFull
from cmdr.index.snapshots.columns import Column

FORMAT = 1
_MANIFEST = "manifest.json"
_STEP = 1 << 24
_MAX_WAITING_COLUMNS = 4  # columns that wait for their turn to be written; they hold memory
# Columns begin their way to the disk as soon as they are written, and are waited for all together: one commit of the
# file system's journal instead of one for each.
_start_writing = getattr(ctypes.CDLL(None), "sync_file_range", None)


@dataclass(frozen=True)
class Manifest:
    """What a snapshot holds: facts about the scan, and dtype, length and checksum of every column."""

    facts: dict[str, Any]
    files: dict[str, tuple[str, int, int]]


class SnapshotWriter:
    """Writes columns into a folder that only becomes visible with `commit`."""

    def __init__(self, home: str, name: str) -> None:
        self.home, self.name = home, name
        self.folder = os.path.join(home, name + ".tmp")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.files: dict[str, tuple[str, int, int]] = {}
        # Checksums and writing of finished columns run beside the computing of the next ones.
        self._writer_thread = ThreadPoolExecutor(1, "cmdr-index-write")
        self._jobs: dict[str, Future[None]] = {}
        self._slots = threading.Semaphore(_MAX_WAITING_COLUMNS)
        self.streams: list[Stream] = []

    def put(self, name: str, values: Column, dtype: str) -> Column:
        """Store a whole column; answers it in its stored type."""
        stored = np.ascontiguousarray(values, dtype)
        self._slots.acquire()
        job = self._jobs[name] = self._writer_thread.submit(self._write, name, stored, dtype)
        job.add_done_callback(lambda _: self._slots.release())
        return stored

    def written(self, name: str) -> Column:
        """A column that was put, or a stream that was closed, as it is stored now: mapped, it needs no memory."""
        if name in self._jobs:
            self._jobs[name].result()
        dtype, size, _ = self.files[name]
        path = os.path.join(self.folder, name)
        return np.memmap(path, dtype, "r").view(np.ndarray) if size else np.empty(0, dtype)

    def stream(self, name: str) -> "Stream":
        """Store a long byte column piece by piece."""
        return Stream(self, name)

    def _write(self, name: str, stored: Column, dtype: str) -> None:
        out = Stream(self, name, dtype)
        data = stored.data.cast("B") if stored.size else memoryview(b"")
        for first in range(0, len(data), _STEP):
            out.write(data[first : first + _STEP])
        out.close()

    def commit(self, facts: dict[str, Any]) -> str:
        """Make the snapshot durable and visible in one step."""
        try:
            self._wait_for_all()
            for name in self.files:
                _sync(os.path.join(self.folder, name), os.O_RDONLY)
            body = json.dumps({"format": FORMAT, "facts": facts, "files": self.files}, sort_keys=True).encode()
            path = os.path.join(self.folder, _MANIFEST)
            with open(path, "wb") as out:
                out.write(b"%08x\n" % zlib.crc32(body) + body)
                out.flush()
                os.fsync(out.fileno())
            _sync(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            final = os.path.join(self.home, self.name)
            shutil.rmtree(final, ignore_errors=True)
            os.rename(self.folder, final)
            _sync(self.home, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as trouble:
            raise self.translate(trouble) from trouble
        finally:
            self.abandon()
        return final

    def _wait_for_all(self) -> None:
        while self._jobs:
            self._jobs.popitem()[1].result()

    def abandon(self) -> None:
        """Drop what was written and not committed."""
        self._writer_thread.shutdown(wait=True, cancel_futures=True)
        self._jobs.clear()  # a failure in one and its frames would hold each other, and the room of files with them
        for stream in self.streams:  # a file that is still open would keep its room on the disk
            stream.out.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def translate(self, trouble: OSError) -> Exception:
        """A full disk is its own error; anything else stays what it is."""
        if trouble.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull("There is no room on the disk for the new epoch; the old one stays in use.")
        return trouble


class Stream:
    """One column being written."""

    def __init__(self, writer: SnapshotWriter, name: str, dtype: str = "u1") -> None:
        self.writer, self.name, self.dtype = writer, name, dtype
        self.size = self.crc = 0
        self.out = open(os.path.join(writer.folder, name), "wb", buffering=0)  # noqa: SIM115 - closed by `close`
        writer.streams.append(self)

    def write(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        self.crc = zlib.crc32(view, self.crc)
        self.size += len(view)
        while view:
            view = view[self.out.write(view) :]

    def close(self) -> None:
        if _start_writing is not None:
            _start_writing(self.out.fileno(), ctypes.c_int64(0), ctypes.c_int64(0), 2)  # SYNC_FILE_RANGE_WRITE
        self.out.close()
        self.writer.files[self.name] = (self.dtype, self.size, self.crc)


class StoredColumns:
    """The mapped columns of one committed snapshot."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.manifest = _read_manifest(folder)
        for name, (_, size, _) in self.manifest.files.items():
            try:
                actual = os.stat(os.path.join(folder, name)).st_size
            except OSError as trouble:
                raise Corrupt(f"Column {name} of the index is missing.") from trouble
            if actual != size:
                raise Corrupt(f"Column {name} of the index is {actual:,} bytes long instead of {size:,}.")

    @property
    def size(self) -> int:
        """Bytes of all columns together."""
        return sum(size for _, size, _ in self.manifest.files.values())

    def column(self, name: str) -> Column:
        """A column, read only, without a copy."""
        dtype, size, _ = self.manifest.files[name]
        if not size:
            return np.empty(0, dtype)
        return np.asarray(np.memmap(os.path.join(self.folder, name), dtype, "r"))

    def changeable(self, name: str) -> Column:
        """A column whose values may be changed in memory; what is stored stays as it is."""
        dtype, size, _ = self.manifest.files[name]
        return np.asarray(np.memmap(os.path.join(self.folder, name), dtype, "c")) if size else np.empty(0, dtype)

    def has(self, name: str) -> bool:
        return name in self.manifest.files

    def verify(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Read every column and compare its checksum; raises when one byte is wrong."""
        for name, (_, _, crc) in self.manifest.files.items():
            found = 0
            with open(os.path.join(self.folder, name), "rb") as column:
                while piece := column.read(_STEP):
                    found = zlib.crc32(piece, found)
                    if stop():
                        raise Cancelled("The check of the stored columns was stopped.")
            if found != crc:
                raise Corrupt(f"Column {name} of the index is damaged.")


def _read_manifest(folder: str) -> Manifest:
    try:
        with open(os.path.join(folder, _MANIFEST), "rb") as file:
            crc, _, body = file.read().partition(b"\n")
        if int(crc, 16) != zlib.crc32(body):
            raise Corrupt("The index's manifest is damaged.")
        data = json.loads(body)
        if data["format"] != FORMAT:
            raise Corrupt("The index was written by another version.")
        return Manifest(data["facts"], {name: tuple(entry) for name, entry in data["files"].items()})
    except (OSError, ValueError, KeyError) as trouble:
        raise Corrupt("The index's manifest is missing or unreadable.") from trouble


def _sync(path: str, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def snapshot_name(number: int) -> str:
    """The folder of a snapshot; names sort as numbers do."""
    return f"epoch-{number:08d}"
