"""What verbs show and ask at a shell prompt: plans, long lists through a pager, and a job followed to its end."""

import os
import shlex
import shutil
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypedDict

from cmdr.cli.launcher import Ask
from cmdr.core.errors import CommandError
from cmdr.core.flow.change import ANSWERS, FOLDER_ANSWERS, Following, JobChanged, Settling, State, advance
from cmdr.model.agent_text import framed, wrapped
from cmdr.model.job import JobState

PAGE_LINES = 500
"""Lines that are asked for at once."""
_QUESTION = 6
"""Lines that are kept free for what is told and asked in the end."""
_CHOICES = "s skip · o overwrite · r keep both · n if newer · l if larger; a capital letter answers all that follow"
_FOLDER_CHOICES = "s leave it · o take all of it; a capital letter answers all that follow"


def show_all(ask: Ask, id: str, digest: str) -> None:
    """Let the person read every line of what they are asked about."""
    show_lines(_lines(ask, id, digest))


def fits(lines: Sequence[str]) -> bool:
    """Whether some lines can be read at once, with a question below."""
    size = shutil.get_terminal_size()
    return sum(1 + len(line) // max(1, size.columns) for line in lines) <= size.lines - _QUESTION


def line_width() -> int:
    """Columns that a line may have so that the terminal does not break it; asked of the terminal, not of variables."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return (columns or 80) - 1


def print_plan(lines: Iterable[str]) -> None:
    """Print the lines of a question, wrapped where a terminal would do it: nothing in them begins a line of its own."""
    for line in lines:
        print("\n".join(wrapped(line, line_width())))


def print_words(speaker: str, words: str, does: str = "says") -> None:
    """Print what an agent says about its own proposal, in its frame."""
    print_plan(framed(speaker, words, line_width(), does))


def drop_typed() -> None:
    """Forget what was typed so far: called before a question is shown, as nobody answers what they have not seen."""
    with suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def key_pressed(question: str, grace_s: float) -> str:
    """Ask for one key, without Enter; the keys of the first `grace_s` seconds are dropped, and only then is it asked.

    Raises `EOFError` when the terminal is gone.
    """
    terminal = sys.stdin.fileno()
    sys.stdout.flush()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSANOW)
        time.sleep(grace_s)
        termios.tcflush(terminal, termios.TCIFLUSH)
        print("\n".join(wrapped(question, line_width())), end="", flush=True)
        typed = os.read(terminal, 64)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    if not typed:
        raise EOFError
    # What is more than a character is a key such as an arrow, or a paste: no answer.
    key = typed.decode("utf-8", "replace")
    key = key if len(key) == 1 else ""
    print(key if key.isprintable() else "")
    return key


def show_lines(lines: Iterator[str]) -> None:
    """Let the person read some lines, in printable characters."""
    pager = _pager()
    if pager is not None:
        _through(pager, lines)
        return
    height = max(2, shutil.get_terminal_size().lines - 2)
    pieces = (piece for line in lines for piece in wrapped(line, line_width()))
    for number, piece in enumerate(pieces, 1):
        print(piece)
        if number % height == 0 and input("-- Enter: more, q: enough -- ").strip().lower() == "q":
            return


def _lines(ask: Ask, id: str, digest: str) -> Iterator[str]:
    start = 0
    while True:
        page = ask("proposal.items", {"proposal": id, "start": start, "count": PAGE_LINES}).result
        if page["digest"] != digest:
            raise CommandError("The plan has been changed meanwhile. Look at it again.")
        yield from page["lines"]
        start += len(page["lines"])
        if start >= page["total"] or not page["lines"]:
            return


def _pager() -> list[str] | None:
    """The pager of the person's choice, or less; None where there is none."""
    try:
        words = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return None
    return words if words and shutil.which(words[0]) else None


def _through(pager: list[str], lines: Iterator[str]) -> None:
    # Names are printable here, so the pager needs no leave to pass anything on to the terminal.
    shown = subprocess.Popen(pager, stdin=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
    try:
        if shown.stdin is not None:
            for line in lines:
                shown.stdin.write(line + "\n")
    except BrokenPipeError:
        pass  # the person has read enough
    finally:
        try:
            shown.communicate()
        except BrokenPipeError:
            shown.wait()


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
    known = ""
    while True:
        told = ask("job.follow", {"job": job, "known": known}).result
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
        elif told["waitsBehind"] != known:
            known = told["waitsBehind"]
            print(f"It {known}: cmdr pending" if known else "It goes on.")
        else:
            print(f"still {told['state']} …")


def _typed(choices: str, answers: Mapping[str, str]) -> str:
    while True:
        letter = input(f"{choices}: ").strip()
        if letter.lower() in answers:
            return letter


def _answer(ask: Ask, job: str, question: Question) -> None:
    drop_typed()
    answers, choices = ANSWERS, _CHOICES
    if "folder" in question:
        answers, choices = FOLDER_ANSWERS, _FOLDER_CHOICES
        holds = f"{question['folder']} holds something else than was shown"
        print_plan([holds, f"    shown: {question['shown']}", f"      now: {question['now']}"])
    else:
        print_plan([f"There is already {question['there']}", f"          new: {question['new']}"])
    try:
        letter = _typed(choices, answers)
    except (KeyboardInterrupt, EOFError):
        about = question.get("folder") or question.get("there", "")
        print(f"\nIt still asks about {about}, and other work goes on: cmdr pending", file=sys.stderr)
        raise
    answer, for_all = answers[letter.lower()], letter.isupper()
    try:
        ask("job.answer", {"job": job, "question": question["id"], "answer": answer, "forAll": for_all})
    except CommandError as error:
        print(error)  # answered elsewhere meanwhile
