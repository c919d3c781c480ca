"""One pane on the screen: its frame, tabs and rows, drawn line by line from the workspace."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from cmdr.core.commander import Commander
from cmdr.model.listing import Listing
from cmdr.model.pane import Pane, Side
from cmdr.model.tab import Tab, ViewMode
from cmdr.tui import pane_frame
from cmdr.tui.appearance import Appearance
from cmdr.tui.line_widget import LineWidget
from cmdr.tui.pane_rows import FullColumns, RowState, brief_cell, full_head, full_row
from cmdr.tui.pane_shape import PaneShape
from cmdr.tui.recent_changes import RecentChanges
from cmdr.tui.safe_text import fit, printable

WHEEL = 3
AHEAD = 2
"""Facts are looked up so many pages around what is shown, before anybody scrolls there."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the last drawing showed, to see how much must be drawn again."""

    tab: Tab
    listing: Listing
    shape: PaneShape
    top: int
    cursor: int
    rest: tuple[object, ...]


class PaneView(LineWidget):
    """Shows one pane. `top` is the person's own scroll position, kept for each tab."""

    DEFAULT_CSS = "PaneView { width: 1fr; height: 1fr; }"

    class Clicked(Message):
        """The mouse hit a row, a tab or the path."""

        def __init__(self, side: Side, what: str, position: int = -1, tab: str = "", *, twice: bool = False) -> None:
            super().__init__()
            self.side, self.what, self.position, self.tab, self.twice = side, what, position, tab, twice

    def __init__(self, commander: Commander, side: Side, appearance: Appearance, looked: Callable[[], None]) -> None:
        super().__init__(appearance, id=side.value)
        self._looked = looked
        self._commander = commander
        self.side = side
        self.search = ""
        """What is being searched by typing, shown in the frame."""
        self._tops: dict[str, int] = {}
        self._seen: _Seen | None = None
        self._strips: dict[tuple[object, ...], Strip] = {}
        self._looking: asyncio.Task[None] | None = None
        self._sized: tuple[Listing, int, range] | None = None
        self._tab_places: list[tuple[int, int, str]] = []
        self.changes = RecentChanges(lambda: self.redraw(follow=False))
        self._active = False

    @property
    def pane(self) -> Pane:
        """The pane that is shown."""
        return self._commander.workspace.pane(self.side)

    @property
    def shape(self) -> PaneShape:
        """The pane's present geometry."""
        pane = self.pane
        return PaneShape(
            self.size.width, self.size.height, pane.tab.view, with_tabs=len(pane.tabs) > 1 or pane.tab.pinned
        )

    @property
    def top(self) -> int:
        """The first position that is shown."""
        return self._tops.get(self.pane.tab.id, 0)

    def restyle(self, appearance: Appearance) -> None:
        """Draw in another look from now on."""
        self._strips.clear()
        super().restyle(appearance)

    def redraw(self, *, follow: bool) -> None:
        """Draw what has changed since the last time; with `follow`, the view goes where the cursor is."""
        pane, shape, seen = self.pane, self.shape, self._seen
        tab = pane.tab
        top = self._tops.get(tab.id, 0)
        total = len(tab.listing)
        if seen is not None and seen.tab is tab and seen.listing is not tab.listing:
            self._strips.clear()
            if self._moved(seen, tab):
                follow = True
                self.changes.forget()
            else:
                # Rows came or went: the row under the cursor stays on the line where the person sees it.
                top += tab.cursor - seen.cursor
                self.changes.notice(seen.listing, tab.listing, self._commander.activity)
        elif seen is None or seen.tab is not tab:
            self._strips.clear()
            follow = follow or tab.id not in self._tops
        if seen is None or seen.shape != shape:
            self._strips.clear()
            follow = True
        top = shape.top_for(tab.cursor, top, total) if follow else shape.clamp_top(top, total)
        self._tops[tab.id] = top
        self._active = self._commander.workspace.focused is self.side
        now = _Seen(tab, tab.listing, shape, top, tab.cursor, self._rest(pane))
        self._seen = now
        if seen is not None and (seen.tab, seen.listing, shape, top, now.rest) == (
            now.tab, now.listing, seen.shape, seen.top, seen.rest,
        ):  # fmt: skip
            if seen.cursor != now.cursor:
                self._refresh_rows(seen.cursor, now.cursor)
        else:
            self.refresh()
        self._look_up()

    def scroll(self, rows: int) -> None:
        """Scroll without moving the cursor."""
        shape = self.shape
        top = shape.clamp_top(self.top + rows * (shape.lines if shape.columns > 1 else 1), len(self.pane.tab.listing))
        self._tops[self.pane.tab.id] = top
        self.redraw(follow=False)

    def page_from(self, cursor: int, pages: int) -> int:
        """Where the cursor goes by a page."""
        shape = self.shape
        step = shape.lines * max(1, shape.columns - 1) if shape.columns > 1 else max(1, shape.lines - 1)
        return cursor + pages * step

    def render_line(self, y: int) -> Strip:
        """One line: of the frame, or of rows, which are kept until something about them changes."""
        shape = self._seen.shape if self._seen is not None else self.shape
        line = y - shape.first_line
        if 0 <= line < shape.lines and y < shape.height - 1:
            return self._row_line(shape, line)
        return Strip(self.line(y)).adjust_cell_length(shape.width, self.appearance.ink["base"])

    def line(self, y: int) -> list[Segment]:
        """A line of the frame."""
        shape, pane, ink = self.shape, self.pane, self.appearance.ink
        if y == 0:
            return pane_frame.top_line(pane, shape.width, ink, active=self._active, home=self.appearance.home)
        if y == shape.height - 1:
            space = self._commander.space.at(pane.tab.path, self._refresh_frame)
            return pane_frame.bottom_line(
                pane.tab, shape.width, ink, active=self._active, space=space, search=self.search
            )
        if shape.with_tabs and y == 1:
            cells, self._tab_places = pane_frame.tab_line(pane, shape.width, ink, active=self._active)
            return cells
        side = Segment("│", ink["frame_active" if self._active else "frame"])
        return [side, *full_head(FullColumns.within(shape.inner, self.appearance.row), ink), side]

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.scroll(WHEEL if self.shape.columns == 1 else 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.scroll(-WHEEL if self.shape.columns == 1 else -1)

    def on_click(self, event: events.Click) -> None:
        """A row, a tab, the path, or the scroll bar."""
        event.stop()
        shape, total = self.shape, len(self.pane.tab.listing)
        if event.y == 0:
            self.post_message(self.Clicked(self.side, "path"))
        elif shape.with_tabs and event.y == 1:
            for start, end, tab in self._tab_places:
                if start <= event.x < end:
                    self.post_message(self.Clicked(self.side, "tab", tab=tab))
        elif event.x == shape.width - 1 and total > shape.page:
            share = (event.y - shape.first_line) / max(1, shape.lines - 1)
            self._tops[self.pane.tab.id] = shape.clamp_top(round(share * (total - shape.page)), total)
            self.redraw(follow=False)
        else:
            position = shape.position_at(event.x, event.y, self.top)
            hit = position is not None and position < total
            what = "mark" if event.button == 3 or event.ctrl else "row"
            self.post_message(
                self.Clicked(self.side, what if hit else "pane", position if hit and position is not None else -1,
                             twice=event.chain >= 2)
            )  # fmt: skip

    def on_resize(self) -> None:
        """Another size: everything is drawn anew around the cursor."""
        self._strips.clear()
        self.redraw(follow=True)

    def _moved(self, seen: _Seen, tab: Tab) -> bool:
        return seen.rest[0] != tab.path

    def _rest(self, pane: Pane) -> tuple[object, ...]:
        tab = pane.tab
        tabs = tuple((other.id, other.pinned, other.path) for other in pane.tabs)
        return (
            tab.path, tab.sort, tab.selection, tab.selection.version, tab.filter, tab.problem, tab.listing.complete,
            self._active, self.search, pane.active, tabs, self.changes.version,
        )  # fmt: skip

    def _refresh_frame(self) -> None:
        self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    def _refresh_rows(self, *positions: int) -> None:
        shape, top = self.shape, self.top
        lines = {line for position in positions if (line := shape.line_of(position, top)) is not None}
        if lines:
            self.refresh(*(Region(0, line, shape.width, 1) for line in lines))

    def _row_line(self, shape: PaneShape, line: int) -> Strip:
        tab, ink = self.pane.tab, self.appearance.ink
        total = len(tab.listing)
        frame = ink["frame_active" if self._active else "frame"]
        if not total:
            return self._notice_line(shape, line)
        thumb = _in_thumb(line, shape, self.top, total)
        states = [self._state(tab, self.top + column * shape.lines + line, total) for column in range(shape.columns)]
        key = (self.top + line, tuple(states), thumb, self._active)
        strip = self._strips.get(key)
        if strip is None:
            cells = [Segment("│", frame)]
            for column, state in enumerate(states):
                cells += self._cell(tab, shape, column, self.top + column * shape.lines + line, state)
            cells.append(Segment("█" if thumb else "│", frame))
            strip = Strip(cells).adjust_cell_length(shape.width, ink["base"])
            if len(self._strips) > 4096:
                self._strips.clear()
            self._strips[key] = strip
        return strip

    def _state(self, tab: Tab, position: int, total: int) -> RowState | None:
        if position >= total:
            return None
        row = tab.listing.order[position]
        return RowState(
            position == tab.cursor,
            self._active,
            row in tab.selection,
            bool(self.changes.names) and tab.listing.columns.name(row) in self.changes.names,
        )

    def _cell(self, tab: Tab, shape: PaneShape, column: int, position: int, state: RowState | None) -> list[Segment]:
        ink, row = self.appearance.ink, self.appearance.row
        width = shape.column_width(column)
        if state is None:
            return [Segment(" " * width, ink["base"])]
        entry = tab.listing.entry(position)
        if shape.view is ViewMode.FULL:
            return full_row(entry, state, FullColumns.within(shape.inner, row), row, ink)
        return brief_cell(entry, state, width, row, ink)

    def _notice_line(self, shape: PaneShape, line: int) -> Strip:
        tab, ink = self.pane.tab, self.appearance.ink
        side = Segment("│", ink["frame_active" if self._active else "frame"])
        text, role = "", "dim"
        if line == 1 and tab.problem:
            text, role = " " + printable(tab.problem), "warning"
        elif line == 1 and tab.filter:
            text = " Nothing matches the filter. Esc shows all."
        elif line == 1 and tab.history.here >= 0:
            text = " This folder is empty."
        return Strip([side, Segment(fit(text, shape.inner), ink[role if text else "base"]), side])

    def _look_up(self) -> None:
        """Facts and folder sizes of the rows in view and around it, in a thread; drawn when they are there."""
        if self._looking is not None and not self._looking.done():
            return
        tab, shape = self.pane.tab, self.shape
        start = max(0, self.top - AHEAD * shape.page)
        stop = min(len(tab.listing), self.top + (AHEAD + 1) * shape.page)
        known = tab.listing.looked_up
        order = tab.listing.order
        shown = range(self.top, min(self.top + shape.page, len(tab.listing)))
        if self._is_sized(tab.listing, shown) and all(order[position] in known for position in shown):
            return
        self._sized = (tab.listing, self._commander.index_version, range(start, stop))
        self._looking = asyncio.get_running_loop().create_task(self._fetch(tab, tab.listing, start, stop))

    def _is_sized(self, listing: Listing, shown: range) -> bool:
        """Whether an index was asked for these folders, and has learnt nothing since; true while there is none."""
        version = self._commander.index_version
        if not version or not shown:
            return True
        if self._sized is None or self._sized[0] is not listing or self._sized[1] != version:
            return False
        asked = self._sized[2]
        return asked.start <= shown.start and shown.stop <= asked.stop

    async def _fetch(self, tab: Tab, listing: Listing, start: int, stop: int) -> None:
        await self._commander.look_up(tab, start, stop)
        if self.is_mounted and self.pane.tab is tab:
            self._looking = None
            if tab.listing is listing:
                self._strips.clear()
                self.refresh()
                self._looked()
            self._look_up()


def _in_thumb(line: int, shape: PaneShape, top: int, total: int) -> bool:
    if total <= shape.page:
        return False
    size = max(1, shape.lines * shape.page // total)
    start = (shape.lines - size) * top // max(1, total - shape.page)
    start = min(start, shape.lines - size)
    return start <= line < start + size
