"""`cmdr …`: find the verb, run it."""

import argparse
import sys
from collections.abc import Sequence

from cmdr import __version__
from cmdr.cli import audit, bridge_verb, decide, serve, token, undo
from cmdr.cli.launcher import Launcher

_VERBS = (serve, bridge_verb, token, decide, undo, audit)


def run(arguments: Sequence[str] | None, launcher: Launcher) -> int:
    """Run what the command line says; the exit code."""
    parser = argparse.ArgumentParser(
        prog="cmdr", description="A two-pane file commander that a person and their AI agents share."
    )
    parser.add_argument("--version", action="version", version=f"cmdr {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb in _VERBS:
        verb.add(verbs)
    chosen = parser.parse_args(arguments)
    if not hasattr(chosen, "verb"):
        parser.print_help(sys.stderr)
        return 2
    result: int = chosen.verb(chosen, launcher)
    return result
