"""What the command line asks of the application above it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Start:
    """How to start: the folders of both panes, and the port when it is not the usual one."""

    left: bytes | None = None
    right: bytes | None = None
    port: int | None = None


class Launcher(Protocol):
    """Starts the program; `cmdr.app` is one."""

    def serve(self, start: Start) -> int:
        """Run without a face of its own until asked to quit; the exit code."""
