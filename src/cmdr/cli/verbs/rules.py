"""`cmdr rules`: list what you have said yes to beforehand; suspend, allow or remove a rule."""

import argparse
import json
from collections.abc import Mapping
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.prompts import line_width
from cmdr.model.agent_text import wrapped
from cmdr.model.units import count, human_size

_DOES = {"suspend": "rules.suspend", "allow": "rules.allow", "remove": "rules.remove"}


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("rules", help="list what agents may do unasked, or change it", description=__doc__)
    parser.add_argument("action", nargs="?", choices=("list", *_DOES), default="list", help="default: list")
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="the rule, as it is listed")
    parser.add_argument("--json", action="store_true", help="for programs: everything about each rule")
    parser.set_defaults(verb=_run, parser=parser)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    if (chosen.action == "list") is not (chosen.number is None):
        chosen.parser.error("list takes no number" if chosen.action == "list" else f"{chosen.action} needs a number")
    return as_person(launcher, lambda ask: _rules(ask, chosen), "Only a person decides about rules")


def _rules(ask: Ask, chosen: argparse.Namespace) -> int:
    if chosen.action != "list":
        print(ask(_DOES[chosen.action], {"rule": chosen.number}).words)
        return 0
    listed = ask("rules.list", {}).result
    if chosen.json:
        print(json.dumps({key: value for key, value in listed.items() if key != "kind"}, indent=2))
        return 0
    print("\n".join(rule_lines(listed, line_width())))
    return 0


def rule_lines(listed: Mapping[str, Any], width: int = 80) -> list[str]:
    """Two or three lines for each rule: its words, what is left of it, why it does not hold."""
    lines = [f"No rule holds just now: {listed['trouble']}"] if listed["trouble"] else []
    for row in listed["rows"]:
        lines.append(f"{row['number'] or '-':>3}  {row['words']}" if row["client"] else f"{row['number'] or '-':>3}")
        if row["suspended"]:
            lines.append(f"     suspended: {row['suspended']} (cmdr rules allow {row['number']})")
        elif not row["holds"]:
            lines.append(f"     does not hold: {row['problem']}")
        else:
            left = f"{count(row['filesLeft'], 'file')}, {human_size(row['bytesLeft'])}"
            lines.append(f"     left in this hour: {left}, {count(row['operationsLeft'], 'operation')}")
    if not listed["rows"]:
        lines.append("There are no rules: agents are always asked about. Answer a proposal with R to make one.")
    elif listed["settings"]:
        lines.append(f"They stand in {listed['settings']}.")
    return [piece for line in lines for piece in wrapped(line, width)]
