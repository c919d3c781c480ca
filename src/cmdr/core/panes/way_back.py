"""The way back: where a tab stood before it set out for a folder, in case the journey is given up half-way."""

from dataclasses import dataclass, replace

from cmdr.model.panes.history import History
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.selection import Selection
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.tab import Tab


@dataclass(frozen=True, slots=True)
class WayBack:
    """What a tab showed; a tab that was opened only for the journey is closed again."""

    pane: Pane
    tab: Tab
    was_open: bool
    active: int
    path: bytes
    sort: SortOrder
    listing: Listing
    selection: Selection
    cursor: int
    on_parent_row: bool
    window: int
    filter: str
    problem: str | None
    history: History

    @classmethod
    def of(cls, pane: Pane, tab: Tab) -> "WayBack":
        """As everything stands now."""
        return cls(
            pane,
            tab,
            tab in pane.tabs,
            pane.active,
            tab.path,
            tab.sort,
            tab.listing,
            tab.selection,
            tab.cursor,
            tab.on_parent_row,
            tab.window,
            tab.filter,
            tab.problem,
            replace(tab.history, visits=list(tab.history.visits)),
        )

    def take(self) -> None:
        """Show again what was shown."""
        if not self.was_open:
            self.pane.tabs.remove(self.tab)
            self.pane.active = min(self.active, len(self.pane.tabs) - 1)
            return
        tab = self.tab
        tab.path, tab.sort, tab.listing, tab.selection = self.path, self.sort, self.listing, self.selection
        tab.cursor, tab.on_parent_row, tab.window = self.cursor, self.on_parent_row, self.window
        tab.filter, tab.problem, tab.history = self.filter, self.problem, self.history
