"""`cmdr serve`: run without a terminal, for agents."""

import argparse
import os

from cmdr.cli.launcher import Launcher, Start
from cmdr.model.root_spec import RootSpec


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("serve", help="run without a terminal, for agents", description=__doc__)
    parser.add_argument("--left", metavar="DIR", type=folder, help="the left pane's folder (default: here)")
    parser.add_argument("--right", metavar="DIR", type=folder, help="the right pane's folder (default: home)")
    parser.add_argument("--port", type=port, metavar="N", help="listen on 127.0.0.1:N (default: 9224; 0: any)")
    add_root(parser)
    add_nvim(parser)
    parser.add_argument(
        "--leave-after", type=float, metavar="SECONDS", help="quit when nobody has used it for so long (default: never)"
    )
    parser.set_defaults(verb=run)


def add_nvim(parser: argparse.ArgumentParser) -> None:
    """The option that says in which Neovim edits are reviewed."""
    parser.add_argument("--nvim", metavar="SOCKET", help="review edits in the Neovim that listens there ($NVIM)")


def add_root(parser: argparse.ArgumentParser) -> None:
    """The option that says which folders agents may use."""
    parser.add_argument(
        "--root",
        dest="roots",
        metavar="DIR[:ro]",
        type=RootSpec.parse,
        action="append",
        default=[],
        help="a folder agents with a token may read and, with CMDR_MCP_ALLOW_WRITE, change; :ro lets them only read",
    )


def port(text: str) -> int:
    """A port's number from what was typed."""
    if text.isdecimal() and int(text) < 1 << 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are 0 to 65535, and 0 takes any that is free")


def folder(text: str) -> bytes:
    """An absolute path from what was typed."""
    return os.path.abspath(os.path.expanduser(os.fsencode(text)))


def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    """Serve until asked to quit."""
    return launcher.serve(
        Start(chosen.left, chosen.right, chosen.port, tuple(chosen.roots), chosen.nvim, chosen.leave_after)
    )
