"""All of what waits: the window in which one row of the inbox is looked at as a whole."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.model.panes.workspace import DialogType
from cmdr.model.results.inbox import InboxKind
from cmdr.tui.changes.jobs import JobsWindow
from cmdr.tui.changes.plan_list import PlanList
from cmdr.tui.changes.progress import Progress
from cmdr.tui.inbox.rows import job_of
from cmdr.tui.inbox.waiting import PLANS, Entry
from cmdr.tui.review.screen import open_review, pending_reviews
from cmdr.tui.widgets.lines import Row
from cmdr.tui.windows.text_window import TextWindow

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

WIDTH = 66
"""Columns of a text in a window."""
_JOBS = frozenset({InboxKind.QUESTION, InboxKind.PAUSED, InboxKind.FAILED, InboxKind.INTERRUPTED})


def open_entry(screen: MainScreen, entry: Entry) -> None:
    """Show the whole of one thing that waits; nothing is decided by that."""
    row, terminal = entry.row, screen.terminal
    if entry.dialog is not None:
        terminal.windows.open_window(entry.dialog)
    elif row.kind in PLANS:
        _open_proposal(screen, row.id)
    elif row.kind is InboxKind.EDIT:
        for case in pending_reviews(screen):
            if case.id == row.id:
                open_review(screen, case)
    elif row.kind in _JOBS:
        job = job_of(screen.commander, row)
        asks = job is not None and job.question is not None
        terminal.push_screen(Progress(job, screen) if job is not None and asks else JobsWindow(screen, job))
    else:
        told = [row.what, row.detail, *row.risk]
        lines: list[Row] = [[(f" {line}", "file")] for text in told if text for line in [*wrap(text, WIDTH), ""]]
        terminal.push_screen(TextWindow("The record" if row.kind is InboxKind.WARNING else "Inbox", lines[:-1]))


def _open_proposal(screen: MainScreen, id: str) -> None:
    for dialog in screen.commander.workspace.dialogs_of(DialogType.CONFIRMATION):
        if dialog.proposal == id:
            screen.terminal.windows.open_window(dialog)
            return
    try:
        plan = screen.commander.proposals.get(id, PERSON).plan
    except CommandError as error:
        screen.show_message(str(error), bad=True)
        return
    screen.terminal.ask(PlanList(plan), lambda _: None)
