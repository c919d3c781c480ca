"""`cmdr agents`: who is connected, what each did today, and the way back: one operation, a turn, all since a moment."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.prompts import drop_typed, follow, print_plan
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.runtime import instance

STOPPED = 130
"""The exit code of a program that Ctrl+C ended."""
MAX_DIGITS = 6
"""Of a number of seconds, minutes, hours or days ago."""
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MOMENT = "13:02, 2026-11-18, 2026-11-18T13:02 or 90m (ago)"


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("agents", help="what agents did, and undo of it", description=__doc__)
    parser.add_argument("--since", type=moment, metavar="TIME", help=f"{_MOMENT}; default: today")
    parser.add_argument("--json", action="store_true", help="for programs: everything, one object")
    parser.set_defaults(verb=_list)
    words = parser.add_subparsers(title="words", metavar="WORD")
    undo = words.add_parser("undo", help="undo operations of agents, after one question")
    undo.add_argument("--client", metavar="NAME", help="only what this one did")
    which = undo.add_mutually_exclusive_group()
    which.add_argument("--turn", metavar="ID", help="a turn, as `cmdr agents` names it")
    which.add_argument("--since", dest="undo_since", type=moment, metavar="TIME", help=f"all since then: {_MOMENT}")
    undo.add_argument("--without", type=int, action="append", metavar="OPERATION", help="leave this one as it is")
    undo.add_argument("operations", type=int, nargs="*", metavar="OPERATION", help="its number in the history")
    undo.set_defaults(verb=_undo)
    stop = words.add_parser("stop", help="stop all agents, as `cmdr stop` does")
    stop.set_defaults(verb=_said("agents.stop", "Only a person stops them here"))
    allow = words.add_parser("allow", help="let agents call again")
    allow.set_defaults(verb=_said("agents.allow", "Only a person allows"))


def moment(text: str) -> float:
    """A time as people write it, in seconds since 1970; raises `argparse.ArgumentTypeError`."""
    number, unit = text[:-1], text[-1:]
    if unit in _SECONDS and number.isdecimal() and len(number) <= MAX_DIGITS:
        return time.time() - int(number) * _SECONDS[unit]
    try:
        if len(text) <= len("13:02"):
            clock = datetime.strptime(text, "%H:%M").time()
            return datetime.combine(datetime.now().astimezone().date(), clock).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no time. Write it as {_MOMENT}.") from None


def _list(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def listed(ask: Ask) -> int:
        answer = ask("agents", {} if chosen.since is None else {"since": chosen.since})
        told = {key: value for key, value in answer.result.items() if key != "kind"}
        print(json.dumps(told, indent=2) if chosen.json else answer.words)
        return 0

    return as_person(launcher, listed)


def _said(command: str, only: str) -> Callable[[argparse.Namespace, Launcher], int]:
    def run(chosen: argparse.Namespace, launcher: Launcher) -> int:
        def said(ask: Ask) -> int:
            print(ask(command, {}).words)
            return 0

        return as_person(launcher, said, only)

    return run


def _undo(chosen: argparse.Namespace, launcher: Launcher) -> int:
    begun: list[str] = []

    def undone(ask: Ask) -> int:
        offer = ask("agents.undoOffer", _which(chosen)).result
        if not _is_wanted(offer):
            print("Nothing was undone.")
            return 1
        # Exactly what was shown: what an agent does meanwhile is not among it.
        begun.append(ask("agents.undo", {"operations": offer["operations"]}).result["job"])
        return follow(ask, begun[0])

    try:
        return as_person(launcher, undone, "Only a person undoes")
    except (KeyboardInterrupt, EOFError):
        print("\nStopped.", file=sys.stderr)
        if begun and instance.running() is not None:
            as_person(launcher, lambda ask: _cancel(ask, begun[0]))
        return STOPPED


def _which(chosen: argparse.Namespace) -> Arguments:
    """What the words on the command line name; today's work of all when they name nothing."""
    which: Arguments = {"without": list(chosen.without)} if chosen.without else {}
    if chosen.operations:
        return which | {"operations": list(chosen.operations)}
    if chosen.turn is not None:
        return which | {"turn": chosen.turn}
    if chosen.client is not None:
        which["client"] = chosen.client
    if chosen.undo_since is not None or chosen.client is None:
        today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        which["since"] = today if chosen.undo_since is None else chosen.undo_since
    return which


def _is_wanted(offer: dict[str, Any]) -> bool:
    """The one question: what would be undone, newest first, and a yes."""
    numbers, what = offer["operations"], offer["what"]
    lines = [f"{number:>7}  {told}" for number, told in zip(numbers, what, strict=False)]
    more = len(numbers) - len(lines)
    drop_typed()
    print_plan([*lines, *([f"         and {more} more: cmdr agents lists them"] if more else [])])
    print_plan([f"Undo {offer['words']}."])
    return input("All of it? [y/N] ").strip().lower() in ("y", "yes")


def _cancel(ask: Ask, job: str) -> int:
    print(ask("job.cancel", {"job": job}).words)
    return 0
