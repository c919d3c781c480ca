"""Facts fetched in the background: of the rows in view and around it, and where links lead."""

import asyncio
from collections.abc import Callable

from cmdr.core.commander import Commander
from cmdr.model.panes.entry import Entry
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import MAX_SUMMED
from cmdr.model.panes.tab import Tab

PAGES_AHEAD = 2
"""Facts are looked up so many pages around what is shown."""


class RowPrefetch:
    """Facts of entries and sizes of folders, for one pane; one lookup at a time."""

    def __init__(self, commander: Commander, arrived: Callable[[Tab, Listing], None]) -> None:
        self._commander = commander
        self._arrived = arrived
        self._lookup: asyncio.Task[None] | None = None
        self._sized: tuple[Listing, int, range] | None = None
        self._added_up: tuple[Listing, int] | None = None

    @property
    def is_fetching(self) -> bool:
        """Whether something is still on its way."""
        return self._lookup is not None and not self._lookup.done()

    def want(self, tab: Tab, shown: range) -> None:
        """See to it that the facts of the shown positions come, and of those around them."""
        if self.is_fetching:
            return
        listing = tab.listing
        if self._is_sized(listing, shown) and all(listing.order[place] in listing.looked_up for place in shown):
            if self._lacks_selected(tab):
                everything = range(len(listing))
                self._lookup = asyncio.get_running_loop().create_task(self._fetch(tab, listing, everything))
            return
        around = PAGES_AHEAD * max(1, len(shown))
        wanted = range(max(0, shown.start - around), min(len(listing), shown.stop + around))
        self._sized = (listing, self._commander.index_version, wanted)
        self._lookup = asyncio.get_running_loop().create_task(self._fetch(tab, listing, wanted))

    def _lacks_selected(self, tab: Tab) -> bool:
        """Whether a selection that is added up holds entries nobody has looked at; asked once for each selection."""
        listing, selection = tab.listing, tab.selection
        if not selection.count or len(listing) > MAX_SUMMED or self._added_up == (listing, selection.version):
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
        self._lookup = None
        self._arrived(tab, listing)


MAX_CACHED_LINKS = 256
_Link = tuple[bytes, int, int]
"""A path and what changes when another link takes its place."""


class LinkTargetCache:
    """The last known targets; `found` is called when there is a new one."""

    def __init__(self, commander: Commander, found: Callable[[], None]) -> None:
        self._commander = commander
        self._found = found
        self._known: dict[_Link, bytes | None] = {}
        self._asking: dict[_Link, asyncio.Task[None]] = {}

    def of(self, path: bytes, entry: Entry) -> bytes | None:
        """The target as the link names it, or None while it is not known."""
        facts = entry.facts
        if facts is None:
            return None
        link = (path, facts.inode, facts.modified_ns)
        if link not in self._known and link not in self._asking:
            self._asking[link] = asyncio.get_running_loop().create_task(self._ask(link))
        return self._known.get(link)

    async def _ask(self, link: _Link) -> None:
        try:
            _, target = await self._commander.browser.facts.of(link[0])
        finally:
            del self._asking[link]
        if len(self._known) >= MAX_CACHED_LINKS:
            self._known.clear()
        self._known[link] = target
        if target is not None:
            self._found()
