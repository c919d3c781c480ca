"""What somebody chose at one moment: rows of one reading of a folder, whatever moves in the pane afterwards."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cmdr.model.panes.listing import Columns
from cmdr.model.panes.selection import Selection
from cmdr.model.panes.tab import Tab


@dataclass(frozen=True, slots=True)
class Chosen:
    """A million rows are chosen in a moment; their names take seconds, and are made by whoever needs them."""

    folder: bytes
    columns: Columns
    selection: Selection

    @classmethod
    def of(cls, tab: Tab) -> "Chosen | None":
        """What an operation acts on now: the selection, else the entry under the cursor; None if there is neither."""
        if tab.selection.count:
            return cls(tab.path, tab.listing.columns, tab.selection.copy())
        if tab.cursor_name() is None:
            return None
        alone = Selection(len(tab.listing.columns))
        alone.toggle(tab.listing.order[tab.cursor])
        return cls(tab.path, tab.listing.columns, alone)

    @property
    def count(self) -> int:
        """How many."""
        return self.selection.count

    def names(self) -> Iterator[bytes]:
        """Their names, in name order."""
        return map(self.columns.name, self.selection.rows())

    def first_names(self, most: int) -> list[bytes]:
        """The first of them."""
        return list(islice(self.names(), most))

    def paths(self) -> tuple[bytes, ...]:
        """Their paths; of many, in a thread."""
        start = os.path.join(self.folder, b"")
        return tuple(start + name for name in self.names())

    def inodes(self) -> tuple[int, ...]:
        """Their inodes as they were listed; of many, in a thread."""
        return tuple(self.columns.inodes[row] for row in self.selection.rows())
