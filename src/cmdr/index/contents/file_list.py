"""Many files by folder and name, so that each folder is named and opened once for all its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import PackedNames, packed
from cmdr.index.snapshots.view import View


@dataclass(frozen=True, eq=False)
class FileList(Sequence[bytes]):
    """Files in an order of their own; read as a sequence it has their paths."""

    folders: list[bytes]
    folder_of: Column
    names: PackedNames
    descriptors: Column | None = None
    """Where somebody else opened the files; below 0 it says why not, as -1 - FileState."""

    @classmethod
    def of_paths(cls, paths: Sequence[bytes]) -> "FileList":
        """The files at these paths; raises ValueError for one that no file can have."""
        if isinstance(paths, FileList):
            return paths
        numbers: dict[bytes, int] = {}
        folder_of, names = [], []
        for path in paths:
            folder, slash, name = path.rpartition(b"/")
            if not name or b"\0" in path:
                raise ValueError("No file has such a path.")
            folder_of.append(numbers.setdefault(folder or (slash or b"."), len(numbers)))
            names.append(name)
        joined = b"\0".join(names) + b"\0" if names else b""
        return cls(list(numbers), np.array(folder_of, np.uint32), packed(joined))

    @classmethod
    def of_rows(cls, view: View, rows: Column) -> "FileList":
        """The files in these rows of a view."""
        numbers, folder_of = np.unique(view.gather("pdir", rows), return_inverse=True)
        return cls(view.paths_of_directories(numbers), folder_of.astype(np.uint32), view.packed_names(rows))

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        at %= len(self)
        folder = self.folders[int(self.folder_of[at])]
        return folder + self.names[at] if folder.endswith(b"/") else folder + b"/" + self.names[at]

    @cached_property
    def folder_blob(self) -> bytes:
        """All folders, each ended by NUL."""
        return b"".join(one + b"\0" for one in self.folders)

    @cached_property
    def folder_at(self) -> Column:
        """Where each folder begins there."""
        ends = np.cumsum([0, *(len(one) + 1 for one in self.folders)])
        return ends[:-1].astype(np.uint64)
