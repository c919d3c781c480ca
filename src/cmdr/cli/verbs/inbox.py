"""`cmdr pending`: everything that waits for the person, answered key by key at a shell prompt."""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cmdr.cli.launcher import Ask, Launcher, as_person
from cmdr.cli.prompts import drop_typed, follow, key_pressed, line_width, print_plan, show_all
from cmdr.cli.verbs.decide import STOPPED, show_edit
from cmdr.core.errors import CommandError
from cmdr.core.flow.change import ANSWERS, FOLDER_ANSWERS, is_yes
from cmdr.model.agent_text import framed, wrapped
from cmdr.model.results.inbox import LETTERS, InboxAnswer, InboxKind
from cmdr.model.units import span

Row = Mapping[str, Any]
GRACE_S = 0.6
"""Seconds after which a key counts: nobody answers what they have not seen."""
_INDENT = "    "
_ALIKE_NAMED = 9
_PLANS = (InboxKind.PROPOSAL, InboxKind.COMMAND, InboxKind.TRUST)
_NEXT, _QUIT, _ALL_OF_IT = (" ", "\t"), ("q", "\x04"), ("\r", "\n")
_STEERING = {
    LETTERS[answer]: answer
    for answer in (InboxAnswer.GO_ON, InboxAnswer.AGAIN, InboxAnswer.TAKE_BACK, InboxAnswer.LEAVE)
}
_WORDS = {
    InboxAnswer.GO_ON: "go on",
    InboxAnswer.AGAIN: "again",
    InboxAnswer.TAKE_BACK: "take back",
    InboxAnswer.LEAVE: "leave it",
    InboxAnswer.SKIP: "skip",
    InboxAnswer.OVERWRITE: "overwrite",
    InboxAnswer.RENAME: "keep both",
    InboxAnswer.NEWER: "if newer",
    InboxAnswer.LARGER: "if larger",
    InboxAnswer.SEEN: "noted",
}


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser("pending", help="answer what waits for you", description=__doc__)
    parser.add_argument("--json", action="store_true", help="for programs: every row, digests included")
    parser.add_argument("--list", action="store_true", help="only list, ask nothing")
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    return as_person(launcher, lambda ask: _pending(ask, chosen.json, chosen.list))


def _pending(ask: Ask, as_json: bool, only_list: bool) -> int:
    inbox = ask("inbox", {}).result
    if as_json:
        print(json.dumps({key: value for key, value in inbox.items() if key != "kind"}, indent=2))
        return 0
    if only_list or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n".join(inbox_lines(inbox, time.time(), line_width())))
        return 0
    session = _Session(ask)
    try:
        session.answer_all()
    except (KeyboardInterrupt, EOFError):
        print("\nThe rest is left as it is. To go on: cmdr pending", file=sys.stderr)
        return STOPPED
    return session.follow_all()


