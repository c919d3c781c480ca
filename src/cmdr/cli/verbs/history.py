"""`cmdr history`, `cmdr undo`, `cmdr resume`, `cmdr leave`: what was done, the way back, and the way on."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.prompts import follow
from cmdr.cli.verbs.decide import confirm
from cmdr.core.dispatch.parameter import Arguments

_TITLES = ("ID", "WHEN", "WHAT", "BY", "STATE")


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
        ask("inbox", {})  # refused to whoever may not decide, before anything is staged
        staged = ask("undo", {} if chosen.id is None else {"operation": chosen.id}).result
        return confirm(ask, staged["proposal"], "cmdr history, cmdr undo")

    return as_person(launcher, taken_back, "Only a person undoes")


def _resume(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def resumed(ask: Ask) -> int:
        return follow(ask, ask("operation.resume", {"operation": chosen.id}).result["job"])

    return as_person(launcher, resumed, "Only a person resumes")


def _leave(chosen: argparse.Namespace, launcher: Launcher) -> int:
    def left(ask: Ask) -> int:
        print(ask("operation.leave", {"operation": chosen.id}).words)
        return 0

    return as_person(launcher, left, "Only a person decides")


def history_lines(entries: Sequence[Mapping[str, Any]], beginning: Sequence[str] = ()) -> list[str]:
    """One line for each operation, newest first, in columns; what came before the first of them last."""
    if not entries:
        return [*beginning] or ["Nothing has been changed yet."]
    rows = [_TITLES, *(_cells(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*table, *beginning]


def _cells(entry: Mapping[str, Any]) -> tuple[str, ...]:
    when = datetime.fromisoformat(entry["when"]).strftime("%Y-%m-%d %H:%M")
    becomes = f" → {entry['newName']}" if entry.get("newName") else ""
    more = f" and {entry['items'] - 1} more" if entry["items"] > 1 else ""
    to = f" to {entry['to']}" if entry["to"] and entry["to"] != os.path.dirname(entry["first"]) else ""
    told = f"{entry['verb']} {entry['first']}{becomes}{more}{to}"
    return str(entry["operation"]), when, told, entry["by"], _state(entry)


def _state(entry: Mapping[str, Any]) -> str:
    if entry["undoneBy"]:
        return f"undone by {entry['undoneBy']}" + (f", {entry['left']} left" if entry.get("left") else "")
    if entry["state"] == "done" and entry["done"] == entry["items"]:
        return "done"
    failed = f", {entry['failed']} failed" if entry.get("failed") else ""
    return f"{entry['state']}, {entry['done']} of {entry['items']}{failed}"
