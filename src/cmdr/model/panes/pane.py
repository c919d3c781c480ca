"""One side of the window: its tabs, which of them is in front, and how much it shows."""

from dataclasses import dataclass, field
from enum import StrEnum

from cmdr.model.panes.tab import Tab
from cmdr.model.units import human_size

MAX_CLOSED_TABS = 10


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
    behind: Tab | None = None
    """The person's tab that was in front before an agent's came there."""

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.active]

    @property
    def person_tab(self) -> Tab:
        """The person's own: the tab in front, or the one that was there before an agent's."""
        if not self.tab.agent:
            return self.tab
        own = self.person_tabs
        return self.behind if self.behind in own else own[0] if own else self.tab

    @property
    def person_tabs(self) -> list[Tab]:
        """All but those of agents."""
        return [tab for tab in self.tabs if not tab.agent]

    def find_tab(self, id: str) -> int | None:
        """The place of a tab by its id."""
        return next((place for place, tab in enumerate(self.tabs) if tab.id == id), None)

    def show_tab(self, tab: Tab) -> None:
        """Bring one of the tabs to the front."""
        self._remember()
        self.active = self.tabs.index(tab)

    def open_tab(self, tab: Tab) -> None:
        """Put a new tab right after the one in front, and show it; those of agents stay behind the person's."""
        self._remember()
        place = self.active + 1
        while place > 1 and self.tabs[place - 1].agent:
            place -= 1
        self.active = place
        self.tabs.insert(place, tab)

    def close_tab(self, place: int) -> None:
        """Close a tab; the caller makes sure another one is left."""
        self.closed.append(self.tabs[place])
        del self.closed[:-MAX_CLOSED_TABS]
        self.drop_tab(self.tabs[place])

    def drop_tab(self, tab: Tab) -> None:
        """Take a tab away, not to be reopened; behind an agent's tab in front, the person's comes back."""
        place = self.tabs.index(tab)
        back = self.person_tab if place == self.active and tab.agent else None
        del self.tabs[place]
        if back is not None and back is not tab:
            self.active = self.tabs.index(back)
        elif self.active > place or self.active == len(self.tabs):
            self.active -= 1

    def _remember(self) -> None:
        if self.tabs and not self.tab.agent:
            self.behind = self.tab


MAX_SUMMED = 5000
"""Sizes of larger selections are not added up with every key."""


def totals(tab: Tab) -> str:
    """How much is selected, or how much there is."""
    listing = tab.listing
    if tab.selection.count:
        text = f"{tab.selection.count:,} of {len(listing):,} selected{_selected_size(tab)}"
        return text if listing.complete else f"{text}, reading…"
    if not len(listing):
        return "empty"
    folders = listing.columns.folder_count
    hidden = f", {listing.hidden_count:,} hidden" if listing.hidden_count and not tab.filter else ""
    reading = " so far…" if not listing.complete else ""
    text = f"{len(listing):,} {'entry' if len(listing) == 1 else 'entries'}{reading}"
    if folders and not hidden and not tab.filter:
        text += f", {folders:,} {'folder' if folders == 1 else 'folders'}"
    return text + hidden


def _selected_size(tab: Tab) -> str:
    """The bytes of what is selected; a lower bound where a file was not looked at or nobody knows a folder."""
    if tab.selection.count > MAX_SUMMED:
        return ""
    listing, first_file = tab.listing, tab.listing.columns.folder_count
    size, complete = 0, True
    for row in tab.selection.rows():
        if row >= first_file:
            facts = listing.looked_up.get(row)
            size += facts.size if facts is not None else 0
            complete = complete and facts is not None
        else:
            folder = listing.folder_sizes.get(row)
            size += folder.bytes if folder is not None else 0
            complete = complete and folder is not None and folder.complete
    return f", {'' if complete else '≥ '}{human_size(size)}" if size else ""
