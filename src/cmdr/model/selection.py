"""What is selected in a listing: a set over all its rows, kept by identity when the folder changes."""

from collections.abc import Iterable, Iterator

from cmdr.model.listing import Columns


class Selection:
    """One flag for each row of the columns it belongs to."""

    __slots__ = ("_flags", "count")

    def __init__(self, rows: int = 0) -> None:
        self._flags = bytearray(rows)
        self.count = 0
        """How many rows are selected."""

    def __contains__(self, row: int) -> bool:
        return bool(self._flags[row])

    def add(self, rows: Iterable[int]) -> None:
        """Select more rows."""
        for row in rows:
            self._flags[row] = 1
        self.count = self._flags.count(1)

    def remove(self, rows: Iterable[int]) -> None:
        """Deselect rows."""
        for row in rows:
            self._flags[row] = 0
        self.count = self._flags.count(1)

    def toggle(self, row: int) -> None:
        """Turn one row over."""
        self._flags[row] ^= 1
        self.count += 1 if self._flags[row] else -1

    def clear(self) -> None:
        """Select nothing."""
        self._flags = bytearray(len(self._flags))
        self.count = 0

    def rows(self) -> Iterator[int]:
        """The selected rows, in name order."""
        row = self._flags.find(1)
        while row >= 0:
            yield row
            row = self._flags.find(1, row + 1)

    def carried(self, old: Columns, new: Columns) -> "Selection":
        """The same selection over new columns: by name, and by inode where an entry was renamed."""
        carried = Selection(len(new))
        if not self.count:
            return carried
        carried.add(follow(self.rows(), old, new))
        return carried


def follow(rows: Iterable[int], old: Columns, new: Columns) -> Iterator[int]:
    """Where entries of one reading of a folder stand in the next; entries that are gone are left out.

    The same name is the same entry, even when a program replaced the file behind it. A name that vanished may have
    been renamed: then the inode tells its new name, unless another old entry already had that name.
    """
    wanted = {old.name(row): old.inodes[row] for row in rows}
    renamed: dict[int, bytes] = {}
    if len(wanted) > 64:
        for row in range(len(new)):
            if new.name(row) in wanted:
                del wanted[new.name(row)]
                yield row
    else:
        for name in list(wanted):
            if (found := new.find(name)) is not None:
                del wanted[name]
                yield found
    renamed = {inode: name for name, inode in wanted.items() if inode}
    if renamed:
        for row, inode in enumerate(new.inodes):
            if inode in renamed and old.find(new.name(row)) is None:
                yield row
