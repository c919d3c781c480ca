"""`cmdr history` and `cmdr undo`: what was done, and the way back."""

import argparse
import re
import sys

from cmdr.cli.decide import confirm
from cmdr.cli.launcher import Launcher
from cmdr.core.errors import CommandError


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    past = verbs.add_parser("history", help="list what was done to files")
    past.add_argument("--limit", type=int, default=20, metavar="N", help="how many operations (default: 20)")
    past.set_defaults(verb=_history)
    back = verbs.add_parser("undo", help="take back an operation")
    back.add_argument("id", type=int, nargs="?", metavar="ID", help="its number in the history (default: the last)")
    back.set_defaults(verb=_undo)


def _history(chosen: argparse.Namespace, launcher: Launcher) -> int:
    try:
        with launcher.person() as ask:
            print(ask("history", {"limit": chosen.limit}), end="")
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _undo(chosen: argparse.Namespace, launcher: Launcher) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("Only a person undoes: run this at an interactive terminal.", file=sys.stderr)
        return 2
    try:
        with launcher.person() as ask:
            answer = ask("undo", {} if chosen.id is None else {"operation": chosen.id})
            found = re.search(r"^proposal: (\S+)", answer, re.MULTILINE)
            return confirm(ask, found[1], "cmdr history, cmdr undo") if found else 1
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
