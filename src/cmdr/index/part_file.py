"""What one walker saw, on its way to the epoch: one small file for each column of facts, and one for the names.

A column in which every value is the same (most trees have one device and one owner) is told as that value and never
written. Walkers import this in a bare interpreter; the application reads the files with numpy.
"""

import os

from cmdr.index.statx import RECORD, Statx

# Where a column stands in `struct statx`, counted in its own width.
MOMENTS = {"born": 5, "ctime": 6, "mtime": 7}  # seconds, nanoseconds and nothing, in 8, 4 and 4 bytes
WIDE = {"ino": 4, "size": 5, "blocks": 6, "device": 17}
HALF = {"nlink": 4, "uid": 5}
NARROW = {"mode": 14}
BLOCK = 6  # numbers for each directory: directory, first row, rows, state, when listed, where its names begin
_RUN = 1 << 16


class ColumnFile:
    """One column; a file only when it holds different values."""

    def __init__(self, path: str, width: int) -> None:
        self.path, self.width = path, width
        self.same: bytes | None = None
        self.rows = 0
        self.file = -1

    def add(self, values: bytes, count: int) -> None:
        if self.file < 0:
            same = self.same or values[: self.width]
            if values == same * count:
                self.same = same
                self.rows += count
                return
            self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            for first in range(0, self.rows, _RUN):
                write(self.file, same * min(_RUN, self.rows - first))
            self.same = None
        write(self.file, values)


class PartFile:
    """All columns of one walker."""

    def __init__(self, path: str) -> None:
        views = ((MOMENTS, "moments", 16), (WIDE, "u64", 8), (HALF, "u32", 4), (NARROW, "u16", 2))
        self.facts = [
            (view, RECORD // width, name, at, ColumnFile(f"{path}.{name}", width))
            for columns, view, width in views
            for name, at in columns.items()
        ]
        self.names = os.open(f"{path}.names", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def add(self, records: Statx, count: int, names: list[bytes]) -> int:
        """Write the first records of the buffer with their names; answers the sum of the sizes.

        Names come in as they were listed, many in one piece with NUL between them.
        """
        total = 0
        for view, step, name, at, column in self.facts:
            values = getattr(records, view)[at : count * step : step]
            column.add(values.tobytes(), count)
            if name == "size":
                total = sum(values.tolist())
        write(self.names, b"\0".join(names) + b"\0")
        return total

    def constants(self) -> dict[str, bytes]:
        """The columns that have one value only, as bytes."""
        return {name: column.same for _, _, name, _, column in self.facts if column.same is not None}


def write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
