"""`cmdr approve`, `cmdr reject`: answer one of agents' proposals at a shell prompt."""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.prompts import drop_typed, fits, follow, print_plan, print_words, show_all, show_lines
from cmdr.core.flow.change import Confirming, Decided, Following, advance, is_yes
from cmdr.model.invisible_chars import is_blank
from cmdr.model.plans.proposal import ProposalState

STOPPED = 130
"""The exit code of a program that Ctrl+C ended."""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    yes = verbs.add_parser("approve", help="say yes to a proposal")
    yes.set_defaults(verb=_verb(lambda ask, chosen: confirm(ask, chosen.id)))
    no = verbs.add_parser("reject", help="say no to one")
    no.add_argument("--reason", default="", metavar="WORDS", help="why; whoever proposed it gets the words")
    no.set_defaults(verb=_verb(lambda ask, chosen: _reject(ask, chosen.id, chosen.reason)))
    for parser in (yes, no):
        parser.add_argument("id", metavar="ID", help="the proposal, as `cmdr pending` lists it")


def _verb(errand: Callable[[Ask, argparse.Namespace], int]) -> Callable[[argparse.Namespace, Launcher], int]:
    return lambda chosen, launcher: as_person(launcher, lambda ask: errand(ask, chosen), "Only a person decides")


def _reject(ask: Ask, id: str, reason: str) -> int:
    if _is_review(id):
        return _reject_review(ask, id, reason)
    print(ask("reject", {"proposal": id, "reason": reason}).words)
    return 0


def confirm(ask: Ask, id: str, go_on: str = "") -> int:
    """Show a proposal drawn from its plan, ask, and carry it out on a yes; the usual answer is no.

    Ctrl+C leaves everything as it stands and tells what goes on from there.
    """
    if _is_review(id):
        return _confirm_review(ask, id)
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
    shown = ask("proposal.show", {"proposal": id}).result
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


def _is_review(id: str) -> bool:
    """Whether an id names an edit and not another kind of proposal."""
    return id.startswith("r_")


def _confirm_review(ask: Ask, id: str) -> int:
    """Show an edit, ask, and accept exactly what was shown on a yes."""
    shown = show_edit(ask, id)
    if shown["word"]:
        typed = input(f"{shown['care']} Type {shown['word']} to accept, anything else to reject: ")
        yes = typed.strip().lower() == shown["word"]
    else:
        typed = ""
        yes = input("Accept? [y/N] ").strip().lower() in ("y", "yes")
    if not yes:
        return _reject_review(ask, id)
    answer = ask("review.accept", {"review": id, "digest": shown["digest"], "word": typed})
    print(answer.words)
    return 0


def show_edit(ask: Ask, id: str) -> Mapping[str, Any]:
    """Let the person read an edit; everything that is known of it."""
    shown: Mapping[str, Any] = ask("review.show", {"review": id}).result
    drop_typed()
    _show(shown["patch"])
    print_plan([f"proposed by {shown['by']}"])
    print_words("the agent", shown["title"], "calls it")
    # Last, where it cannot have scrolled away: the title is the agent's own, and says what it likes.
    was = f"; was {shown['replaces']}" if shown["replaces"] else ""
    print_plan([f"edits {shown['path']}: {shown['amount']}{was}"])
    return shown


def _reject_review(ask: Ask, id: str, reason: str = "") -> int:
    """Say no."""
    print(ask("review.reject", {"review": id, "reason": reason}).words)
    return 1


def _show(patch: str) -> None:
    lines = [_inked(line.expandtabs(4)) for line in patch.split("\n")]
    if fits(lines):
        print_plan(lines)
    else:
        show_lines(iter(lines))


def _inked(line: str) -> str:
    """A line of somebody else's text without anything that acts on a terminal."""
    return "".join(
        char if char == "\t" or (char.isprintable() and not is_blank(char)) else f"\\u{{{ord(char):x}}}"
        for char in line
    )
