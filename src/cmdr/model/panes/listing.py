"""The contents of one folder as columns, and the order in which they are shown."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from cmdr.model.names import taken_for
from cmdr.model.panes.entry import FOLDER_LINK, Entry, Facts, FolderSize, Kind
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder, extension, name_order, order_by

UNKNOWN = -(2**63)
"""Stands in a fact column where nothing is known; times before 1970 are negative and known."""

_KINDS = {ord(kind): kind for kind in Kind} | {ord(FOLDER_LINK): Kind.LINK}


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Size and times of every entry, kept only when the sort needs them."""

    sizes: array[int]
    modified_ns: array[int]
    created_ns: array[int]
    folders_sized: bool = False
    """Whether the size of a folder is that of all it holds; only then are folders sorted by it."""
    are_changes: bool = False
    """Whether the sizes are by how much entries have changed; sorted by that, folders stand among the files."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """All entries of a folder in name order, folders first: a row number is a place in these columns.

    One block of bytes holds the names, each between two NULs, so that a million of them cost their letters and four
    bytes each.
    """

    names: bytes
    starts: array[int]
    """Where each name begins, and one more for the end."""
    kinds: bytes
    inodes: array[int]
    folder_count: int
    facts: FactColumns | None = None

    @classmethod
    def pack(
        cls, names: Sequence[bytes], kinds: Sequence[str], inodes: Sequence[int], facts: FactColumns | None = None
    ) -> Columns:
        """Columns from rows in any order."""
        folders = [kind in (Kind.FOLDER, FOLDER_LINK) for kind in kinds]
        order = name_order(names, folders)
        ordered = list(map(names.__getitem__, order))
        lengths = map(len, ordered)
        return cls(
            names=b"\0" + b"\0".join(ordered) + b"\0" if ordered else b"\0",
            starts=array("I", accumulate(lengths, lambda end, length: end + length + 1, initial=1)),
            kinds="".join(map(kinds.__getitem__, order)).encode(),
            inodes=array("Q", map(inodes.__getitem__, order)),
            folder_count=sum(folders),
            facts=facts
            and FactColumns(
                array("q", map(facts.sizes.__getitem__, order)),
                array("q", map(facts.modified_ns.__getitem__, order)),
                array("q", map(facts.created_ns.__getitem__, order)),
                facts.folders_sized,
                facts.are_changes,
            ),
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def name(self, row: int) -> bytes:
        """The name in a row."""
        return self.names[self.starts[row] : self.starts[row + 1] - 1]

    def find(self, name: bytes) -> int | None:
        """The row of a name, or None."""
        if not name or b"\0" in name:
            return None
        place = self.names.find(b"\0" + name + b"\0")
        return None if place < 0 else bisect_left(self.starts, place + 1)

    def hidden_rows(self) -> Iterator[int]:
        """Rows whose name begins with a dot."""
        place = self.names.find(b"\0.")
        while place >= 0:
            yield bisect_left(self.starts, place + 1)
            place = self.names.find(b"\0.", place + 1)


NO_COLUMNS = Columns(b"\0", array("I", [1]), b"", array("Q"), 0)


def arrange(columns: Columns, sort: SortOrder, *, show_hidden: bool) -> Sequence[int]:
    """The rows to show, in the order to show them."""
    rows: Sequence[int] = range(len(columns))
    if not show_hidden and (hidden := set(columns.hidden_rows())):
        rows = array("I", [row for row in rows if row not in hidden])
    descending = sort.direction is Direction.DESC
    if sort.by is SortKey.NAME:
        return _reversed_within_groups(rows, columns.folder_count) if descending else rows
    if sort.by is SortKey.EXT:
        return order_by(
            lambda row: extension(columns.name(row)),
            rows,
            columns.folder_count,
            descending=descending,
            folders_too=False,
        )
    facts = columns.facts
    if facts is None:
        return rows
    column = {
        SortKey.SIZE: facts.sizes,
        SortKey.MODIFIED: facts.modified_ns,
        SortKey.CREATED: facts.created_ns,
    }[sort.by]
    return order_by(
        lambda row: None if column[row] == UNKNOWN else column[row],
        rows,
        0 if facts.are_changes and sort.by is SortKey.SIZE else columns.folder_count,
        descending=descending,
        folders_too=sort.by is not SortKey.SIZE or facts.folders_sized,
    )


def _reversed_within_groups(rows: Sequence[int], folder_count: int) -> array[int]:
    split = bisect_left(rows, folder_count)
    return array("I", [*reversed(rows[:split]), *reversed(rows[split:])])


@dataclass(slots=True, eq=False)
class Listing:
    """A folder as a pane shows it: positions 0…n-1 over the rows of its columns."""

    columns: Columns
    order: Sequence[int]
    sort: SortOrder
    show_hidden: bool
    complete: bool = True
    """False while the first part of a very large folder stands in for the rest."""
    looked_up: dict[int, Facts | None] = field(default_factory=dict)
    """Facts of rows that were looked at, by row; None where the entry could not be read."""
    folder_sizes: dict[int, FolderSize] = field(default_factory=dict)
    """What an index knows of folders that were looked at, by row."""
    changes: dict[int, int] = field(default_factory=dict)
    """By how many bytes entries have grown, or shrunk when it is negative, where a report told it; by row."""
    mark: int | None = None
    """When the folder's entries had last changed before it was read; None when that was only just now."""

    @classmethod
    def of(cls, columns: Columns, sort: SortOrder, *, show_hidden: bool, complete: bool = True) -> Listing:
        """A listing of these columns in the wanted order."""
        return cls(columns, arrange(columns, sort, show_hidden=show_hidden), sort, show_hidden, complete)

    @classmethod
    def empty(cls) -> Listing:
        """What a pane shows before its first folder stands."""
        return cls(NO_COLUMNS, range(0), SortOrder(), show_hidden=False)

    def arranged(self, sort: SortOrder, *, show_hidden: bool) -> Listing:
        """The same reading of the folder in another order."""
        order = arrange(self.columns, sort, show_hidden=show_hidden)
        return replace(self, order=order, sort=sort, show_hidden=show_hidden)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def hidden_count(self) -> int:
        """How many entries the listing leaves out."""
        return len(self.columns) - len(self.order)

    def name(self, position: int) -> bytes:
        """The name at a position."""
        return self.columns.name(self.order[position])

    def entry(self, position: int) -> Entry:
        """The entry at a position, with the facts known so far."""
        row = self.order[position]
        return Entry(
            name=self.columns.name(row),
            kind=_KINDS[self.columns.kinds[row]],
            is_folder=row < self.columns.folder_count,
            facts=self.looked_up.get(row),
            folder_size=self.folder_sizes.get(row),
            change=self.changes.get(row),
        )

    def has_lookalike(self, name: bytes) -> bool:
        """Whether a name is written in letters of another script, and stands beside the one it would be taken for."""
        plain = taken_for(name)
        return plain is not None and self.columns.find(plain) is not None

    def position_of(self, name: bytes) -> int | None:
        """Where a name is shown, or None when it is not."""
        row = self.columns.find(name)
        return None if row is None else self.position_of_row(row)

    def position_of_row(self, row: int) -> int | None:
        """Where a row is shown, or None when it is hidden."""
        order = self.order
        if isinstance(order, range):
            return row
        if self.sort == SortOrder():
            place = bisect_left(order, row)
            return place if place < len(order) and order[place] == row else None
        try:
            return order.index(row)
        except ValueError:
            return None
