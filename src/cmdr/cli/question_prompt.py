"""A job at a shell prompt: followed to its end, with every taken name asked about."""

import json
from typing import TypedDict

from cmdr.cli.launcher import Ask
from cmdr.cli.plan_pages import drop_typed, print_plan
from cmdr.core.errors import CommandError

_ANSWERS = {"s": "skip", "o": "overwrite", "r": "rename", "n": "newer", "l": "larger"}
_CHOICES = "s skip · o overwrite · r keep both · n if newer · l if larger; a capital letter answers all that follow"


class Question(TypedDict):
    """A taken name, as `job.follow` tells it."""

    id: str
    there: str
    new: str


def follow(ask: Ask, job: str) -> int:
    """Stay with a job until it is over; the exit code says whether everything went well."""
    while True:
        told = json.loads(ask("job.follow", {"job": job}))
        if told["over"]:
            print(told["outcome"])
            if told["operation"]:
                print(f"To take it back: cmdr undo {told['operation']}")
            return 0 if told["done"] else 1
        if told["question"] is not None:
            _answer(ask, job, told["question"])
        else:
            print(f"still {told['state']} …")


def _answer(ask: Ask, job: str, question: Question) -> None:
    drop_typed()
    print_plan([f"There is already {question['there']}", f"          new: {question['new']}"])
    while True:
        letter = input(f"{_CHOICES}: ").strip()
        if letter.lower() in _ANSWERS:
            break
    answer, for_all = _ANSWERS[letter.lower()], letter.isupper()
    try:
        ask("job.answer", {"job": job, "question": question["id"], "answer": answer, "forAll": for_all})
    except CommandError as error:
        print(error)  # answered elsewhere meanwhile
