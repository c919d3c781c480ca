"""What is selected in a listing: a set over all its rows, kept by identity when the folder changes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from cmdr.model.panes.listing import Columns


class Selection:
    """One flag for each row of the columns it belongs to."""

    __slots__ = ("_flags", "chosen_by", "count", "version")

    def __init__(self, rows: int = 0) -> None:
        self._flags = bytearray(rows)
        self.count = 0
        """How many rows are selected."""
        self.version = 0
        """Rises with every change, so that whoever draws it can see one."""
        self.chosen_by = ""
        """The agent that chose just these rows itself; empty when anybody else has had a hand in it."""

    def __contains__(self, row: int) -> bool:
        return bool(self._flags[row])

    def add(self, rows: Iterable[int]) -> None:
        """Select more rows."""
        for row in rows:
            self._flags[row] = 1
        self.count = self._flags.count(1)
        self._changed()

    def remove(self, rows: Iterable[int]) -> None:
        """Deselect rows."""
        for row in rows:
            self._flags[row] = 0
        self.count = self._flags.count(1)
        self._changed()

    def add_mask(self, marks: bytearray) -> None:
        """Select every row that is marked."""
        self._become(self._number() | _number(marks))

    def remove_mask(self, marks: bytearray) -> None:
        """Deselect every row that is marked."""
        self._become(self._number() & ~_number(marks))

    def keep_mask(self, marks: bytearray) -> None:
        """Deselect every row that is not marked."""
        self._become(self._number() & _number(marks))

    def toggle_mask(self, marks: bytearray) -> None:
        """Turn every marked row over."""
        self._become(self._number() ^ _number(marks))

    def toggle(self, row: int) -> None:
        """Turn one row over."""
        self._flags[row] ^= 1
        self.count += 1 if self._flags[row] else -1
        self._changed()

    def clear(self) -> None:
        """Select nothing."""
        self._flags = bytearray(len(self._flags))
        self.count = 0
        self._changed()

    def copy(self) -> "Selection":
        """The same selection, which stays as it is when this one changes."""
        other = Selection()
        other._flags, other.count, other.chosen_by = bytearray(self._flags), self.count, self.chosen_by
        return other

    def rows(self) -> Iterator[int]:
        """The selected rows, in name order."""
        return self._rows_in(0, len(self._flags))

    def _changed(self) -> None:
        self.version += 1
        self.chosen_by = ""

    def _number(self) -> int:
        return _number(self._flags)

    def _become(self, number: int) -> None:
        self._flags = bytearray(number.to_bytes(len(self._flags), "little"))
        self.count = self._flags.count(1)
        self._changed()

    def carried(self, old: Columns, new: Columns) -> "Selection":
        """The same selection over new columns: by name, and by inode where an entry was renamed."""
        carried = Selection(len(new))
        if not self.count:
            return carried
        # Between two readings little changes: only what lies between the rows that are the same is looked for.
        head, tail = common_ends(old, new)
        carried._flags[:head] = self._flags[:head]
        carried._flags[len(new) - tail :] = self._flags[len(old) - tail :]
        carried.add(follow(self._rows_in(head, len(old) - tail), old, new, range(head, len(new) - tail)))
        carried.chosen_by = self.chosen_by
        return carried

    def _rows_in(self, start: int, end: int) -> Iterator[int]:
        row = self._flags.find(1, start, end)
        while row >= 0:
            yield row
            row = self._flags.find(1, row + 1, end)


def row_mask(rows: Iterable[int], total: int) -> bytearray:
    """One mark for each row of some columns, set for these; of a million rows it is made in a thread.

    Taking marks over into a selection is quick, however many there are.
    """
    marks = bytearray(total)
    if isinstance(rows, range) and rows.step == 1:
        marks[rows.start : rows.stop] = b"\1" * len(rows)
    else:
        for row in rows:
            marks[row] = 1
    return marks


def _number(marks: bytearray) -> int:
    # As numbers, a million marks are combined in a few milliseconds.
    return int.from_bytes(marks, "little")


def common_ends(old: Columns, new: Columns) -> tuple[int, int]:
    """How many rows at the beginning and at the end of two readings have the same names."""
    least = min(len(old), len(new))
    head, most = 0, least
    while head < most:
        middle = (head + most + 1) // 2
        start, end = old.starts[head], old.starts[middle]
        if new.starts[middle] == end and old.names[start:end] == new.names[start:end]:
            head = middle
        else:
            most = middle - 1
    tail, most = 0, least - head
    while tail < most:
        middle = (tail + most + 1) // 2
        mine = old.names[old.starts[len(old) - middle] : old.starts[len(old) - tail]]
        if mine == new.names[new.starts[len(new) - middle] : new.starts[len(new) - tail]]:
            tail = middle
        else:
            most = middle - 1
    return head, tail


def follow(rows: Iterable[int], old: Columns, new: Columns, among: range | None = None) -> Iterator[int]:
    """Where entries of one reading of a folder stand in the next; entries that are gone are left out.

    The same name is the same entry, even when a program replaced the file behind it. A name that vanished may have
    been renamed: then the inode tells its new name, unless another old entry already had that name. One entry never
    becomes two: of several new names for one inode, only as many count as have vanished. `among` tells which new rows
    can be meant at all.
    """
    among = range(len(new)) if among is None else among
    wanted = {old.name(row): old.inodes[row] for row in rows}
    if len(wanted) > 64:
        for row in among:
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
        for row, inode in _with_inodes(vanished, new, among):
            if vanished[inode] and old.find(new.name(row)) is None:
                vanished[inode] -= 1
                yield row


def _with_inodes(wanted: Counter[int], columns: Columns, among: range) -> Iterator[tuple[int, int]]:
    """Rows that may have one of these inodes; of a few inodes, found without looking at each row."""
    if len(wanted) > 8:
        yield from ((row, columns.inodes[row]) for row in among)
        return
    for inode in wanted:
        row = among.start - 1
        with suppress(ValueError):
            while True:
                row = columns.inodes.index(inode, row + 1, among.stop)
                yield row, inode
