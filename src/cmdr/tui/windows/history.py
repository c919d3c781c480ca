"""What was done, newest first, and undo for any of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.errors import CommandError
from cmdr.model.names import to_wire
from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.core.journal_history import HistoryEntry
    from cmdr.tui.main_screen import MainScreen

SHOWN = 200


class History(Window[str]):
    """The journal as a list; Enter takes the operation under the cursor back."""

    heading = "History"
    hint = "Enter: undo this one · Esc closes"
    DEFAULT_CSS = "History > .box { width: 96; }"

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._entries: list[HistoryEntry] = []

    def contents(self) -> list[Widget]:
        """The list."""
        self._list = LineList(self.appearance, [[(" …", "dim")]], lines=16)
        return [self._list]

    def opened(self) -> None:
        """Read the journal."""
        self.run_worker(self._read())

    async def _read(self) -> None:
        try:
            self._entries = list(await self._screen.commander.engine.history(SHOWN))
        except CommandError as error:
            self._list.show([[(f" {error}", "warning")]])
            return
        self._list.show([_row(entry) for entry in self._entries] or [[(" Nothing has been changed yet.", "dim")]])

    def pressed(self, event: events.Key) -> bool:
        """Undo, or move."""
        if event.key in ("enter", "u") and self._list.cursor < len(self._entries):
            operation = self._entries[self._list.cursor].id
            self.dismiss(None)
            self._screen.terminal.operate("undo", {"operation": operation}, sure=False)
            return True
        return self._list.pressed(event)


def _row(entry: HistoryEntry) -> Row:
    when = time.strftime("%m-%d %H:%M", time.localtime(entry.started))
    told = to_wire(entry.title)
    if entry.total > 1:
        told += f" and {entry.total - 1} more"
    if entry.destination is not None:
        told += f" → {to_wire(entry.destination)}"
    state = "undone" if entry.undone_by is not None else "" if entry.state.value == "done" else entry.state.value
    role = "dim" if state == "undone" else "file"
    return [
        (f" {when}  ", "dim"),
        (f"{entry.verb:<8}", "bar_key"),
        (f"{state} " if state else "", "agent"),
        (told, role),
        (f"  by {entry.by.partition(':')[2]}", "dim"),
    ]
