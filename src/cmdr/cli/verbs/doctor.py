"""`cmdr doctor`: whether everything cmdr needs is there, and how to mend what is not."""

import argparse

from cmdr.cli.launcher import Launcher


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("doctor", help="check ports, permissions, sandbox and programs", description=__doc__)
    parser.set_defaults(verb=run)


def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    """Print every finding; 1 when something is really wrong."""
    from cmdr.core.runtime.checkup import Health, examine

    is_bad = False
    for finding in examine():
        print(f"{finding.health:<5} {finding.text}")
        if finding.mend:
            print(f"      → {finding.mend}")
        is_bad |= finding.health is Health.BAD
    return int(is_bad)
