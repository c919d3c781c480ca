"""`cmdr trust`: let language servers run code of a folder, behind walls; list such folders, or take it back."""

import argparse
import os
import sys

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.names import to_wire
from cmdr.model.plans.trust_plan import Extras, meaning_of


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("trust", help="let language servers run in a folder", description=__doc__)
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default=".", help="the folder, and all below it; default: ."
    )
    parser.add_argument("--network", action="store_true", help="let its servers use the network")
    parser.add_argument("--write", action="store_true", help="let its servers change files in it")
    parser.add_argument(
        "--read", metavar="DIR", action="append", default=[], help="let its servers read this folder too"
    )
    parser.add_argument("--list", action="store_true", help="list the folders you trust")
    parser.add_argument("--remove", action="store_true", help="trust this folder no more")
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    return as_person(launcher, lambda ask: _trust(ask, chosen), "Only a person trusts a folder")


def _trust(ask: Ask, chosen: argparse.Namespace) -> int:
    if chosen.list:
        print(ask("trust.list", {}).words.rstrip())
        return 0
    folder = _absolute(chosen.folder)
    if chosen.remove:
        print(ask("trust.remove", {"folder": to_wire(folder)}).words)
        return 0
    extras = Extras(chosen.network, chosen.write, tuple(_absolute(each) for each in chosen.read))
    print("\n".join([f"Trust {to_wire(os.path.realpath(folder))}, and everything below it.", *meaning_of(extras)]))
    try:
        yes = input("Trust it? [y/N] ").strip().lower() in ("y", "yes")
    except (KeyboardInterrupt, EOFError):
        yes = False
        print(file=sys.stderr)
    if not yes:
        print("Not trusted.")
        return 1
    wish: Arguments = {"folder": to_wire(os.path.realpath(folder)), "network": extras.network, "write": extras.write}
    print(ask("trust.add", {**wish, "read": [to_wire(each) for each in extras.read]}).words)
    return 0


def _absolute(path: str) -> bytes:
    return os.path.abspath(os.path.expanduser(os.fsencode(path)))
