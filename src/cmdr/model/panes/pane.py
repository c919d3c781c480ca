"""One side of the window: its tabs, and which of them is in front."""

from dataclasses import dataclass, field
from enum import StrEnum

from cmdr.model.panes.tab import Tab

CLOSED_TABS_KEPT = 10


class Side(StrEnum):
    """The two panes."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        """The pane across."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


@dataclass(slots=True, eq=False)
class Pane:
    """A pane is never without a tab."""

    side: Side
    tabs: list[Tab]
    active: int = 0
    closed: list[Tab] = field(default_factory=list)

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.active]

    def find_tab(self, id: str) -> int | None:
        """The place of a tab by its id."""
        return next((place for place, tab in enumerate(self.tabs) if tab.id == id), None)

    def open_tab(self, tab: Tab) -> None:
        """Put a new tab right after the one in front, and show it."""
        self.active += 1
        self.tabs.insert(self.active, tab)

    def close_tab(self, place: int) -> None:
        """Close a tab; the caller makes sure another one is left."""
        self.closed.append(self.tabs.pop(place))
        del self.closed[:-CLOSED_TABS_KEPT]
        if self.active > place or self.active == len(self.tabs):
            self.active -= 1
