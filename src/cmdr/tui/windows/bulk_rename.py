"""Rename many: a pattern above, a table of old and new names below; every name can also be typed by hand."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.errors import CommandError
from cmdr.core.panes.name_input import preview_names
from cmdr.model.names import from_wire, to_wire
from cmdr.model.plans.renaming import NameMark, judge
from cmdr.model.units import count
from cmdr.tui.input.key_forwarding import edits_text, forward_key
from cmdr.tui.terminal.safe_text import fit
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import FULL_HEIGHT, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_SIGNS = {NameMark.SAME: " ", NameMark.NEW: "→", NameMark.TWICE: "!", NameMark.TAKEN: "!", NameMark.IMPOSSIBLE: "!"}
_WHY = {
    NameMark.TWICE: "two files would get this name",
    NameMark.TAKEN: "this name is taken",
    NameMark.IMPOSSIBLE: "no possible name",
}


class BulkRename(Window[str]):
    """Live preview; nothing happens before F2, and nothing at all while a name clashes."""

    heading = "Rename many"
    hint = "F2 renames · Tab fields · Enter edits · Ctrl+R regex · Esc cancels"
    DEFAULT_CSS = """
    BulkRename > .box { width: 96%; height: 90%; }
    BulkRename Horizontal { height: 1; }
    BulkRename Horizontal > Input { margin-right: 1; }
    """

    def __init__(self, folder: bytes, names: list[bytes], screen: MainScreen) -> None:
        super().__init__()
        self._folder = folder
        self._old = names
        self._new = list(names)
        self._typed: dict[int, bytes] = {}
        self._screen = screen
        self._regex = False
        self._asked = ("", "")
        self._marks = [NameMark.SAME] * len(names)

    def contents(self) -> list[Widget]:
        """Pattern, table, one line of advice."""
        self._find = LineInput("", placeholder="find")
        self._replace = LineInput("", placeholder="replace with ($1, {n:03}, {date} …)")
        self._list = LineList(self.appearance, [], lines=FULL_HEIGHT)
        self._note = LineList(self.appearance, [], lines=1, cursor=False)
        return [Horizontal(self._find, self._replace), self._list, self._note]

    def opened(self) -> None:
        self.set_focus(self._find)
        self.call_after_refresh(self._show)

    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        if self._asked != self._pattern:
            self._ask()

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What decides waits for the names that all letters so far lead to; going on to type does not."""
        turns = isinstance(event, events.Key) and event.key == "tab"
        if turns or (self.focused is not None and edits_text(event)):
            return None
        if self._asked != self._pattern:  # the news of the last letter is still on its way
            self._ask()
        return self.up_to_date

    @property
    def _pattern(self) -> tuple[str, str]:
        return self._find.value, self._replace.value

    def _ask(self) -> None:
        self._asked = self._pattern
        self.run_update(self._preview)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter in a field goes on to the table."""
        message.stop()
        self.set_focus(None)

    def pressed(self, event: events.Key) -> bool:
        if event.key == "tab":
            order = [self._find, self._replace, None]
            here = order.index(self.focused) if self.focused in order else 2
            self.set_focus(order[(here + 1) % 3])
        elif event.key == "ctrl+r":
            self._regex = not self._regex
            self._ask()
        elif event.key == "f2":
            self._apply()
        elif event.key == "enter" and self.focused is None:
            self._edit_one()
        elif self._list.pressed(event):
            pass
        elif event.key == "delete" and self.focused is None:
            self._typed.pop(self._list.cursor, None)
            self._ask()
        elif self.focused is not None and (event.is_printable or event.key == "backspace"):
            forward_key(self.focused, event)
        else:
            return False
        return True

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self._edit_one()

    def _edit_one(self) -> None:
        from cmdr.tui.windows.ask import Ask

        place = self._list.cursor
        shown = to_wire(self._new[place])
        dot = shown.rfind(".")

        def typed(text: str) -> None:
            self._typed[place] = from_wire(text)
            self._ask()

        self._screen.terminal.ask(
            Ask(f"New name for {to_wire(self._old[place])}", shown, select=(0, dot if dot > 0 else len(shown))), typed
        )

    async def _preview(self) -> None:
        try:
            self._new = await preview_names(
                self._folder, self._old, self._find.value, self._replace.value, regex=self._regex
            )
            problem = ""
        except CommandError as error:
            self._new, problem = list(self._old), str(error)
        for place, name in self._typed.items():
            self._new[place] = name
        self._show(problem)

    def _show(self, problem: str = "") -> None:
        columns = self._screen.tab.listing.columns
        self._marks = judge(self._old, self._new, lambda name: columns.find(name) is not None)
        half = max(8, ((self._list.size.width or 70) - 6) // 2)
        rows: list[Row] = []
        for old, new, mark in zip(self._old, self._new, self._marks, strict=True):
            role = "warning" if mark.is_bad else "selected" if mark is NameMark.NEW else "dim"
            rows.append(
                [(f" {fit(to_wire(old), half)} ", "file"), (f"{_SIGNS[mark]} ", role), (fit(to_wire(new), half), role)]
            )
        self._list.show(rows, keep=True)
        bad = next((mark for mark in self._marks if mark.is_bad), None)
        changed = sum(mark is NameMark.NEW for mark in self._marks)
        kind = "regular expression" if self._regex else "plain text"
        note = problem or (_WHY[bad] if bad else f"{count(changed, 'name')} would change, by {kind}")
        self._note.show([[(f" {note}", "warning" if bad or problem else "dim")]])

    def _apply(self) -> None:
        if any(mark.is_bad for mark in self._marks):
            return
        pairs = [(old, new) for old, new in zip(self._old, self._new, strict=True) if old != new]
        if not pairs:
            return
        self.dismiss(None)
        self._screen.terminal.operate(
            "rename_many",
            {
                "paths": [to_wire(os.path.join(self._folder, old)) for old, _ in pairs],
                "names": [to_wire(new) for _, new in pairs],
            },
        )
