"""A job at a shell prompt: followed to its end, with all its questions asked."""

import json
from typing import TypedDict

from cmdr.cli.launcher import Ask
from cmdr.cli.plan_pages import drop_typed, print_plan
from cmdr.core.errors import CommandError
from cmdr.core.flow.change import ANSWERS, FOLDER_ANSWERS, Following, JobChanged, Settling, State, advance
from cmdr.model.job import JobState

_CHOICES = "s skip · o overwrite · r keep both · n if newer · l if larger; a capital letter answers all that follow"
_FOLDER_CHOICES = "s leave it · o take all of it; a capital letter answers all that follow"


class Question(TypedDict, total=False):
    """A taken name, or a folder that holds something else than was shown, as `job.follow` tells it."""

    id: str
    there: str
    new: str
    folder: str
    shown: str
    now: str


def follow(ask: Ask, job: str) -> int:
    """Stay with a job until it is over; the exit code says whether everything went well."""
    state: State = Following(job)
    while True:
        told = json.loads(ask("job.follow", {"job": job}).words)
        question: Question | None = told["question"]
        asked = None if question is None else question["id"]
        state = advance(state, JobChanged(JobState(told["state"]), told["outcome"], asked))
        if isinstance(state, Settling):  # a shell has no panes that would show it
            print(state.then.said)
            if told["operation"]:
                print(f"To take it back: cmdr undo {told['operation']}")
            return 0 if state.then.is_done else 1
        if question is not None:
            _answer(ask, job, question)
        else:
            print(f"still {told['state']} …")


def _answer(ask: Ask, job: str, question: Question) -> None:
    drop_typed()
    answers, choices = ANSWERS, _CHOICES
    if "folder" in question:
        answers, choices = FOLDER_ANSWERS, _FOLDER_CHOICES
        holds = f"{question['folder']} holds something else than was shown"
        print_plan([holds, f"    shown: {question['shown']}", f"      now: {question['now']}"])
    else:
        print_plan([f"There is already {question['there']}", f"          new: {question['new']}"])
    while True:
        letter = input(f"{choices}: ").strip()
        if letter.lower() in answers:
            break
    answer, for_all = answers[letter.lower()], letter.isupper()
    try:
        ask("job.answer", {"job": job, "question": question["id"], "answer": answer, "forAll": for_all})
    except CommandError as error:
        print(error)  # answered elsewhere meanwhile
