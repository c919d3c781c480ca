"""What one walker saw, on its way to the snapshot: one small file for each column of facts, and one for the names.

A column in which every value is the same (most trees have one device and one owner) is told as that value and never
written. Walkers import this in a bare interpreter; the application reads the files with numpy.
"""

import os

from cmdr.index.scan.directory_reader import TIME_COLUMNS, WIDTHS, DirectoryReader

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

    def __init__(self, path: str, time_bytes: int) -> None:
        widths = dict.fromkeys(TIME_COLUMNS, time_bytes) | WIDTHS
        self.facts = {name: ColumnFile(f"{path}.{name}", width) for name, width in widths.items()}
        self.names = os.open(f"{path}.names", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def add(self, read: DirectoryReader) -> None:
        """Write what a reader holds."""
        for name, values in read.columns():
            self.facts[name].add(values, read.rows)
        write(self.names, read.names[: read.name_bytes])

    def constants(self) -> dict[str, bytes]:
        """The columns that have one value only, as bytes."""
        return {name: column.same for name, column in self.facts.items() if column.same is not None}


def write(file: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
