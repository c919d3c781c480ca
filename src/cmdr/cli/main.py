"""`cmdr …`: find the verb, run it."""

import argparse
import sys
from collections.abc import Sequence

from cmdr import __version__
from cmdr.cli import audit, bridge_verb, claude, decide, doctor, serve, terminal_verb, token, trees, undo, web
from cmdr.cli.launcher import Launcher

_VERBS = (serve, claude, bridge_verb, token, decide, undo, audit, trees, web, doctor)


def run(arguments: Sequence[str] | None, launcher: Launcher) -> int:
    """Run what the command line says; the exit code."""
    parser = argparse.ArgumentParser(
        prog="cmdr",
        usage="cmdr [LEFT] [RIGHT]\n       cmdr VERB …",
        description="A two-pane file commander that a person and their AI agents share.",
        epilog="Without a verb the panes open in this terminal. A folder named like a verb is written ./so.",
    )
    parser.add_argument("--version", action="version", version=f"cmdr {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb in _VERBS:
        verb.add(verbs)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if not given or (given[0] not in verbs.choices and given[0] not in ("-h", "--help", "--version")):
        return terminal_verb.run(given, launcher)
    chosen = parser.parse_args(given)
    result: int = chosen.verb(chosen, launcher)
    return result
