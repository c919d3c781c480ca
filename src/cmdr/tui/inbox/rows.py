"""How what waits is drawn: one line in the list, and the whole of it beside or below."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.model.agent_text import framed, wrapped
from cmdr.model.job import Job
from cmdr.model.names import display_name
from cmdr.model.plans.plan_text import facts_of
from cmdr.model.results.inbox import InboxKind, InboxRow
from cmdr.model.texts.diff import Diff
from cmdr.model.texts.review import Review
from cmdr.model.units import iso_time
from cmdr.tui.inbox.waiting import PLANS, Entry
from cmdr.tui.terminal.safe_text import fit, fit_middle, printable, width_of
from cmdr.tui.widgets.lines import Row

MAX_DIFF_LINES = 200
"""Lines of an edit that are shown here; the review shows all of them."""
WITH_AMOUNT = 84
"""Columns of the list from which on it tells how much."""
_TONES = {"": "file", "care": "agent", "risk": "warning"}
_NAMES = {
    InboxKind.QUESTION: "asks",
    InboxKind.PAUSED: "paused",
    InboxKind.FAILED: "failed",
    InboxKind.INTERRUPTED: "cut short",
    InboxKind.ENDED: "ended",
    InboxKind.SUSPENDED: "suspended",
    InboxKind.WARNING: "record",
}
"""What is said of those that are no proposals, before what it is."""
_CARE = frozenset({InboxKind.FAILED, InboxKind.WARNING, InboxKind.INTERRUPTED})


def short_span(seconds: float) -> str:
    """A time in one unit, as in `12 min`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def list_row(entry: Entry, width: int, now: float, *, is_marked: bool) -> Row:
    """Who, what, how much, whether it needs care, how old it is and when it expires; what it is gives way last."""
    row = entry.row
    left = f"{short_span(row.expires - now)} left" if row.expires is not None else ""
    age = short_span(now - row.since) if row.since else ""
    amount = row.amount if width >= WITH_AMOUNT and row.amount not in row.what else ""
    right = "  ".join(part for part in (printable(amount), age, left) if part)
    who = printable(row.by or "cmdr")
    who = fit(who, 9) if width_of(who) > 9 else who
    state = f"{_NAMES[row.kind]}: " if row.kind in _NAMES and entry.dialog is None else ""
    what = printable(f"{state}{row.what}" + (f" · {_short(row.detail)}" if row.detail else ""))
    room = width - 15 - width_of(right)
    if room < 16:
        right, room = "", width - 14
    return [
        ("●" if is_marked else " ", "selected"),
        ("! " if row.risk or row.word else "  ", "warning" if row.risk or row.word else "dim"),
        (f"{who} " + " " * max(0, 9 - width_of(who)), "agent" if row.by else "dim"),
        (fit_middle(what, max(1, room)), "warning" if row.kind in _CARE else "file"),
        (f" {right} ", "dim"),
    ]


def _short(detail: str) -> str:
    """What tells a row from the next one: of a path, the name with its folder."""
    return "/".join(detail.split("/")[-2:])


def detail_rows(commander: Commander, entry: Entry, width: int, now: float | None = None) -> list[Row]:
    """All of it, none of the words cut off: what it is, why it needs care, the facts, and the agent's words last."""
    row, now = entry.row, time.time() if now is None else now
    facts = [] if entry.dialog is not None else list(_facts(commander, row, width))
    rows = _wrapped(row.what, "title_active", width)
    about = [row.by or "cmdr", *([row.amount] if row.amount and row.amount not in row.what else [])]
    if row.since:
        about.append(f"since {short_span(now - row.since)}")
    if row.expires is not None:
        about.append(f"expires in {short_span(row.expires - now)}")
    rows += _wrapped(" · ".join(about), "dim", width)
    if row.kind not in PLANS:
        rows += _wrapped(row.detail, "file", width)
    rows += [line for risk in row.risk for line in _wrapped(f"! {risk}", "warning", width)]
    rows += [[("", "file")], *facts] if facts else []
    said = framed(row.by, row.reason, width - 2, "says" if row.kind in PLANS else "calls it")
    if said:
        heading, *lines = said
        rows += [[("", "file")], [(f" {heading}", "agent")], *([(f" {line}", "dim")] for line in lines)]
    return rows


def _facts(commander: Commander, row: InboxRow, width: int) -> Iterator[Row]:
    try:
        if row.kind in PLANS:
            for fact in facts_of(commander.proposals.get(row.id, PERSON).plan)[1:]:
                yield from _wrapped(fact.text, _TONES[fact.tone], width)
        elif row.kind is InboxKind.EDIT:
            for case in commander.services.waiting_reviews():
                if case.id == row.id:
                    yield from _edit(case.files, width)
        elif (job := job_of(commander, row)) is not None:
            yield from _about_job(job, width)
    except CommandError as error:
        yield from _wrapped(str(error), "warning", width)


def job_of(commander: Commander, row: InboxRow) -> Job | None:
    """The job that a row is about, if it is about one."""
    number = row.id.rpartition(" ")[2]
    for job in (*commander.jobs.all(), *commander.jobs.interrupted()):
        if job.id == row.id or (row.kind is InboxKind.INTERRUPTED and str(job.operation) == number):
            return job
    return None


def _about_job(job: Job, width: int) -> Iterator[Row]:
    question = job.question
    if question is None:
        for line in job.problems:
            yield from _wrapped(line, "agent", width)
        return
    yield from _wrapped(f"{display_name(question.target)} {question.about}", "warning", width)
    if question.inside:
        yield from _wrapped(f"shown: {question.shown}", "file", width)
        yield from _wrapped(f"now:   {question.inside}", "file", width)
        return
    yield [(f" there: {question.target_size:>14,} B  {iso_time(question.target_modified_ns)}", "file")]
    yield [(f" new:   {question.source_size:>14,} B  {iso_time(question.source_modified_ns)}", "file")]
    yield from _wrapped(f"from {display_name(question.source)}", "dim", width)


def _edit(files: Sequence[Review], width: int) -> Iterator[Row]:
    """The changed lines, as many as can be taken in; of many files under their names."""
    lines = list(islice(_lines_of(files), MAX_DIFF_LINES + 1))
    for text, role in lines[:MAX_DIFF_LINES]:
        yield [(" " + fit(printable(text.expandtabs(4)), max(1, width)), role)]
    if len(lines) > MAX_DIFF_LINES:
        yield [(" … Enter shows all of it", "dim")]


def _lines_of(files: Sequence[Review]) -> Iterator[tuple[str, str]]:
    for file in files:
        if len(files) > 1:
            yield f"{display_name(file.new_path)}  +{file.diff.added} -{file.diff.removed}", "title_active"
        yield from _changed_lines(file.diff)


def _changed_lines(diff: Diff) -> Iterator[tuple[str, str]]:
    for hunk in diff.hunks:
        yield f"line {hunk.new_start + 1}", "dim"
        for line in diff.old_lines[hunk.old_start : hunk.old_end]:
            yield f"- {line.rstrip()}", "archive"
        for line in diff.new_lines[hunk.new_start : hunk.new_end]:
            yield f"+ {line.rstrip()}", "program"


def _wrapped(text: str, role: str, width: int) -> list[Row]:
    end = " " if role == "warning" else ""
    return [[(f" {piece}{end}", role)] for piece in wrapped(printable(text), width - 2)] if text else []
