"""`cmdr stop`: stop all agents of the cmdr that runs."""

import argparse

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.core.runtime import instance


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("stop", help="stop all agents: calls, proposals, jobs", description=__doc__)
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    if instance.running() is None:
        print("cmdr is not running: no agent can call.")
        return 0
    return as_person(launcher, _stopped, "Only a person stops the agents")


def _stopped(ask: Ask) -> int:
    print(ask("agents.stop", {}).words)
    return 0
