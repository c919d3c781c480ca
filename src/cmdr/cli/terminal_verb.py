"""`cmdr [LEFT] [RIGHT]`: the commander in this terminal."""

import argparse
import sys
from collections.abc import Sequence

from cmdr.cli.launcher import Launcher, Start
from cmdr.cli.serve import add_nvim, add_root, folder, port


def run(arguments: Sequence[str], launcher: Launcher) -> int:
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
