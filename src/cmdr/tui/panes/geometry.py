"""The geometry of a pane: where its frame, tabs and rows are, and what the mouse hit.

Places count what is drawn: with a `..` row that row is place 0, and the entry at position 0 stands in place 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from cmdr.model.panes.pane import Pane
from cmdr.model.panes.sorting import SortKey
from cmdr.model.panes.tab import ViewMode

if TYPE_CHECKING:
    from cmdr.tui.panes.rows import FullColumns

BRIEF_WIDTH = 19
"""A column of the brief view is at least so wide; two of them fit into a pane of an 80-column terminal."""


@dataclass(frozen=True, slots=True)
class PaneGeometry:
    """The lines and columns of one pane of a given size."""

    width: int
    height: int
    view: ViewMode
    with_tabs: bool
    with_parent_row: bool = False

    @classmethod
    def of(cls, pane: Pane, width: int, height: int, *, parent_row: bool) -> PaneGeometry:
        """The geometry of a pane on so many cells; `parent_row` is whether the person wants the `..` row."""
        tab = pane.tab
        return cls(
            width,
            height,
            tab.view,
            # Tabs of agents alone are told in the frame: rows must not move when an agent opens one.
            with_tabs=len(pane.person_tabs) > 1 or tab.pinned or bool(tab.agent),
            with_parent_row=parent_row and tab.has_parent,
        )

    @property
    def inner(self) -> int:
        """Cells between the two sides of the frame."""
        return max(1, self.width - 2)

    @property
    def first_line(self) -> int:
        """The line of the first row: below the frame, the tabs and the column heads."""
        return 1 + self.with_tabs + (self.view is ViewMode.FULL)

    @property
    def head_line(self) -> int | None:
        """The line of the column heads, where there are any."""
        return self.first_line - 1 if self.view is ViewMode.FULL else None

    @property
    def lines(self) -> int:
        """How many lines of rows there are."""
        return max(1, self.height - self.first_line - 1)

    @property
    def columns(self) -> int:
        """How many rows stand side by side."""
        return 1 if self.view is ViewMode.FULL else max(1, self.inner // BRIEF_WIDTH)

    @property
    def page(self) -> int:
        """How many rows are shown at once."""
        return self.lines * self.columns

    @property
    def above(self) -> int:
        """How many rows stand above the first entry."""
        return int(self.with_parent_row)

    def total(self, entries: int) -> int:
        """How many places so many entries take."""
        return entries + self.above

    def column_width(self, column: int) -> int:
        """The width of one column; the last one gets what is left over."""
        each = self.inner // self.columns
        return each if column < self.columns - 1 else self.inner - each * (self.columns - 1)

    def place_at(self, x: int, y: int, top: int) -> int | None:
        """The place that is drawn at a cell, or None beside the rows."""
        line = y - self.first_line
        if not 0 <= line < self.lines or not 1 <= x <= self.inner:
            return None
        column = min((x - 1) // max(1, self.inner // self.columns), self.columns - 1)
        return top + column * self.lines + line

    def line_of(self, place: int, top: int) -> int | None:
        """The line a place is drawn on, or None when it is not shown."""
        down = place - top
        return self.first_line + down % self.lines if 0 <= down < self.page else None

    def top_for(self, cursor: int, top: int, total: int) -> int:
        """Where the view must begin so that the cursor is in it; it moves as little as possible."""
        if self.columns == 1:
            top = max(0, min(top, max(0, total - self.lines)))
            return min(max(top, cursor - self.lines + 1), max(0, cursor))
        column, left = cursor // self.lines, top // self.lines
        left = min(max(left, column - self.columns + 1), column)
        last = max(0, -(-total // self.lines) - self.columns)
        return min(left, last) * self.lines if column >= min(left, last) else left * self.lines

    def top_around(self, cursor: int) -> int:
        """Where the view of another folder begins: at its top, or with the cursor in the middle."""
        return 0 if cursor < self.page else cursor - self.page // 2

    def clamp_top(self, top: int, total: int) -> int:
        """The nearest place the view can begin at."""
        if self.columns == 1:
            return max(0, min(top, total - self.lines))
        last = max(0, -(-total // self.lines) - self.columns)
        return max(0, min(-(-top // self.lines), last)) * self.lines


class Part(Enum):
    """The parts of a pane that do something when they are clicked."""

    PATH = auto()
    TAB = auto()
    HEAD = auto()
    SCROLL_BAR = auto()
    ROW = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Hit:
    """One part, and which of its kind."""

    part: Part
    position: int = -1
    """Of a row: its entry, or -1 for the way up."""
    tab: str = ""
    order: SortKey = SortKey.NAME


def hit_at(
    x: int,
    y: int,
    geometry: PaneGeometry,
    columns: FullColumns,
    tabs: Sequence[tuple[int, int, str]],
    top: int,
    total: int,
    marks: Sequence[tuple[int, int, str]] = (),
) -> Hit:
    """The part that is drawn at a cell of a pane with so many places in all, of which `top` is the first shown.

    `tabs` and `marks` are where tabs can be clicked in their own line and in the frame.
    """
    if y == 0:
        return next((Hit(Part.TAB, tab=tab) for start, end, tab in marks if start <= x < end), Hit(Part.PATH))
    if geometry.with_tabs and y == 1:
        return next((Hit(Part.TAB, tab=tab) for start, end, tab in tabs if start <= x < end), Hit(Part.NOTHING))
    if y == geometry.head_line:
        return Hit(Part.HEAD, order=columns.order_at(x - 1))
    if x == geometry.width - 1 and total > geometry.page:
        return Hit(Part.SCROLL_BAR)
    place = geometry.place_at(x, y, top)
    return Hit(Part.NOTHING) if place is None or place >= total else Hit(Part.ROW, place - geometry.above)
