"""What is selected in a listing: a set over all its rows, kept by identity when the folder changes."""

from collections import Counter
from collections.abc import Iterable, Iterator

from cmdr.model.listing import Columns


class Selection:
    """One flag for each row of the columns it belongs to."""

    __slots__ = ("_flags", "count", "version")

    def __init__(self, rows: int = 0) -> None:
        self._flags = bytearray(rows)
        self.count = 0
        """How many rows are selected."""
        self.version = 0
        """Rises with every change, so that whoever draws it can see one."""

    def __contains__(self, row: int) -> bool:
        return bool(self._flags[row])

    def add(self, rows: Iterable[int]) -> None:
        """Select more rows."""
        for row in rows:
            self._flags[row] = 1
        self.count = self._flags.count(1)
        self.version += 1

    def remove(self, rows: Iterable[int]) -> None:
        """Deselect rows."""
        for row in rows:
            self._flags[row] = 0
        self.count = self._flags.count(1)
        self.version += 1

    def toggle(self, row: int) -> None:
        """Turn one row over."""
        self._flags[row] ^= 1
        self.count += 1 if self._flags[row] else -1
        self.version += 1

    def clear(self) -> None:
        """Select nothing."""
        self._flags = bytearray(len(self._flags))
        self.count = 0
        self.version += 1

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
    been renamed: then the inode tells its new name, unless another old entry already had that name. One entry never
    becomes two: of several new names for one inode, only as many count as have vanished.
    """
    wanted = {old.name(row): old.inodes[row] for row in rows}
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
    vanished = Counter(inode for inode in wanted.values() if inode)
    if vanished:
        for row, inode in enumerate(new.inodes):
            if vanished[inode] and old.find(new.name(row)) is None:
                vanished[inode] -= 1
                yield row
