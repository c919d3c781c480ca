"""Windows with lines to read: the keys, about cmdr, and facts about an entry."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr import __version__
from cmdr.model.actions import SECTIONS, Risk
from cmdr.model.keys import KeyMap
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Dialog
from cmdr.tui.input.key_map import ACTIONS
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp
    from cmdr.tui.main_screen import MainScreen


class TextWindow(Window[str]):
    """Scrolls; any of Esc, Enter or q closes it."""

    hint = "↑↓ scroll · Esc closes"

    def __init__(self, heading: str, rows: Sequence[Row], *, dialog: str | None = None, lines: int = 18) -> None:
        super().__init__()
        self.heading = heading
        self.dialog = dialog
        self._rows = list(rows)
        self._most = lines

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, self._rows, lines=min(self._most, max(1, len(self._rows))), cursor=False)
        return [self._list]

    def show(self, rows: Sequence[Row]) -> None:
        """Show other lines."""
        self._rows = list(rows)
        self._list.lines = min(self._most, max(1, len(self._rows)))
        self.fit_height()
        self._list.show(rows)

    def pressed(self, event: events.Key) -> bool:
        if event.key in ("enter", "q", "f1", "f10"):
            self.leave()
            return True
        return self._list.pressed(event)


_TYPING: tuple[tuple[str, str], ...] = (
    ("letters", "search for a name; ↑↓ next and previous, Esc ends"),
    ("/", "filter as you type; Enter keeps it, Esc shows all"),
    ("Esc", "give up waiting, clear the filter, clear the selection"),
    ("mouse", "click moves, double click opens, right click selects, a column head sorts"),
)
_ROLES = {Risk.DESTROYS: "agent"}
"""What no undo takes back stands out."""


def help_rows(keys: KeyMap) -> list[Row]:
    """The key map by section."""
    rows: list[Row] = []
    for section in SECTIONS:
        rows.append([(f" {section}", "header")])
        rows += [
            [(f"   {keys.all_keys(action.id) or '–':<24}", "bar_key"), (action.title, _ROLES.get(action.risk, "file"))]
            for action in ACTIONS
            if action.section == section
        ]
    rows.append([(" Typing", "header")])
    rows += [[(f"   {key:<24}", "bar_key"), (does, "file")] for key, does in _TYPING]
    if keys.problems:
        rows.append([(" Problems", "header")])
        rows += [[(f"   {problem}", "warning")] for problem in keys.problems]
    return rows


def about_rows(terminal: TerminalApp) -> list[Row]:
    """Version, where things are kept, where agents connect."""
    settings = terminal.commander.settings
    listens = terminal.listens_at or "not running"
    facts = (
        ("Version", __version__),
        ("Agents", listens),
        ("Settings", settings.path or "not kept"),
        ("Process", str(os.getpid())),
    )
    return [
        [(" A two-pane file commander that a person and their AI agents share.", "file")],
        [("", "file")],
        *([(f" {name:<10}", "dim"), (value, "file")] for name, value in facts),
        [("", "file")],
        [(" F1 shows every key, F9 every command.", "dim")],
    ]


class Info(TextWindow):
    """What the disk says about an entry."""

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        self._path = dialog.path or b"/"
        self._screen = screen
        super().__init__(
            f"Info: {to_wire(os.path.basename(self._path) or b'/')}", [[("…", "dim")]] * 6, dialog=dialog.id
        )

    def opened(self) -> None:
        """Look it up in a thread: a dead mount must not hold the window up."""
        self.run_update(self._look)

    async def _look(self) -> None:
        rows = await self._screen.commander.browser.facts.describe(self._path)
        listed: list[Row] = [[(f" {name:<12}", "dim"), (value, "file")] for name, value in rows]
        self.show(listed)
