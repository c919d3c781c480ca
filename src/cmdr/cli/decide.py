"""`cmdr pending`, `cmdr approve`, `cmdr reject`: answer agents' proposals at a shell prompt."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from cmdr.cli.as_person import REFUSED, as_person, at_a_terminal
from cmdr.cli.launcher import Ask, Launcher
from cmdr.cli.pending_list import pending_lines
from cmdr.cli.plan_pages import drop_typed, line_width, print_plan, print_words, show_all
from cmdr.cli.question_prompt import follow
from cmdr.cli.review_prompt import confirm_review, is_review, reject_review
from cmdr.core.flow.change import Confirming, Decided, Following, advance, is_yes
from cmdr.model.plans.proposal import ProposalState

STOPPED = 130
"""The exit code of a program that Ctrl+C ended."""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    waiting = verbs.add_parser("pending", help="list the proposals that wait for you")
    waiting.add_argument("--json", action="store_true", help="for programs: everything, digests included")
    waiting.set_defaults(verb=lambda chosen, launcher: _decided(launcher, lambda ask: _pending(ask, chosen.json)))
    for word, errand, text in (("approve", confirm, "say yes to a proposal"), ("reject", _reject, "say no to one")):
        parser = verbs.add_parser(word, help=text)
        parser.add_argument("id", metavar="ID", help="the proposal, as `cmdr pending` lists it")
        parser.set_defaults(verb=_verb(errand))


def _verb(errand: Callable[[Ask, str], int]) -> Callable[[argparse.Namespace, Launcher], int]:
    return lambda chosen, launcher: _decided(launcher, lambda ask: errand(ask, chosen.id))


def _decided(launcher: Launcher, errand: Callable[[Ask], int]) -> int:
    return as_person(launcher, errand) if at_a_terminal("Only a person decides") else REFUSED


def _pending(ask: Ask, as_json: bool) -> int:
    waiting = json.loads(ask("pending", {}).words)
    lines = [json.dumps(waiting, indent=2)] if as_json else pending_lines(waiting, line_width())
    print("\n".join(lines))
    if (waiting["expired"] or waiting.get("warnings")) and not as_json:
        ask("pending.seen", {})
    return 0


def _reject(ask: Ask, id: str) -> int:
    if is_review(id):
        return reject_review(ask, id)
    print(ask("reject", {"proposal": id}).words)
    return 0


def confirm(ask: Ask, id: str, go_on: str = "") -> int:
    """Show a proposal drawn from its plan, ask, and carry it out on a yes; the usual answer is no.

    Ctrl+C leaves everything as it stands and tells what goes on from there.
    """
    if is_review(id):
        return confirm_review(ask, id)
    try:
        return _confirm(ask, id)
    except (KeyboardInterrupt, EOFError):
        print(f"\nLeft as it is. To go on: {go_on or f'cmdr approve {id}'}", file=sys.stderr)
        return STOPPED


def _answered(ask: Ask, id: str, shown: Mapping[str, Any]) -> str:
    """What the person types in the end; `l` shows all of the plan and asks again."""
    question = f"Type {shown['word']} to go on, anything else to leave it" if shown["word"] else "Do it? [y/N]"
    while True:
        typed = input(f"{question} (l lists all {shown['steps']}) " if shown["steps"] > 1 else f"{question} ")
        if typed.strip().lower() not in ("l", "list"):
            return typed
        show_all(ask, id, shown["digest"])


def _confirm(ask: Ask, id: str) -> int:
    shown = json.loads(ask("proposal.show", {"proposal": id}).words)
    drop_typed()
    print_plan(shown["plan"])
    state = advance(Confirming(id), Decided(ProposalState(shown["state"]), shown["job"]))
    if isinstance(state, Confirming):
        print(f"proposed by {shown['by']}")
        print_words(shown["by"], shown["reason"])
        typed = _answered(ask, id, shown)
        if not is_yes(typed, shown["word"]):
            print(ask("reject", {"proposal": id}).words)
            return 1
        approved = ask("approve", {"proposal": id, "digest": shown["digest"], "word": typed}).result
        state = advance(state, Decided(ProposalState.APPROVED, approved["job"]))
    if isinstance(state, Following):
        return follow(ask, state.job)
    print(f"It is {shown['state']} already.")
    return 1
