"""`cmdr token`: the token that proves an agent to cmdr."""

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from cmdr.cli.launcher import Launcher
from cmdr.model.root_spec import parse_roots

if TYPE_CHECKING:
    from cmdr.core.agents.tokens import Client


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("token", help="print a token for an agent", description=__doc__)
    parser.add_argument("--client", metavar="NAME", help="make a lasting token for a client of this name")
    parser.add_argument(
        "--toolsets",
        metavar="A,B",
        help="hold that client to these of the toolsets that are on; without fs it reads no files",
    )
    parser.add_argument("--roots", metavar="DIR[:ro]:DIR", help="hold that client to these folders, written as in PATH")
    parser.add_argument("--read-only", action="store_true", help="let that client change and run nothing")
    parser.add_argument("--for", dest="seconds", metavar="TIME", type=_seconds, help="end it after 30m, 2h or 7d")
    parser.add_argument("--replace", action="store_true", help="put the new token in place of the client's old one")
    parser.add_argument("--revoke", metavar="NAME", help="make a client's token worthless")
    parser.add_argument("--list", action="store_true", help="list the clients that have a token")
    parser.set_defaults(verb=run)


def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    """Print, make, list or revoke."""
    from cmdr.core import places
    from cmdr.core.agents.tokens import TokenError, Tokens
    from cmdr.core.dispatch.registry import ALL_TOOLSETS

    tokens = Tokens(places.runtime(), places.state())
    try:
        if chosen.revoke:
            known = tokens.revoke(chosen.revoke)
            print(f"Revoked {chosen.revoke}." if known else f"No client is called {chosen.revoke}.")
            return 0 if known else 1
        if chosen.list:
            for client in tokens.clients():
                print(line_of(client, time.time()))
            return 0
        if chosen.client:
            toolsets = None if chosen.toolsets is None else set(chosen.toolsets.split(","))
            if toolsets and (unknown := toolsets - ALL_TOOLSETS):
                print(f"No toolset {min(unknown)}. There are: {', '.join(sorted(ALL_TOOLSETS))}.", file=sys.stderr)
                return 2
            roots = None if chosen.roots is None else parse_roots(chosen.roots)
            print(
                tokens.issue(
                    chosen.client,
                    toolsets=toolsets,
                    seconds=chosen.seconds,
                    replace=chosen.replace,
                    roots=roots,
                    read_only=chosen.read_only,
                )
            )
            return 0
        return _print_running(places.read(os.path.join(places.runtime(), places.TOKEN_NAME)))
    except (TokenError, places.UnsafePlace) as error:
        print(error, file=sys.stderr)
        return 1


def line_of(client: "Client", now: float) -> str:
    """One client as it is listed: its name and what it is held to."""
    told = [client.name, ",".join(client.toolsets) if client.toolsets is not None else "all toolsets"]
    if client.roots is not None:
        told.append("roots " + (":".join(client.roots) or "none"))
    if client.read_only:
        told.append("read-only")
    if client.expires is not None:
        left = client.expires - now
        told.append("expired" if left <= 0 else f"ends in {left / 3600:.1f} h")
    return " ".join(told)


def _print_running(token: bytes | None) -> int:
    if token is None:
        print("cmdr is not running, so there is no token. Start it with: cmdr serve", file=sys.stderr)
        return 1
    print(token.decode("ascii").strip())
    return 0


def _seconds(text: str) -> float:
    units = {"m": 60, "h": 3600, "d": 86400}
    if text[:-1].isdecimal() and text[-1:] in units and int(text[:-1]):
        return float(int(text[:-1]) * units[text[-1]])
    raise argparse.ArgumentTypeError(f"{text!r} is no time; write 30m, 2h or 7d")
