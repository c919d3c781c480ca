"""An errand at a shell prompt that is run as the person: what is refused is told, and the verb fails."""

import sys
from collections.abc import Callable

from cmdr.cli.launcher import Ask, Launcher
from cmdr.core.errors import CommandError

REFUSED = 2
"""The exit code of a verb that only a person at a terminal may run."""


def as_person(launcher: Launcher, errand: Callable[[Ask], int]) -> int:
    """The exit code of an errand."""
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
