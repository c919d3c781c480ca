"""An agent's shell-like session: its working directory, and how sizes are written for it."""

from dataclasses import dataclass, field
from typing import Literal

Units = Literal["binary", "bytes"]

MAX_INDEXES = 20
"""Indexes that a session remembers having been told of."""


@dataclass(slots=True, eq=False)
class ShellSession:
    """One agent's working directory; it moves no pane."""

    id: str
    owner: str
    cwd: bytes
    previous: bytes
    units: Units = "binary"
    """Only how sizes are worded; links always tell bytes."""
    limit: int | None = None
    """Entries that one `cd` tells; None for a whole page of a folder that is not very big, else a few."""
    indexes: list[str] = field(default_factory=list)
    """Of which indexes it was told rows, the last one last: what a row's short id may mean."""

    def told_of(self, index: str) -> None:
        """Rows of this index were told."""
        if index in self.indexes:
            self.indexes.remove(index)
        self.indexes.append(index)
        del self.indexes[:-MAX_INDEXES]
