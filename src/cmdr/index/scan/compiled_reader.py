"""Reading directories with the library made of `read_directory.c`: one call for a directory, however many names.

It is optional. Where no compiler was at hand when cmdr was installed, `PythonReader` does the same.
"""

import ctypes
import os
from struct import Struct

from cmdr.index.scan.directory_reader import (
    NAME_CAPACITY,
    TIME_COLUMNS,
    WIDTHS,
    DirectoryReader,
    FoundEntry,
    PythonReader,
)
from cmdr.index.scan.statx import CHUNK

TYPE_CHECKING = False  # loading `typing` for it takes as long as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION = 1
_LIST_CAPACITY = 1 << 16
_ANY_DEVICE = _NONE_OPEN = (1 << 64) - 1
_OTHER_DIRECTORY = 2
_FOUND = Struct("QQIIII")
_NUMBERS = (
    *("inode", "device", "rows", "row_capacity", "names", "name_capacity", "founds", "size_sum"),
    *("list_capacity", "list_size", "list_at", "directory"),
)
_COLUMNS = dict.fromkeys(TIME_COLUMNS, 8) | WIDTHS
_INODE, _DEVICE, _ROWS, _, _NAMES, _, _FOUNDS, _SIZE_SUM = range(8)  # where they stand among the numbers


class _State(ctypes.Structure):
    """`struct reader`, field by field."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in _NUMBERS),
        *((name, ctypes.c_void_p) for name in ("list", "name_bytes", "found")),
        ("columns", ctypes.c_void_p * len(_COLUMNS)),
    )


def compiled_library() -> str | None:
    """Where the library is, if it was built."""
    from importlib.machinery import EXTENSION_SUFFIXES  # noqa: PLC0415

    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_read_directory")
    return next((here + suffix for suffix in EXTENSION_SUFFIXES if os.path.exists(here + suffix)), None)


def directory_reader(library: str | None) -> DirectoryReader:
    """The reader for a walker: the compiled one when the library at this path can be used."""
    if library is None:
        return PythonReader()
    try:
        # A walker has no other thread, so it may hold its interpreter during the calls, which is quickest.
        loaded = ctypes.PyDLL(library)
        if loaded.cmdr_reader_version() == _VERSION:
            return CompiledReader(loaded)
    except (OSError, AttributeError):  # made for another machine or another system
        pass
    return PythonReader()


class CompiledReader(DirectoryReader):
    """The reader whose work is done in C."""

    time_bytes = 8

    def __init__(self, library: ctypes.PyDLL) -> None:
        super().__init__()
        self.buffers = {name: ctypes.create_string_buffer(CHUNK * width) for name, width in _COLUMNS.items()}
        self.found_buffer = ctypes.create_string_buffer(CHUNK * _FOUND.size)
        self.found_bytes = memoryview(self.found_buffer)
        self.list_buffer = ctypes.create_string_buffer(_LIST_CAPACITY)
        self.state = _State(
            row_capacity=CHUNK,
            name_capacity=NAME_CAPACITY,
            list_capacity=_LIST_CAPACITY,
            directory=_NONE_OPEN,
            list=ctypes.addressof(self.list_buffer),
            name_bytes=ctypes.addressof(self.name_buffer),
            found=ctypes.addressof(self.found_buffer),
            columns=(ctypes.c_void_p * len(_COLUMNS))(*map(ctypes.addressof, self.buffers.values())),
        )
        self.numbers = memoryview(self.state).cast("B").cast("Q")
        self.shared = ctypes.byref(self.state)
        self.library = library
        self.call = library.cmdr_visit
        self.blind: list[bytes] = []  # names that are waiting, the next one last

    def visit(self, way: bytes, inode: int, device: int | None) -> bool:
        numbers = self.numbers
        numbers[_INODE], numbers[_DEVICE] = inode, _ANY_DEVICE if device is None else device
        answer = self.call(self.shared, way)
        if answer == _OTHER_DIRECTORY:
            return False
        self._take(answer)
        return True

    def take_blindly(self, names: list[bytes]) -> None:
        self.blind = names[::-1]
        self.read_on()

    def read_on(self) -> None:
        if not self.blind:
            return self._take(self.library.cmdr_read(self.shared))
        self.numbers[_FOUNDS] = 0
        while self.blind and not self.library.cmdr_note(self.shared, self.blind[-1]):
            self.blind.pop()
        self._take(bool(self.blind))

    def leave(self) -> None:
        super().leave()
        self.blind.clear()
        self.library.cmdr_close(self.shared)

    def columns(self) -> "Iterator[tuple[str, bytes]]":
        for name, width in _COLUMNS.items():
            yield name, ctypes.string_at(self.buffers[name], self.rows * width)

    def size_sum(self) -> int:
        return self.numbers[_SIZE_SUM]

    def clear(self) -> None:
        super().clear()
        for one in (_ROWS, _NAMES, _SIZE_SUM):
            self.numbers[one] = 0

    def _take(self, answer: int) -> None:
        if answer < 0:
            raise OSError(-answer, os.strerror(-answer))
        numbers = self.numbers
        self.rows, self.name_bytes, self.more = numbers[_ROWS], numbers[_NAMES], bool(answer)
        founds = numbers[_FOUNDS]
        self.found = self._found(founds) if founds else ()

    def _found(self, count: int) -> "Iterator[FoundEntry]":
        names = self.names
        for inode, device, mode, row, at, length in _FOUND.iter_unpack(self.found_bytes[: count * _FOUND.size]):
            yield row, names[at : at + length].tobytes(), mode, inode, device