class _Session:
    """One sitting: each row is shown, and answered or left for later."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._later: set[str] = set()
        self._jobs: list[str] = []
        self._is_over = False

    def answer_all(self) -> None:
        """Show one row after the other, until none is left that was not answered or put off."""
        self._tell(self._rows())
        answered = 0
        while not self._is_over:
            rows = self._rows()
            waiting = [row for row in rows if _asks(row) and _key(row) not in self._later]
            if not waiting:
                break
            self._one(waiting[0], rows, len(waiting))
            answered += 1
        left = sum(_asks(row) for row in self._rows())
        print(f"{left} wait for later: cmdr pending" if left else "Nothing waits for you." if not answered else "Done.")

    def follow_all(self) -> int:
        """Stay with what was begun until it is over; the exit code."""
        return max([follow(self._ask, job) for job in self._jobs], default=0)

    def _rows(self) -> Sequence[Row]:
        rows: Sequence[Row] = self._ask("inbox", {}).result["rows"]
        return rows

    def _tell(self, rows: Sequence[Row]) -> None:
        """Print what only wants to be known, once."""
        told = [row for row in rows if not _asks(row)]
        for row in told:
            print("\n".join(row_lines(row, time.time(), line_width())))
        if known := [row for row in told if InboxAnswer.SEEN in row["answers"]]:
            self._answer(known, InboxAnswer.SEEN, quiet=True)

    def _one(self, row: Row, rows: Sequence[Row], number: int) -> None:
        alike = [other for other in rows if row["alike"] and other["alike"] == row["alike"]]
        while True:
            drop_typed()
            print("\n".join(row_lines(row, time.time(), line_width())))
            print_plan(f"{_INDENT}alike: {other['what']} {other['detail']}" for other in alike[1 : _ALIKE_NAMED + 1])
            key = key_pressed(f"[{number}] {keys_of(row, len(alike))} ", GRACE_S)
            if self._took(key, row, alike):
                return

    def _took(self, key: str, row: Row, alike: Sequence[Row]) -> bool:
        """Whether a key dealt with the row; otherwise it is shown again."""
        is_question = row["kind"] == InboxKind.QUESTION
        if key in _QUIT:
            self._is_over = True
        elif key in _NEXT or (key == "s" and not is_question):
            self._later.add(_key(row))
        elif key in _ALL_OF_IT:
            self._show(row)
            return False
        elif is_question:
            letters = FOLDER_ANSWERS if InboxAnswer.RENAME not in row["answers"] else ANSWERS
            if key.lower() not in letters:
                return False
            self._answer([row], InboxAnswer(letters[key.lower()]), question=row["question"], forAll=key.isupper())
        elif InboxAnswer.YES in row["answers"] or InboxAnswer.NO in row["answers"]:
            return self._decided(key, row, alike)
        elif (said := InboxAnswer.SEEN if key == "y" else _STEERING.get(key)) in row["answers"]:
            self._answer([row], InboxAnswer(str(said)))
        else:
            return False
        return True

    def _decided(self, key: str, row: Row, alike: Sequence[Row]) -> bool:
        if key == "n":
            self._answer([row], InboxAnswer.NO)
        elif key == "N":
            reason = input("Why? ").strip()
            if not reason:
                return False
            self._answer([row], InboxAnswer.NO, reason=reason)
        elif key == "y" and InboxAnswer.YES in row["answers"]:
            word = input(f"Type {row['word']} to go on, anything else to leave it: ") if row["word"] else ""
            if row["word"] and not is_yes(word, row["word"]):
                return False
            self._answer([row], InboxAnswer.YES, word=word)
        elif key == "A" and len(alike) > 1:
            self._answer(alike, InboxAnswer.YES)
        elif key == "R" and InboxAnswer.RULE in row["answers"]:
            until = {"t": "today", "a": "always"}.get(input(f"{row['rule']}: t today, a always? ").strip().lower())
            if until is None:
                return False
            self._answer([row], InboxAnswer.RULE, until=until)
        else:
            return False
        return True

    def _answer(self, rows: Sequence[Row], answer: InboxAnswer, *, quiet: bool = False, **more: Any) -> None:
        ids, digests = [row["id"] for row in rows], [row["digest"] for row in rows]
        told = self._ask("inbox.answer", {"ids": ids, "digests": digests, "answer": answer.value, **more}).result
        self._jobs += told["jobs"]
        # What cannot be answered now would be asked again at once, without end.
        self._later |= {_key(row) for row in rows if row["id"] in {failure["id"] for failure in told["failures"]}}
        if not quiet:
            print_plan([told["said"]])

    def _show(self, row: Row) -> None:
        try:
            if row["kind"] in _PLANS:
                show_all(self._ask, row["id"], row["digest"])
            elif row["kind"] == InboxKind.EDIT:
                show_edit(self._ask, row["id"])
        except CommandError as error:
            print(error)


def _key(row: Row) -> str:
    """What is put off: this very thing, and not the next question of the same job."""
    return f"{row['id']} {row['digest']} {row['question']}"


def _asks(row: Row) -> bool:
    return row["kind"] not in (InboxKind.ENDED, InboxKind.SUSPENDED, InboxKind.WARNING)


def keys_of(row: Row, alike: int = 0) -> str:
    """The keys that answer a row, in a line."""
    answers = [InboxAnswer(answer) for answer in row["answers"]]
    keys = [f"{LETTERS[answer]} {_WORDS[answer]}" for answer in answers if answer in _WORDS]
    if InboxAnswer.YES in answers:
        keys.append("y yes")
    if InboxAnswer.NO in answers:
        keys += ["n no", "N no, and why", "Enter all of it"]
    if alike > 1:
        keys.append(f"A yes to all {alike} alike")
    if InboxAnswer.RULE in answers:
        keys.append("R yes, and a rule")
    is_question = row["kind"] == InboxKind.QUESTION
    keys += ["a capital letter answers all that follow", "space later"] if is_question else ["s later"]
    return " · ".join([*keys, "q quit"])


def inbox_lines(inbox: Mapping[str, Any], now: float, width: int = 80) -> list[str]:
    """One short block for each thing that waits; no line is wider than `width`."""
    lines = [line for row in inbox["rows"] for line in row_lines(row, now, width)]
    if inbox["more"]:
        lines.append(f"and {inbox['more']} more")
    if not lines:
        return ["Nothing waits for you."]
    words = ["Answer at a terminal: cmdr pending; one alone: cmdr approve ID, cmdr reject ID"]
    if any(row["kind"] == InboxKind.INTERRUPTED for row in inbox["rows"]):
        words.append("What was interrupted: cmdr resume N, cmdr undo N, cmdr leave N")
    return lines + [piece for line in words for piece in wrapped(line, width)]


def row_lines(row: Row, now: float, width: int = 80) -> list[str]:
    """One thing that waits, as far as it can be told shortly; the agent's own words come last, in their frame."""
    facts = [row["amount"], *_ages(row, now)]
    if row["by"]:
        facts.insert(0, f"by {row['by']}")
    lines = [f"{row['id']}  {row['what']}", *_indented(filter(None, [row["detail"], " · ".join(filter(None, facts))]))]
    lines += _indented(f"RISK: {risk}" for risk in row["risk"])
    told = [piece for line in lines for piece in wrapped(line, width)]
    return told + _indented(framed(row["by"] or "who", row["reason"], width - len(_INDENT)))


def _ages(row: Row, now: float) -> Iterable[str]:
    if row["since"] and now - row["since"] >= 60:
        yield f"{span(now - row['since'])} ago"
    if row["expires"] is not None:
        yield f"expires in {span(max(0.0, row['expires'] - now))}"


def _indented(lines: Iterable[str]) -> list[str]:
    return [_INDENT + line for line in lines]
