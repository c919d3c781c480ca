"""What the command line asks of the application above it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from cmdr.core.dispatch.answer import Reply
from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.root_spec import RootSpec


@dataclass(frozen=True, slots=True)
class Start:
    """How to start: the folders of both panes, and the port when it is not the usual one."""

    left: bytes | None = None
    right: bytes | None = None
    port: int | None = None
    roots: tuple[RootSpec, ...] = ()
    """The folders agents may use; without any, CMDR_ROOTS or the left pane's folder."""
    nvim: str | None = None
    """The Neovim in which edits are reviewed and files opened; without it, $NVIM."""
    leave_after: float | None = None
    """Seconds without a client after which a cmdr without a face ends by itself; None: never."""


Ask = Callable[[str, Arguments], Reply]
"""Runs a command as the person at this shell; raises `CommandError`."""


class Launcher(Protocol):
    """Starts the program; `cmdr.app` is one."""

    def serve(self, start: Start) -> int:
        """Run without a face of its own until asked to quit; the exit code."""

    def terminal(self, start: Start) -> int:
        """Run the terminal face, with the agent server behind it, until the person quits; the exit code."""

    def person(self) -> AbstractContextManager[Ask]:
        """Speak as the person: to the cmdr that runs, or to one that runs only for this."""
