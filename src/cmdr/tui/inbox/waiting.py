"""What waits for the person, as the terminal shows it: the rows of the inbox, then the windows that agents opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.core.commander import Commander
from cmdr.model.names import display_name
from cmdr.model.panes.workspace import Dialog, DialogType
from cmdr.model.results.inbox import InboxKind, InboxRow

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp

PLANS = frozenset({InboxKind.PROPOSAL, InboxKind.COMMAND, InboxKind.TRUST})
"""Kinds that are a plan with a digest."""
BLOCKING = PLANS | {InboxKind.EDIT}
"""Kinds that hold an agent up until they are answered."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: something of the inbox, or a window of an agent that nobody has looked at."""

    row: InboxRow
    dialog: Dialog | None = None
    """The window, when it is one; then nothing else is answered but whether it is looked at."""

    @property
    def id(self) -> str:
        """What tells it from others."""
        return self.row.id


def waiting_rows(commander: Commander) -> Sequence[InboxRow]:
    """What waits, the most urgent first; a question of the person's own is on the screen already."""
    return [row for row in commander.inbox.rows().rows if row.by or row.kind not in PLANS]


def in_words(commander: Commander, row: InboxRow) -> str:
    """A row in a few words: who wants what, what a job asks about, what came of it."""
    if row.kind is InboxKind.QUESTION:
        asking = next((job for job in commander.jobs.running() if job.id == row.id), None)
        return asking.asks if asking is not None else row.what
    if row.kind is InboxKind.FAILED:
        return row.detail.partition(";")[0]
    return f"{row.by}: {row.what}" if row.by else row.what


def waiting_windows(terminal: TerminalApp) -> list[Dialog]:
    """The windows that agents opened and that are not on the screen, oldest first; proposals are rows of the inbox."""
    return [
        dialog
        for dialog in terminal.windows.waiting()
        if dialog.type is not DialogType.CONFIRMATION and dialog.opened_by.startswith("agent:")
    ]


def waiting_entries(terminal: TerminalApp) -> list[Entry]:
    """Everything: whoever is held up stands before a window that can wait."""
    rows = [Entry(row) for row in waiting_rows(terminal.commander)]
    return rows + [Entry(_of_window(dialog), dialog) for dialog in waiting_windows(terminal)]


def _of_window(dialog: Dialog) -> InboxRow:
    what = f"Look at {display_name(dialog.path)}" if dialog.path else f"Look at a window: {dialog.type}"
    return InboxRow(f"window {dialog.id}", InboxKind.ENDED, dialog.opened_by.partition(":")[2], what)
