"""`cmdr quit`: end the cmdr that runs."""

import argparse
import sys

from cmdr.cli.launcher import REFUSED, Launcher, at_a_terminal
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.places import UnsafePlace
from cmdr.core.runtime import instance

QUIT_TIMEOUT_S = 20.0


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("quit", help="end the cmdr that runs", description=__doc__)
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    if not at_a_terminal("Only a person quits it"):
        return REFUSED
    try:
        record = instance.running()
        if record is None:
            print("cmdr is not running.")
            return 0
        with launcher.person() as ask:
            try:
                ask("app.giveWay", {})
            except NotAllowed:
                raise
            except CommandError as error:
                print(f"Not finished: {error}")
                if (
                    input("Quit anyway? What agents proposed is kept, what runs is stopped cleanly. [y/N] ").lower()
                    != "y"
                ):
                    return 1
                ask("app.quitAnyway", {})
        instance.claim_after(record, QUIT_TIMEOUT_S).release()
    except (CommandError, UnsafePlace, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except instance.AlreadyRunning:
        print("Asked to quit; it is still finishing, or another one has started meanwhile.", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("\nLeft running.", file=sys.stderr)
        return 130
    print(f"cmdr (process {record.pid}) has quit.")
    return 0
