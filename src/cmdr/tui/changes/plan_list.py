"""The whole plan behind a confirmation, step by step: scrolls, and narrows while one types."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import overload

from textual import events
from textual.widget import Widget

from cmdr.core.threads import in_thread
from cmdr.model.plans.plan import Plan
from cmdr.model.plans.plan_list import length_of, lines_at, page_of, places_of
from cmdr.model.units import count
from cmdr.tui.terminal.safe_text import fit, width_of
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

LINES = 20
SIZE = 12
"""Columns of a line before its path: the size, or the first words of what becomes of it."""


class PlanRows(Sequence[Row]):
    """Rows that are made when they are drawn: a plan may have half a million steps."""

    def __init__(self, plan: Plan, width: Callable[[], int], places: Sequence[int] | None = None) -> None:
        self._plan = plan
        self._width = width
        self._places = places

    def __len__(self) -> int:
        return length_of(self._plan) if self._places is None else len(self._places)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self._places is None:
            (line,) = page_of(self._plan, index, 1).lines
        else:
            (line,) = lines_at(self._plan, [self._places[index]])
        return [(f" {line[:SIZE]}", "dim"), (self._fitted(line[SIZE:]), "file")]

    def _fitted(self, path: str) -> str:
        """A path that is too long shows its end: the name is what one looks for."""
        room = self._width() - SIZE - 1
        return fit(path, room, keep_end=True) if width_of(path) > room > 0 else path


class PlanList(Window[str]):
    """Everything that would be done; Esc goes back to the question."""

    hint = "↑↓ PgUp PgDn scroll · type to narrow · Esc back"
    DEFAULT_CSS = "PlanList > .box { width: 110; }"

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan
        self._typed = ""
        self.heading = f"The whole plan: {count(length_of(plan), 'step')}"

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, lines=min(LINES, max(3, length_of(self._plan))), cursor=False)
        self._list.rows = PlanRows(self._plan, self._width)
        return [self._list]

    def _width(self) -> int:
        return self._list.size.width

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            return True
        if event.key == "backspace":
            self._narrow(self._typed[:-1])
        elif event.is_printable and event.character:
            self._narrow(self._typed + event.character)
        else:
            return False
        return True

    def _narrow(self, typed: str) -> None:
        self._typed = typed
        self.title_box(f"{self.heading}: {typed}_" if typed else self.heading, self.hint)
        self.run_update(lambda: self._find(typed))

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What scrolls waits for the list; going on to type does not."""
        is_typing = isinstance(event, events.Key) and (event.is_printable or event.key == "backspace")
        return None if is_typing else self.up_to_date

    async def _find(self, typed: str) -> None:
        places: Sequence[int] | None = None
        if typed:
            places = await in_thread(places_of, self._plan, typed, lambda: self._typed == typed)
        self._list.rows = PlanRows(self._plan, self._width, places)
        self._list.top = 0
        self._list.refresh()
        if places is not None:
            self.title_box(f"{self.heading}: {typed}_ ({len(places)} found)", self.hint)
