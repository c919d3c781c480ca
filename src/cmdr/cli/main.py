"""`cmdr …`: find the verb and run it, or open the panes in this terminal."""

import argparse
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module

from cmdr import __version__
from cmdr.cli.launcher import Launcher, Start
from cmdr.cli.verbs.serve import add_nvim, add_root, folder, port
from cmdr.core.places import needed
from cmdr.model.errors import Unusable

_VERBS = "serve claude mcp token trust inbox decide rules agents stop quit history audit trees fleet web doctor".split()
"""The modules of the verbs, imported only when one of them may be meant."""


def run(arguments: Sequence[str] | None, launcher: Launcher) -> int:
    """Run what the command line says; the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if not given or given[0].startswith((".", "/", "~")):
        # The panes, most of the time: nothing else is imported for them.
        return _open_panes(given, launcher)
    parser = argparse.ArgumentParser(
        prog="cmdr",
        usage="cmdr [LEFT] [RIGHT]\n       cmdr VERB …",
        description="A two-pane file commander that a person and their AI agents share.",
        epilog="Without a verb the panes open in this terminal (their options: cmdr . --help). "
        "A folder named like a verb is written ./so.",
    )
    parser.add_argument("--version", action="version", version=f"cmdr {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", prog="cmdr")
    for verb in _VERBS:
        import_module(f"cmdr.cli.verbs.{verb}").add(verbs)
    if given[0] not in verbs.choices and given[0] not in ("-h", "--help", "--version"):
        if meant := _meant(given[0], verbs.choices):
            parser.error(f"{given[0]} is neither a verb nor a folder here. Did you mean {meant}?")
        return _open_panes(given, launcher)
    return _carried_out(parser.parse_args(given), launcher)


def _meant(word: str, verbs: Iterable[str]) -> str | None:
    """The verb that was probably meant by a word that names nothing."""
    if word.startswith("-") or os.path.lexists(word):
        return None
    return next(iter(get_close_matches(word, verbs, 1, 0.75)), None)


def _carried_out(chosen: argparse.Namespace, launcher: Launcher) -> int:
    try:
        with needed():
            return _run(chosen, launcher)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Unusable as error:
        print(error, file=sys.stderr)
        return 1


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    try:
        result: int = chosen.verb(chosen, launcher)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read what we print, `head` say, has enough: end as other programs do then.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
        return 128 + signal.SIGPIPE
    return result


def _open_panes(arguments: Sequence[str], launcher: Launcher) -> int:
    """Open the panes here, if this is a terminal."""
    parser = argparse.ArgumentParser(
        prog="cmdr",
        usage="cmdr [LEFT] [RIGHT]",
        description="Open the two panes. Agents can connect while they are open. cmdr --help lists the verbs.",
    )
    parser.add_argument("left", nargs="?", metavar="LEFT", type=folder, help="the left pane's folder (default: here)")
    parser.add_argument(
        "right", nargs="?", metavar="RIGHT", type=folder, help="the right pane's folder (default: home)"
    )
    parser.add_argument("--port", type=port, metavar="N", help="let agents connect at 127.0.0.1:N (default: 9224)")
    add_root(parser)
    add_nvim(parser)
    chosen = parser.parse_args(arguments)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("This is not a terminal. Use `cmdr serve` to run cmdr for agents only.", file=sys.stderr)
        return 2
    return launcher.terminal(Start(chosen.left, chosen.right, chosen.port, tuple(chosen.roots), chosen.nvim))
