"""What the mouse hit in a pane."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from cmdr.model.panes.sorting import SortKey
from cmdr.tui.pane_rows import FullColumns
from cmdr.tui.pane_shape import PaneShape


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
    x: int, y: int, shape: PaneShape, columns: FullColumns, tabs: Sequence[tuple[int, int, str]], top: int, total: int
) -> Hit:
    """The part that is drawn at a cell of a pane with so many places in all, of which `top` is the first shown."""
    if y == 0:
        return Hit(Part.PATH)
    if shape.with_tabs and y == 1:
        return next((Hit(Part.TAB, tab=tab) for start, end, tab in tabs if start <= x < end), Hit(Part.NOTHING))
    if y == shape.head_line:
        return Hit(Part.HEAD, order=columns.order_at(x - 1))
    if x == shape.width - 1 and total > shape.page:
        return Hit(Part.SCROLL_BAR)
    place = shape.place_at(x, y, top)
    return Hit(Part.NOTHING) if place is None or place >= total else Hit(Part.ROW, place - shape.above)
