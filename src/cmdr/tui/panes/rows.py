"""The rows of a pane: one entry a line with size and date, or names only in columns, cached as they were drawn."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style

from cmdr.model.panes.entry import Entry, Kind, file_kind
from cmdr.model.panes.sorting import SortKey
from cmdr.model.panes.tab import Tab, ViewMode
from cmdr.model.units import DATE_WIDTHS, date, short_size
from cmdr.tui.panes.geometry import PaneGeometry
from cmdr.tui.terminal.safe_text import fit, fit_name, printable, shown
from cmdr.tui.theme.appearance import Appearance, RowFormat

if TYPE_CHECKING:
    from textual.strip import Strip

_SIGNS = {Kind.FOLDER: "/", Kind.LINK: "@", Kind.PIPE: "|", Kind.SOCKET: "=", Kind.BLOCK: "#", Kind.CHARACTER: "-"}


@dataclass(frozen=True, slots=True)
class RowState:
    """How one row stands out."""

    cursor: bool
    active: bool
    selected: bool = False
    changed: bool = False

    def style(self, styles: dict[str, Style], role: str) -> Style:
        """The style of the row's text."""
        if self.cursor and self.active:
            return styles["selected_cursor" if self.selected else "cursor"]
        style = styles["selected"] if self.selected else styles[role]
        return style + styles["cursor_other"] if self.cursor else style


@dataclass(frozen=True, slots=True)
class FullColumns:
    """Widths of the full view: the name gets what size and date leave."""

    name: int
    size: int
    date: int

    @classmethod
    def within(cls, inner: int, row: RowFormat) -> FullColumns:
        """The columns for a pane of some inner width."""
        wide, middle, narrow = DATE_WIDTHS[row.dates]
        size = 14 if row.sizes == "bytes" and inner >= 60 else 6
        when = wide if inner >= 58 else middle if inner >= 42 else narrow if inner >= 30 else 0
        if inner < 22:
            size = when = 0
        name = inner - 2 - (size + 1 if size else 0) - (when + 1 if when else 0) - 1
        return cls(max(1, name), size, when)

    def order_at(self, x: int) -> SortKey:
        """The order a click on the heads asks for."""
        if x < self.name + 2:
            return SortKey.NAME
        return SortKey.SIZE if self.size and x < self.name + 3 + self.size else SortKey.MODIFIED


def full_row(
    entry: Entry, name: str, state: RowState, columns: FullColumns, row: RowFormat, styles: dict[str, Style]
) -> list[Segment]:
    """One line of the full view."""
    role = file_kind(entry) if row.colours else ("folder" if entry.is_folder else "file")
    style = state.style(styles, role)
    facts = entry.facts
    quiet = style if state.cursor or state.selected else styles["dim"]
    size = when = ""
    if columns.size:
        size = f"{size_text(entry, columns.size, row):>{columns.size}} "
    if columns.date:
        text = date(facts.modified_ns, row.dates, columns.date, time.time()) if facts else ""
        when = f"{text[: columns.date]:>{columns.date}} "
    return [
        _gutter(entry, state, style, styles),
        Segment(fit_name(name, columns.name) + " ", style),
        Segment(size, quiet if entry.is_folder else style),
        Segment(when, quiet),
    ]


def size_text(entry: Entry, width: int, row: RowFormat) -> str:
    """What stands in the size column: the change where that is the point, of a folder what an index knows.

    Where all digits do not fit, a shorter form stands there.
    """
    if entry.change is not None:
        sign = "+" if entry.change > 0 else "-" if entry.change < 0 else ""
        text = sign + short_size(abs(entry.change), row.sizes)
        return text if len(text) <= width else (sign + short_size(abs(entry.change)))[:width]
    known = entry.folder_size
    if entry.is_folder and known is None:
        return "<DIR>"[:width]
    if known is None and entry.facts is None:
        return ""
    mark, size = (known.mark, known.bytes) if known is not None else ("", entry.facts.size if entry.facts else 0)
    text = mark + short_size(size, row.sizes)
    return text if len(text) <= width else (mark + short_size(size))[:width]


def brief_cell(
    entry: Entry, name: str, state: RowState, width: int, row: RowFormat, styles: dict[str, Style]
) -> list[Segment]:
    """One cell of the brief view."""
    role = file_kind(entry) if row.colours else ("folder" if entry.is_folder else "file")
    style = state.style(styles, role)
    return [
        _gutter(entry, state, style, styles),
        Segment(fit_name(name, width - 3), style),
        Segment(" ", style if state.cursor else styles["base"]),
    ]


def parent_row(state: RowState, width: int, styles: dict[str, Style]) -> list[Segment]:
    """The way up, in either view."""
    return [Segment(fit(" /..", width), state.style(styles, "folder"))]


def full_head(columns: FullColumns, styles: dict[str, Style], size: str = "Size") -> list[Segment]:
    """The column heads of the full view."""
    text = "  " + fit("Name", columns.name) + " "
    if columns.size:
        text += f"{size:>{columns.size}} "
    if columns.date:
        text += f"{'Modified':>{columns.date}} "
    return [Segment(text, styles["header"])]


def _gutter(entry: Entry, state: RowState, style: Style, styles: dict[str, Style]) -> Segment:
    mark = "»" if state.selected else "•" if state.changed else " "
    if state.changed and not state.cursor:
        style = styles["changed"]
    return Segment(mark + _sign(entry), style)


