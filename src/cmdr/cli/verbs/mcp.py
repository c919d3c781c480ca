"""`cmdr mcp`: connect a client that speaks MCP over standard input and output."""

import argparse

from cmdr.cli import bridge
from cmdr.cli.launcher import Launcher


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("mcp", help="speak MCP over standard input and output", description=__doc__)
    parser.set_defaults(verb=run)


def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    """Be the bridge."""
    bridge.main([])
    return 0
