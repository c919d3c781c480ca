"""`cmdr history`, `cmdr undo`, `cmdr resume`, `cmdr leave`: what was done, the way back, and the way on."""

import argparse
import json
from typing import Any

from cmdr.cli.as_person import REFUSED, as_person, at_a_terminal
from cmdr.cli.decide import confirm
from cmdr.cli.history_table import history_lines
from cmdr.cli.launcher import Ask, Launcher
from cmdr.cli.question_prompt import follow
from cmdr.core.parameter import Arguments


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    past = verbs.add_parser("history", help="list what was done to files")
    past.add_argument("--limit", type=int, default=20, metavar="N", help="how many operations (default: 20)")
    past.add_argument("--json", action="store_true", help="for programs: everything, one object each")
    past.set_defaults(verb=_history)
    back = verbs.add_parser("undo", help="take back an operation")
    back.add_argument("id", type=int, nargs="?", metavar="ID", help="its number in the history (default: the last)")
    back.set_defaults(verb=_undo)
    for word, errand, text in (
        ("resume", _resume, "go on with an operation that was interrupted"),
        ("leave", _leave, "leave an interrupted operation as it is"),
    ):
        parser = verbs.add_parser(word, help=text)
        parser.add_argument("id", type=int, metavar="ID", help="its number, as `cmdr pending` lists it")
        parser.set_defaults(verb=errand)


def _history(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def listed(ask: Ask) -> int:
        entries, begins = _entries(ask, chosen.limit), ask("history.beginning", {}).result["sentences"]
        print(json.dumps(entries, indent=2) if chosen.json else "\n".join(history_lines(entries, begins)))
        return 0

    return as_person(launcher, listed)


def _entries(ask: Ask, limit: int) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    while len(entries) < limit:
        before: Arguments = {"before": entries[-1]["operation"]} if entries else {}
        more = ask("history.entries", {"limit": min(200, limit - len(entries)), **before}).result["entries"]
        if not more:
            break
        entries += more
    return entries


def _undo(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def taken_back(ask: Ask) -> int:
        ask("pending", {})  # refused to whoever may not decide, before anything is staged
        staged = ask("undo", {} if chosen.id is None else {"operation": chosen.id}).result
        return confirm(ask, staged["proposal"], "cmdr history, cmdr undo")

    return as_person(launcher, taken_back) if at_a_terminal("Only a person undoes") else REFUSED


def _resume(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def resumed(ask: Ask) -> int:
        return follow(ask, ask("operation.resume", {"operation": chosen.id}).result["job"])

    return as_person(launcher, resumed) if at_a_terminal("Only a person resumes") else REFUSED


def _leave(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def left(ask: Ask) -> int:
        print(ask("operation.leave", {"operation": chosen.id}).words)
        return 0

    return as_person(launcher, left) if at_a_terminal("Only a person decides") else REFUSED
