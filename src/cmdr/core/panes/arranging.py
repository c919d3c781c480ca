"""A folder's rows in another order, fewer or more of them: sorted, filtered, with dot files or without."""

import asyncio
from typing import Protocol

from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.panes.folder_reading import FolderRead, FolderReading, filtered
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError
from cmdr.files.scan import LARGE_FOLDER_ENTRIES
from cmdr.model.panes.selection import marked
from cmdr.model.panes.sorting import SortKey, SortOrder
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace


class Shows(Protocol):
    """Who shows what was arranged, or why it cannot be."""

    def put_in_place(self, tab: Tab) -> None:
        """The tab shows other rows now."""

    def give_up(self, tab: Tab, journey: int, error: Exception) -> None:
        """The folder cannot be shown any more, unless the tab has gone elsewhere."""


class Arranging:
    """Arranges what was read, and reads again only when an order needs what is not known."""

    def __init__(self, workspace: Workspace, events: Events, reading: FolderReading, shows: Shows) -> None:
        self._workspace = workspace
        self._events = events
        self._reading = reading
        self._shows = shows

    async def filter(self, tab: Tab, text: str) -> None:
        """Show only entries that match; those that are not shown are not selected either."""
        before, tab.filter = tab.filter, text
        try:
            await self._arrange(tab)
        except (CommandError, DiskError):
            tab.filter = before
            raise
        while text and tab.selection.count:
            listing = tab.listing
            shown = await in_thread(marked, listing.order, len(listing.columns))
            if tab.listing is listing:
                tab.selection.keep_marked(shown)
                self._events.changed()
                return

    async def sort(self, tab: Tab, sort: SortOrder) -> None:
        """Sort a tab; looks at every entry only when the sort needs it."""
        await self._arrange(tab, sort)

    async def show_hidden(self, value: bool) -> None:
        """Show or hide dot files everywhere."""
        self._workspace.show_hidden = value
        self._events.changed()
        await asyncio.gather(*(self._arrange_quietly(tab) for tab in self._workspace.tabs))

    async def _arrange(self, tab: Tab, sort: SortOrder | None = None) -> None:
        while True:
            listing = tab.listing
            wish = self._reading.wish(tab, sort)
            order = sort or tab.sort
            if (len(listing.columns) > LARGE_FOLDER_ENTRIES and order.by is not SortKey.NAME) or (
                order.needs_facts and listing.columns.facts is None
            ):
                arranged = await self._reading.read(tab, tab.path, sort)
                break
            arranged = FolderRead(await in_thread(listing.arranged, order, show_hidden=self._workspace.show_hidden))
            text = tab.filter
            await filtered(arranged.listing, text)
            if tab.filter == text and wish == self._reading.wish(tab, sort):
                break
        tab.sort = arranged.listing.sort
        tab.show(arranged.listing, selection=arranged.selection)
        self._shows.put_in_place(tab)

    async def _arrange_quietly(self, tab: Tab) -> None:
        journey = tab.journey
        try:
            await self._arrange(tab)
        except (DiskError, CommandError) as error:
            self._shows.give_up(tab, journey, error)