def _sign(entry: Entry) -> str:
    """The one letter that tells the kind without any colour."""
    if entry.kind is Kind.LINK and entry.is_folder:
        return "~"
    if entry.kind is Kind.FILE:
        return "*" if entry.facts is not None and entry.facts.mode & 0o111 else " "
    return _SIGNS.get(entry.kind, "?")


MAX_CACHED_STRIPS = 4096
RowStates = tuple[RowState | None, ...]
"""How the rows of one line stand out; None where there is no row."""


class RowRenderer:
    """Draws one line at a time; `changed` names entries that stand out for a moment."""

    def __init__(self, appearance: Appearance) -> None:
        self.appearance = appearance
        self._strips: dict[tuple[object, ...], Strip] = {}

    def forget(self) -> None:
        """What was drawn is not true any more."""
        self._strips.clear()

    def draw(
        self, tab: Tab, geometry: PaneGeometry, top: int, line: int, *, active: bool, changed: frozenset[bytes]
    ) -> Strip:
        """The rows that stand side by side in a line."""
        from textual.strip import Strip  # the first frame is drawn before Textual is loaded

        if not len(tab.listing) and (line or not geometry.above):
            return Strip(self._notice(tab, geometry, line, active=active))
        states = _states(tab, geometry, top + line, active=active, changed=changed)
        thumb = _in_thumb(line, geometry, top, geometry.total(len(tab.listing)))
        key = (top + line, states, thumb, active)
        strip = self._strips.get(key)
        if strip is None:
            cells = self._cells(tab, geometry, top + line, states, thumb=thumb, active=active)
            strip = Strip(cells).adjust_cell_length(geometry.width, self.appearance.styles["base"])
            if len(self._strips) > MAX_CACHED_STRIPS:
                self._strips.clear()
            self._strips[key] = strip
        return strip

    def cells(self, tab: Tab, geometry: PaneGeometry, top: int, line: int, *, active: bool) -> list[Segment]:
        """The same for the first frame, drawn once, before anything can have changed."""
        if not len(tab.listing) and (line or not geometry.above):
            return self._notice(tab, geometry, line, active=active)
        states = _states(tab, geometry, top + line, active=active, changed=frozenset())
        thumb = _in_thumb(line, geometry, top, geometry.total(len(tab.listing)))
        return self._cells(tab, geometry, top + line, states, thumb=thumb, active=active)

    def _cells(
        self,
        tab: Tab,
        geometry: PaneGeometry,
        first: int,
        states: tuple[RowState | None, ...],
        *,
        thumb: bool,
        active: bool,
    ) -> list[Segment]:
        frame = self.appearance.styles["frame_active" if active else "frame"]
        cells = [Segment("│", frame)]
        for column, state in enumerate(states):
            cells += self._cell(tab, geometry, column, first + column * geometry.lines, state)
        return [*cells, Segment("█" if thumb else "│", frame)]

    def _cell(self, tab: Tab, geometry: PaneGeometry, column: int, place: int, state: RowState | None) -> list[Segment]:
        styles, row = self.appearance.styles, self.appearance.row
        width = geometry.column_width(column)
        if state is None:
            return [Segment(" " * width, styles["base"])]
        if place < geometry.above:
            return parent_row(state, width, styles)
        entry = tab.listing.entry(place - geometry.above)
        name = shown(entry.name, beside=tab.listing.has_lookalike(entry.name))
        if geometry.view is ViewMode.FULL:
            return full_row(entry, name, state, FullColumns.within(geometry.inner, row), row, styles)
        return brief_cell(entry, name, state, width, row, styles)

    def _notice(self, tab: Tab, geometry: PaneGeometry, line: int, *, active: bool) -> list[Segment]:
        """Why there are no rows."""
        styles = self.appearance.styles
        side = Segment("│", styles["frame_active" if active else "frame"])
        text, role = "", "dim"
        if line == 1 and tab.problem:
            text, role = " " + printable(tab.problem), "warning"
        elif line == 1 and tab.filter:
            text = " Nothing matches the filter. Esc shows all."
        elif line == 1 and tab.history.here >= 0:
            text = " This folder is empty."
        return [side, Segment(fit(text, geometry.inner), styles[role if text else "base"]), side]


def _states(tab: Tab, geometry: PaneGeometry, first: int, *, active: bool, changed: frozenset[bytes]) -> RowStates:
    """How the rows that stand side by side in a line stand out."""
    places = range(first, first + geometry.columns * geometry.lines, geometry.lines)
    return tuple(_state(tab, geometry, place, active=active, changed=changed) for place in places)


def _state(tab: Tab, geometry: PaneGeometry, place: int, *, active: bool, changed: frozenset[bytes]) -> RowState | None:
    """How the row in a place stands out, or None below the last one."""
    listing, position = tab.listing, place - geometry.above
    if position >= len(listing):
        return RowState(cursor=True, active=active) if place < geometry.above else None
    if position < 0:
        return RowState(cursor=tab.on_parent_row, active=active)
    row = listing.order[position]
    return RowState(
        cursor=position == tab.cursor and not (tab.on_parent_row and geometry.above),
        active=active,
        selected=row in tab.selection,
        changed=bool(changed) and listing.columns.name(row) in changed,
    )


def _in_thumb(line: int, geometry: PaneGeometry, top: int, total: int) -> bool:
    if total <= geometry.page:
        return False
    size = max(1, geometry.lines * geometry.page // total)
    start = (geometry.lines - size) * top // max(1, total - geometry.page)
    start = min(start, geometry.lines - size)
    return start <= line < start + size
