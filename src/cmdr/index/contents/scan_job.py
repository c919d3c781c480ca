"""A job of the library: files looked through in its threads, told chunk by chunk in the order of the files."""

import ctypes
from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from cmdr.index.contents.file_list import FileList
from cmdr.index.snapshots.columns import Column
from cmdr.model.contents import MAX_LINE_BYTES

MAX_NEEDLES = 64
_WAIT_MS = 50
_CHUNK, _FAILED, _ALL = 1, -1, 2
FILE_RECORD = np.dtype(
    [("bytes", "<u8"), ("count", "<u8"), ("file", "<u4"), ("state", "<u4"), ("first", "<u4"), ("kept", "<u4")]
)
LINE_RECORD = np.dtype(
    [("offset", "<u8"), ("text_at", "<u8")]
    + [(name, "<u4") for name in ("line", "length", "start", "end", "facts", "file")]
)
NOT_UTF8 = 1
"""Among the facts of a line."""


class Mode(IntEnum):
    """What a job brings of each text."""

    LINES = 0  # the first lines with a needle, and how many there are
    CANDIDATES = 1  # every line with a needle, whole
    WHOLE = 2  # all of it, in pieces of whole lines


class FileState(IntEnum):
    """What became of a file that was to be read; the numbers are stored in indexes."""

    TEXT = 0
    EMPTY = 1
    BINARY = 2
    TOO_BIG = 3
    DENIED = 4
    GONE = 5
    SPECIAL = 6
    BROKEN = 7


class CFileList(ctypes.Structure):
    """`file_list` of the library."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("folders", "names", "folder_at", "name_at", "folder_of", "descriptors")),
        ("count", ctypes.c_uint64),
    )


class _Options(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint32)
        for name in (
            "mode",
            "lines_per_file",
            "count_lines",
            "max_line",
            "threads",
            "needles",
            "has_descriptors",
            "portion",
        )
    )


class _Chunk(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("next", "files", "lines", "text")),
        *((name, ctypes.c_uint64) for name in ("file_count", "line_count", "text_size")),
    )


@dataclass(frozen=True)
class JobOptions:
    """What is wanted of each text, and how many threads look."""

    mode: Mode
    lines_per_file: int = 0
    count_lines: bool = False
    threads: int = 1
    portion: int = 32
    """Files that a thread takes at once; what they bring comes together."""


class Chunk:
    """What some files brought; its columns may be read until it is freed."""

    def __init__(self, library: ctypes.CDLL, address: int) -> None:
        self._library, self._address = library, address
        raw = _Chunk.from_address(address)
        self.files = _column(raw.files, raw.file_count, FILE_RECORD)
        self.lines = _column(raw.lines, raw.line_count, LINE_RECORD)
        self.text = _column(raw.text, raw.text_size, np.dtype(np.uint8))

    def text_of(self, line: Any) -> bytes:
        """The text of one of the lines."""
        at = int(line["text_at"])
        return self.text[at : at + int(line["length"])].tobytes()

    def free(self) -> None:
        """Give the memory back; nothing of the chunk may be read any more."""
        self._library.cmdr_chunk_free(self._address)
        del self.files, self.lines, self.text


def run_job(
    library: ctypes.CDLL, files: FileList, needles: list[bytes], options: JobOptions, go_on: Callable[[], bool]
) -> Generator[Chunk, None, None]:
    """The chunks of a job, each to be freed by who takes it. Ends with the last one, or when `go_on` says no.

    Descriptors of the list are the library's from now on.
    """
    job = _start(library, files, needles, options)
    place = ctypes.c_void_p()
    try:
        while go_on():
            said = library.cmdr_scan_next(job, _WAIT_MS, ctypes.byref(place))
            if said == _ALL:
                return
            if said == _FAILED:
                raise MemoryError("There is not enough memory for what was found.")
            if said == _CHUNK and place.value is not None:
                yield Chunk(library, place.value)
    finally:
        library.cmdr_scan_leave(job)


def _start(library: ctypes.CDLL, files: FileList, needles: list[bytes], options: JobOptions) -> int:
    listed, kept = c_file_list(files)
    joined = b"".join(needles)
    wanted = _Options(
        options.mode,
        options.lines_per_file,
        options.count_lines,
        MAX_LINE_BYTES,
        options.threads,
        len(needles),
        files.descriptors is not None,
        options.portion,
    )
    job = library.cmdr_scan_start(
        ctypes.byref(listed),
        len(files.folders),
        len(files.folder_blob),
        len(files.names.blob),
        joined,
        len(joined),
        ctypes.byref(wanted),
    )
    del kept  # the library has copies now
    if job is None:
        raise MemoryError("The search of contents could not be started.")
    return int(job)


def c_file_list(files: FileList) -> tuple[CFileList, tuple[object, ...]]:
    """A list as the library reads it, and what must be kept while it does."""
    folder_at = np.ascontiguousarray(files.folder_at, np.uint64)
    name_at = np.ascontiguousarray(files.names.offsets[:-1], np.uint64)
    folder_of = np.ascontiguousarray(files.folder_of, np.uint32)
    names = np.ascontiguousarray(files.names.blob)
    folders = np.frombuffer(files.folder_blob, np.uint8)
    kept = (folders, names, folder_at, name_at, folder_of)
    opened = files.descriptors
    places = (*(one.ctypes.data for one in kept), None if opened is None else opened.ctypes.data)
    return CFileList(*places, len(files)), (*kept, opened)


def _column(address: int | None, count: int, dtype: np.dtype[Any]) -> Column:
    if not address or not count:
        return np.empty(0, dtype)
    raw = memoryview((ctypes.c_char * (count * dtype.itemsize)).from_address(address)).cast("B")
    return np.frombuffer(raw, dtype)
