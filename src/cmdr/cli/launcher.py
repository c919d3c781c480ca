"""What the command line asks of the application above it, and verbs that are run as the person."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from cmdr.core.dispatch.answer import Reply
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.errors import CommandError
from cmdr.model.root_spec import RootSpec

Ask = Callable[[str, Arguments], Reply]
"""Runs a command as the person at this shell; raises `CommandError`."""
REFUSED = 2
"""The exit code of a verb that only a person at a terminal may run."""


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


class Launcher(Protocol):
    """Starts the program; `cmdr.app` is one."""

    def serve(self, start: Start) -> int:
        """Run without a face of its own until asked to quit; the exit code."""

    def terminal(self, start: Start) -> int:
        """Run the terminal face, with the agent server behind it, until the person quits; the exit code."""

    def person(self) -> AbstractContextManager[Ask]:
        """Speak as the person: to the cmdr that runs, or to one that runs only for this."""


def as_person(launcher: Launcher, errand: Callable[[Ask], int], only_at_terminal: str = "") -> int:
    """The exit code of an errand that is run as the person: what is refused is told, and the verb fails.

    With `only_at_terminal`, which says why, nothing is done unless a person sits at both ends.
    """
    if only_at_terminal and not at_a_terminal(only_at_terminal):
        return REFUSED
    try:
        with launcher.person() as ask:
            return errand(ask)
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1


def at_a_terminal(otherwise: str) -> bool:
    """Whether a person sits at both ends; if not, that is told."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return True
    print(f"{otherwise}: run this at an interactive terminal.", file=sys.stderr)
    return False
