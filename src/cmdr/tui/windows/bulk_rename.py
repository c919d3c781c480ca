"""Rename many: a pattern above, a table of old and new names below; every name can also be typed by hand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.flow.rename_table import RenameTable
from cmdr.model.names import from_wire, to_wire
from cmdr.model.plans.name_fields import NameMark
from cmdr.tui.input.key_forwarding import edits_text, forward_key
from cmdr.tui.terminal.safe_text import fit
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import FULL_HEIGHT, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_SIGNS = {NameMark.SAME: " ", NameMark.NEW: "→", NameMark.TWICE: "!", NameMark.TAKEN: "!", NameMark.IMPOSSIBLE: "!"}


class BulkRename(Window[str]):
    """Live preview; nothing happens before F2, and nothing at all while a name clashes."""

    heading = "Rename many"
    hint = "F2 renames · Tab fields · Enter edits · Ctrl+R regex · Esc cancels"
    DEFAULT_CSS = """
    BulkRename > .box { width: 96%; height: 90%; }
    BulkRename Horizontal { height: 1; }
    BulkRename Horizontal > Input { margin-right: 1; }
    """

    def __init__(self, table: RenameTable, screen: MainScreen) -> None:
        super().__init__()
        self._table = table
        self._typed: dict[int, bytes] = {}
        self._screen = screen
        self._regex = False
        self._asked = ("", "")

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
        shown = to_wire(self._table.shown.names[place])
        dot = shown.rfind(".")

        def typed(text: str) -> None:
            self._typed[place] = from_wire(text)
            self._ask()

        self._screen.terminal.ask(
            Ask(f"New name for {to_wire(self._table.old[place])}", shown, select=(0, dot if dot > 0 else len(shown))),
            typed,
        )

    async def _preview(self) -> None:
        find, replace = self._pattern
        await self._table.preview(find, replace, regex=self._regex, typed=self._typed)
        self._show()

    def _show(self) -> None:
        shown = self._table.shown
        half = max(8, ((self._list.size.width or 70) - 6) // 2)
        rows: list[Row] = []
        for old, new, mark in zip(self._table.old, shown.names, shown.marks, strict=True):
            role = "warning" if mark.is_bad else "selected" if mark is NameMark.NEW else "dim"
            rows.append(
                [(f" {fit(to_wire(old), half)} ", "file"), (f"{_SIGNS[mark]} ", role), (fit(to_wire(new), half), role)]
            )
        self._list.show(rows, keep=True)
        self._note.show([[(f" {shown.note}", "warning" if shown.is_bad else "dim")]])

    def _apply(self) -> None:
        if (arguments := self._table.arguments) is not None:
            self.dismiss(None)
            self._screen.terminal.operate("rename_many", arguments)
