"""The ways between rows and paths."""

from cmdr.index.columns import Column
from cmdr.index.errors import NotIndexed
from cmdr.index.segment import Segment
from cmdr.index.view_rows import RowsView
from cmdr.model.names import to_wire

_SMALL = 1 << 16


class PathsView(RowsView):
    """Paths of rows, and rows of paths."""

    def directory_path(self, directory: int) -> bytes:
        """The full path of a directory."""
        parts: list[bytes] = []
        rows, parents = self.dirs["drow"], self.dirs["dpar"]
        while directory:
            parts.append(self.name(int(rows[directory])))
            directory = int(parents[directory])
        return _join(self.root, b"/".join(reversed(parts)))

    def path(self, row: int) -> bytes:
        """The full path of a row."""
        if not row:
            return self.root
        return _join(self.directory_path(self.value("pdir", row)), self.name(row))

    def paths(self, rows: Column) -> list[bytes]:
        """Full paths of many rows; each directory's path is put together once."""
        known: dict[int, bytes] = {}
        out = []
        for row, name, parent in zip(rows.tolist(), self.names(rows), self.gather("pdir", rows).tolist(), strict=True):
            above = known.get(parent)
            if above is None:
                path = self.directory_path(parent)
                above = known[parent] = path if path.endswith(b"/") else path + b"/"
            out.append(above + name if row else self.root)
        return out

    def directory_paths(self) -> list[bytes]:
        """The paths of all directories by number, quickly: a parent's number is always smaller."""
        parents = self.dirs["dpar"].tolist()
        names = self.names(self.dirs["drow"])
        out = [self.root]
        for number in range(1, len(parents)):
            above = out[parents[number]]
            out.append(above + b"/" + names[number] if above != b"/" else b"/" + names[number])
        return out

    def find(self, path: bytes) -> int:
        """The row at a path; raises NotIndexed."""
        if path == self.root:
            return 0
        inside = self.root if self.root.endswith(b"/") else self.root + b"/"
        if not path.startswith(inside):
            raise NotIndexed(f"{to_wire(path)} is not below {to_wire(self.root)}.")
        row, directory = 0, 0
        parts = [part for part in path[len(inside) :].split(b"/") if part]
        for number, part in enumerate(parts):
            found = self.child(directory, part)
            if found is None:
                raise NotIndexed(f"The index does not know {to_wire(path)}.")
            row = found
            if number + 1 < len(parts):
                below = self.directory(row)
                if below is None:
                    raise NotIndexed(f"The index does not know {to_wire(path)}.")
                directory = below
        return row

    def child(self, directory: int, name: bytes) -> int | None:
        """The row of a directory's child by its name."""
        rows = self.child_rows(directory)
        if not rows or not name or b"\0" in name:
            return None
        segment, first = self.home(rows.start)
        place = _whole_name(segment, first, len(rows), name)
        return None if place is None else rows.start + place


def _join(above: bytes, name: bytes) -> bytes:
    if not name:
        return above
    return above + name if above.endswith(b"/") else above + b"/" + name


def _whole_name(segment: Segment, first: int, count: int, name: bytes) -> int | None:
    """Which of `count` names, from row `first` on, is this one."""
    start, end = int(segment.noff[first]), int(segment.noff[first + count])
    if end - start > _SMALL:
        return _among_many(segment, first, start, end, name)
    data = b"\0" + segment.blob[start:end]
    at = data.find(b"\0" + name + b"\0")
    return None if at < 0 else data.count(b"\0", 0, at)


def _among_many(segment: Segment, first: int, start: int, end: int, name: bytes) -> int | None:
    from stringzilla import Str  # type: ignore[import-not-found]  # it ships no types

    blob = segment.blob[start:end]
    if bytes(blob[: len(name) + 1]) == name + b"\0":
        return 0
    at = int(Str(blob).find(b"\0" + name + b"\0"))
    if at < 0:
        return None
    row = int(segment.noff.searchsorted(segment.noff.dtype.type(start + at + 1), side="right")) - 1
    return row - first
