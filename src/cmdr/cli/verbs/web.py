"""`cmdr web`: a link that logs your browser in to the running cmdr."""

import argparse

from cmdr.cli.launcher import Ask, Launcher, as_person


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("web", help="print a link that logs your browser in", description=__doc__)
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    return as_person(launcher, _printed, "The link makes a browser yours")


def _printed(ask: Ask) -> int:
    print(ask("web.link", {}).words)
    return 0
