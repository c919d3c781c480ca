"""An agent's shell-like session: its working directory, and how sizes are written for it."""

from dataclasses import dataclass
from typing import Literal

Units = Literal["binary", "bytes"]


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
