"""What agents want from the person: their proposals and the windows they opened, one key away."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.names import display_name
from cmdr.model.panes.workspace import Dialog
from cmdr.model.plans.plan_text import chosen_of, title_of
from cmdr.model.plans.proposal import expired_text
from cmdr.tui.changes.jobs import JobsWindow
from cmdr.tui.changes.progress import Progress
from cmdr.tui.review.screen import open_review, pending_reviews, review_choice
from cmdr.tui.widgets.lines import Row
from cmdr.tui.windows.choose import Choice, Choose
from cmdr.tui.windows.text_window import TextWindow

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


WIDTH = 66
"""Columns of a text in a window."""


def show_next(screen: MainScreen) -> None:
    """Show what waits: at once when it is one thing, as a list when it is several."""
    missed = screen.commander.proposals.missed()
    screen.commander.proposals.missed_seen()
    if missed:
        screen.show_message(expired_text([title_of(proposal.plan) for proposal in missed]))
    dialogs = {dialog.id: dialog for dialog in screen.terminal.windows.waiting()}
    edits = {case.id: case for case in pending_reviews(screen)}
    choices = [
        Choice(id, _title(screen, dialog), _detail(screen, dialog), _short(dialog.opened_by))
        for id, dialog in dialogs.items()
    ]
    choices += [review_choice(case) for case in edits.values()]
    cut_short = {job.id: job for job in screen.commander.jobs.interrupted()}
    choices += [Choice(id, job.title, job.outcome, _short(job.started_by)) for id, job in cut_short.items()]
    jobs = screen.commander.jobs
    asking = {job.id: job for job in jobs.running() if job.question is not None}
    choices += [Choice(id, job.asks, job.title, _short(job.started_by)) for id, job in asking.items()]
    told = {job.id: job for job in (*jobs.paused_by_stop(), *jobs.failed_unseen()) if job.id not in asking}
    choices += [Choice(id, job.title, job.outcome or job.state, _short(job.started_by)) for id, job in told.items()]
    warnings = {f"warning {number}": text for number, text in enumerate(screen.commander.warnings.texts())}
    choices += [Choice(id, text, "", "the record") for id, text in warnings.items()]

    def show(id: str) -> None:
        if id in warnings:
            _read(screen, [*warnings.values()])
        elif id in asking:
            screen.terminal.push_screen(Progress(asking[id], screen))
        elif id in cut_short or id in told:
            screen.terminal.push_screen(JobsWindow(screen, cut_short.get(id) or told[id]))
        elif id in edits:
            open_review(screen, edits[id])
        elif id in dialogs:
            screen.terminal.windows.open_window(dialogs[id])

    if not choices:
        if not missed:
            screen.show_message("Nothing waits for you.")
    elif len(choices) == 1:
        show(choices[0].value)
    else:
        screen.terminal.ask(Choose("Waiting for you", choices), show)


def _read(screen: MainScreen, texts: list[str]) -> None:
    """Show what is wrong with the record in full; once it was on the screen it has been seen."""
    rows: list[Row] = [[(f" {line}", "file")] for text in texts for line in [*wrap(text, WIDTH), ""]]
    screen.terminal.push_screen(TextWindow("The record", rows[:-1]))
    screen.enqueue("pending.seen")


def _short(principal: str) -> str:
    return principal.partition(":")[2]


def _detail(screen: MainScreen, dialog: Dialog) -> str:
    """What tells it apart from the next one: the name with its folder."""
    if not dialog.proposal:
        return ""
    proposal = screen.commander.proposals.get(dialog.proposal, PERSON)
    return "/".join(chosen_of(proposal.plan).split("/")[-2:])


def _title(screen: MainScreen, dialog: Dialog) -> str:
    if dialog.proposal:
        return title_of(screen.commander.proposals.get(dialog.proposal, PERSON).plan)
    return f"{dialog.type} {display_name(dialog.path) if dialog.path else ''}".strip()
