"""The lines of a pane that hold rows, each kept as drawn until something about it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment

from cmdr.model.panes.tab import Tab, ViewMode
from cmdr.tui.appearance import Appearance
from cmdr.tui.pane_rows import FullColumns, RowState, brief_cell, full_row, parent_row
from cmdr.tui.pane_shape import PaneShape
from cmdr.tui.safe_text import fit, printable, shown

if TYPE_CHECKING:
    from textual.strip import Strip

KEPT = 4096


class RowLines:
    """Draws one line at a time; `changed` names entries that stand out for a moment."""

    def __init__(self, appearance: Appearance) -> None:
        self.appearance = appearance
        self._strips: dict[tuple[object, ...], Strip] = {}

    def forget(self) -> None:
        """What was drawn is not true any more."""
        self._strips.clear()

    def draw(
        self, tab: Tab, shape: PaneShape, top: int, line: int, *, active: bool, changed: frozenset[bytes]
    ) -> Strip:
        """The rows that stand side by side in a line."""
        from textual.strip import Strip

        if not len(tab.listing) and (line or not shape.above):
            return Strip(self._notice(tab, shape, line, active=active))
        places = range(top + line, top + line + shape.columns * shape.lines, shape.lines)
        states = [_state(tab, shape, place, active=active, changed=changed) for place in places]
        thumb = _in_thumb(line, shape, top, shape.total(len(tab.listing)))
        key = (top + line, tuple(states), thumb, active)
        strip = self._strips.get(key)
        if strip is None:
            cells = self._cells(tab, shape, places, states, thumb=thumb, active=active)
            strip = Strip(cells).adjust_cell_length(shape.width, self.appearance.ink["base"])
            if len(self._strips) > KEPT:
                self._strips.clear()
            self._strips[key] = strip
        return strip

    def cells(self, tab: Tab, shape: PaneShape, top: int, line: int, *, active: bool) -> list[Segment]:
        """The same for a picture that is drawn once, before anything can have changed."""
        if not len(tab.listing) and (line or not shape.above):
            return self._notice(tab, shape, line, active=active)
        places = range(top + line, top + line + shape.columns * shape.lines, shape.lines)
        states = [_state(tab, shape, place, active=active, changed=frozenset()) for place in places]
        thumb = _in_thumb(line, shape, top, shape.total(len(tab.listing)))
        return self._cells(tab, shape, places, states, thumb=thumb, active=active)

    def _cells(
        self, tab: Tab, shape: PaneShape, places: range, states: list[RowState | None], *, thumb: bool, active: bool
    ) -> list[Segment]:
        frame = self.appearance.ink["frame_active" if active else "frame"]
        cells = [Segment("│", frame)]
        for column, (place, state) in enumerate(zip(places, states, strict=True)):
            cells += self._cell(tab, shape, column, place, state)
        return [*cells, Segment("█" if thumb else "│", frame)]

    def _cell(self, tab: Tab, shape: PaneShape, column: int, place: int, state: RowState | None) -> list[Segment]:
        ink, row = self.appearance.ink, self.appearance.row
        width = shape.column_width(column)
        if state is None:
            return [Segment(" " * width, ink["base"])]
        if place < shape.above:
            return parent_row(state, width, ink)
        entry = tab.listing.entry(place - shape.above)
        name = shown(entry.name, beside=tab.listing.has_double(entry.name))
        if shape.view is ViewMode.FULL:
            return full_row(entry, name, state, FullColumns.within(shape.inner, row), row, ink)
        return brief_cell(entry, name, state, width, row, ink)

    def _notice(self, tab: Tab, shape: PaneShape, line: int, *, active: bool) -> list[Segment]:
        """Why there are no rows."""
        ink = self.appearance.ink
        side = Segment("│", ink["frame_active" if active else "frame"])
        text, role = "", "dim"
        if line == 1 and tab.problem:
            text, role = " " + printable(tab.problem), "warning"
        elif line == 1 and tab.filter:
            text = " Nothing matches the filter. Esc shows all."
        elif line == 1 and tab.history.here >= 0:
            text = " This folder is empty."
        return [side, Segment(fit(text, shape.inner), ink[role if text else "base"]), side]


def _state(tab: Tab, shape: PaneShape, place: int, *, active: bool, changed: frozenset[bytes]) -> RowState | None:
    """How the row in a place stands out, or None below the last one."""
    listing, position = tab.listing, place - shape.above
    if position >= len(listing):
        return RowState(cursor=True, active=active) if place < shape.above else None
    if position < 0:
        return RowState(cursor=tab.on_parent_row, active=active)
    row = listing.order[position]
    return RowState(
        cursor=position == tab.cursor and not (tab.on_parent_row and shape.above),
        active=active,
        selected=row in tab.selection,
        changed=bool(changed) and listing.columns.name(row) in changed,
    )


def _in_thumb(line: int, shape: PaneShape, top: int, total: int) -> bool:
    if total <= shape.page:
        return False
    size = max(1, shape.lines * shape.page // total)
    start = (shape.lines - size) * top // max(1, total - shape.page)
    start = min(start, shape.lines - size)
    return start <= line < start + size
