"""What was done, newest first, and undo for any of it."""

from __future__ import annotations

import os
import time
from textwrap import wrap
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.errors import CommandError
from cmdr.model.names import display_name
from cmdr.tui.panes.frame import abbreviate_home
from cmdr.tui.terminal.safe_text import fit, width_of
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.model.history import HistoryEntry
    from cmdr.tui.main_screen import MainScreen

MAX_SHOWN = 200


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
        self._list = LineList(self.appearance, [[(" …", "dim")]], lines=16)
        return [self._list]

    def opened(self) -> None:
        self.run_update(self._read)

    async def _read(self) -> None:
        try:
            engine = self._screen.commander.engine
            self._entries = list(await engine.history(MAX_SHOWN))
            begins = [damage.told() for damage in await engine.damage()]
        except CommandError as error:
            self._list.show([[(f" {error}", "warning")]])
            return
        rows = [_row(entry, self.appearance.home, self._list.size.width) for entry in self._entries]
        rows += [[(f" {line}", "warning")] for text in begins for line in wrap(text, self._list.size.width - 2)]
        self._list.show(rows or [[(" Nothing has been changed yet.", "dim")]])

    def pressed(self, event: events.Key) -> bool:
        if event.key in ("enter", "u") and self._list.cursor < len(self._entries):
            operation = self._entries[self._list.cursor].id
            self.dismiss(None)
            self._screen.terminal.operate("undo", {"operation": operation}, sure=False)
            return True
        return self._list.pressed(event)


def _row(entry: HistoryEntry, home: bytes, width: int) -> Row:
    when = time.strftime("%m-%d %H:%M", time.localtime(entry.started))
    text = abbreviate_home(entry.title, home)
    if entry.new_name is not None:
        text += f" → {display_name(entry.new_name)}"
    if entry.total > 1:
        text += f" and {entry.total - 1} more"
    if entry.destination is not None and entry.destination != os.path.dirname(entry.title):
        text += f" → {abbreviate_home(entry.destination, home)}"
    failed = f"{entry.failed} failed" if entry.failed else ""
    state = entry.undone or failed or ("" if entry.state.value == "done" else entry.state.value)
    role = "dim" if state == "undone" else "file"
    before: Row = [
        (f" {when}  ", "dim"),
        (f"{entry.verb:<7} ", "bar_key"),
        (f"{state} " if state else "", "agent"),
    ]
    by = f"  by {entry.by.partition(':')[2]}"
    # Of a long path the end tells more than the beginning, and who did it is never cut away.
    room = width - sum(width_of(text) for text, _ in before) - width_of(by) - 1
    if width_of(text) > room > 0:
        text = fit(text, room, keep_end=True)
    return [*before, (text, role), (by, "dim")]
