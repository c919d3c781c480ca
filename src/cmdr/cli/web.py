"""`cmdr web`: a link that logs your browser in to the running cmdr."""

import argparse
import sys

from cmdr.cli.launcher import Launcher
from cmdr.core.errors import CommandError


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("web", help="print a link that logs your browser in", description=__doc__)
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("The link makes a browser yours: run this at an interactive terminal.", file=sys.stderr)
        return 2
    try:
        with launcher.person() as ask:
            print(ask("web.link", {}).removeprefix("OK: "))
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
