"""What is known of the rows in view and around it: fetched in a thread, before anybody scrolls there."""

import asyncio
from collections.abc import Callable

from cmdr.core.commander import Commander
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane_totals import SUMMED
from cmdr.model.panes.tab import Tab

AHEAD = 2
"""Facts are looked up so many pages around what is shown."""


class RowsAhead:
    """Facts of entries and sizes of folders, for one pane; one look at a time."""

    def __init__(self, commander: Commander, arrived: Callable[[Tab, Listing], None]) -> None:
        self._commander = commander
        self._arrived = arrived
        self._looking: asyncio.Task[None] | None = None
        self._sized: tuple[Listing, int, range] | None = None
        self._added_up: tuple[Listing, int] | None = None

    @property
    def is_looking(self) -> bool:
        """Whether something is still on its way."""
        return self._looking is not None and not self._looking.done()

    def want(self, tab: Tab, shown: range) -> None:
        """See to it that the facts of the shown positions come, and of those around them."""
        if self.is_looking:
            return
        listing = tab.listing
        if self._is_sized(listing, shown) and all(listing.order[place] in listing.looked_up for place in shown):
            if self._lacks_selected(tab):
                everything = range(len(listing))
                self._looking = asyncio.get_running_loop().create_task(self._fetch(tab, listing, everything))
            return
        around = AHEAD * max(1, len(shown))
        wanted = range(max(0, shown.start - around), min(len(listing), shown.stop + around))
        self._sized = (listing, self._commander.index_version, wanted)
        self._looking = asyncio.get_running_loop().create_task(self._fetch(tab, listing, wanted))

    def _lacks_selected(self, tab: Tab) -> bool:
        """Whether a selection that is added up holds entries nobody has looked at; asked once for each selection."""
        listing, selection = tab.listing, tab.selection
        if not selection.count or len(listing) > SUMMED or self._added_up == (listing, selection.version):
            return False
        self._added_up = (listing, selection.version)
        return any(row not in listing.looked_up for row in selection.rows())

    def _is_sized(self, listing: Listing, shown: range) -> bool:
        """Whether an index was asked for these folders, and has learnt nothing since; true while there is none."""
        version = self._commander.index_version
        if not version or not shown:
            return True
        if self._sized is None or self._sized[0] is not listing or self._sized[1] != version:
            return False
        asked = self._sized[2]
        return asked.start <= shown.start and shown.stop <= asked.stop

    async def _fetch(self, tab: Tab, listing: Listing, wanted: range) -> None:
        await self._commander.look_up(tab, wanted.start, wanted.stop)
        self._looking = None
        self._arrived(tab, listing)
