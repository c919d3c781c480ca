"""Panes on the disk: go to a folder, read it again, sort it, look rows up, and keep it live."""

import asyncio
import os
from array import array
from collections.abc import Callable

from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.core.watching import Watching
from cmdr.files.errors import DiskError, ScanStopped
from cmdr.files.facts import check_exists, look_up
from cmdr.files.scan import LARGE, scan
from cmdr.files.volumes import volumes
from cmdr.model.entry import Facts
from cmdr.model.listing import Listing
from cmdr.model.matching import matching_rows
from cmdr.model.names import to_wire
from cmdr.model.pane import Pane
from cmdr.model.sorting import SortKey, SortOrder
from cmdr.model.tab import Tab
from cmdr.model.workspace import Workspace

PATIENCE = 20.0
"""Seconds a caller waits for a folder before its mount counts as dead."""


class Browser:
    """Reads folders in threads and puts them in place in one step, or drops them when the tab has moved on."""

    def __init__(self, workspace: Workspace, events: Events, *, watch: bool = True) -> None:
        self._workspace = workspace
        self._events = events
        self._watching = Watching(self._refresh_quietly) if watch else None
        self.arrived: Callable[[bytes], None] | None = None
        """Told every folder that is gone to."""

    async def start(self) -> None:
        """Read the folders of both panes; one that cannot be read gives way to the nearest that can."""
        self._workspace.volumes = await in_thread(volumes)
        await asyncio.gather(*(self._open_nearest(pane) for pane in self._workspace.panes))

    async def close(self) -> None:
        """Stop watching."""
        if self._watching is not None:
            await self._watching.close()

    async def open(self, pane: Pane, path: bytes, *, cursor: bytes | None = None, step: int = 0) -> Tab:
        """Show a folder in a pane and return its tab; `step` moves through the history instead of adding to it.

        A pinned tab stays where it is: the folder opens in a new tab beside it.
        """
        tab = pane.tab
        if tab.pinned and path != tab.path:
            tab = Tab(self._workspace.new_id("t"), tab.path, tab.sort, tab.view)
        listing = await self._read(tab, path)
        if path == tab.path:
            listing = await self._filtered(tab, listing)
        else:
            tab.filter = ""
        tab.history.remember_cursor(tab.cursor_name())
        if cursor is None and step == 0 and path != tab.path:
            cursor = tab.history.last_cursor(path)
        if tab not in pane.tabs:
            pane.open_tab(tab)
        tab.show(listing, path=path, cursor=cursor)
        if step:
            tab.history.move(step)
        else:
            tab.history.visit(path)
        self._put_in_place(tab)
        if self.arrived is not None:
            self.arrived(path)
        return tab

    async def refresh(self, tab: Tab) -> None:
        """Read a tab's folder again; cursor and selection follow their entries."""
        path = tab.path
        try:
            listing = await self._read(tab, path)
        except DiskError as error:
            if not isinstance(error, ScanStopped) and tab.path == path:
                tab.show(Listing.empty())
                tab.problem = str(error)
                self._put_in_place(tab)
            raise
        tab.show(await self._filtered(tab, listing))
        self._put_in_place(tab)

    async def filter(self, tab: Tab, text: str) -> None:
        """Show only entries that match; those that are not shown are not selected either."""
        before, tab.filter = tab.filter, text
        try:
            await self._arrange(tab, tab.sort, show_hidden=self._workspace.show_hidden)
        except (CommandError, DiskError):
            tab.filter = before
            raise
        if text and tab.selection.count:
            shown = set(tab.listing.order)
            tab.selection.remove([row for row in tab.selection.rows() if row not in shown])

    async def sort(self, tab: Tab, sort: SortOrder) -> None:
        """Sort a tab; looks at every entry only when the sort needs it."""
        await self._arrange(tab, sort, show_hidden=self._workspace.show_hidden)

    async def show_hidden(self, value: bool) -> None:
        """Show or hide dot files everywhere."""
        self._workspace.show_hidden = value
        self._events.changed()
        await asyncio.gather(
            *(self._arrange(tab, tab.sort, show_hidden=value) for tab in self._workspace.tabs),
        )

    async def look_up(self, tab: Tab, start: int, stop: int) -> None:
        """Make sure the facts of some positions are known."""
        listing = tab.listing
        rows = [row for row in listing.order[start:stop] if row not in listing.looked_up]
        if not rows:
            return
        found = await in_thread(look_up, tab.path, [listing.columns.name(row) for row in rows])
        listing.looked_up.update(zip(rows, found, strict=True))

    async def facts(self, tab: Tab, position: int) -> Facts | None:
        """The facts of one position, or None when the entry is gone."""
        await self.look_up(tab, position, position + 1)
        return tab.listing.entry(position).facts

    async def check_exists(self, path: bytes) -> None:
        """Raise unless something is there."""
        await asyncio.wait_for(in_thread(check_exists, path), PATIENCE)

    async def reload_volumes(self) -> None:
        """Read the mount table again."""
        found = await in_thread(volumes)
        if found != self._workspace.volumes:
            self._workspace.volumes = found
            self._events.changed()

    def follow_active_tabs(self) -> None:
        """Watch the folders that are in front now."""
        if self._watching is not None:
            self._watching.watch({pane.side: pane.tab for pane in self._workspace.panes})

    async def _arrange(self, tab: Tab, sort: SortOrder, *, show_hidden: bool) -> None:
        columns = tab.listing.columns
        if (len(columns) > LARGE and sort.by is not SortKey.NAME) or (sort.needs_facts and columns.facts is None):
            listing = await self._read(tab, tab.path, sort)
        else:
            listing = await in_thread(Listing.of, columns, sort, show_hidden=show_hidden)
            if tab.listing.columns is not columns:
                raise CommandError("The folder changed while it was sorted. Repeat the call.")
            listing.looked_up = tab.listing.looked_up
        listing = await self._filtered(tab, listing)
        tab.sort = sort
        tab.show(listing)
        self._put_in_place(tab)

    async def _filtered(self, tab: Tab, listing: Listing) -> Listing:
        text = tab.filter
        if text:
            rows = await in_thread(matching_rows, listing.columns, listing.order, text, part=True)
            if tab.filter == text:
                listing.order = array("I", rows)
        return listing

    async def _read(self, tab: Tab, path: bytes, sort: SortOrder | None = None) -> Listing:
        tab.journey += 1
        journey = tab.journey
        loop = asyncio.get_running_loop()

        def first_part(part: Listing) -> None:
            loop.call_soon_threadsafe(self._show_first_part, tab, journey, path, part)

        reading = in_thread(
            scan,
            path,
            sort or tab.sort,
            show_hidden=self._workspace.show_hidden,
            stopped=lambda: tab.journey != journey,
            first_part=first_part if path != tab.path else None,
        )
        try:
            listing = await asyncio.wait_for(reading, PATIENCE)
        except TimeoutError:
            tab.journey += 1
            raise CommandError(
                f"No answer from {to_wire(path)} within {PATIENCE:.0f} s. Its mount may be dead; go elsewhere."
            ) from None
        if tab.journey != journey:
            raise ScanStopped
        return listing

    def _show_first_part(self, tab: Tab, journey: int, path: bytes, part: Listing) -> None:
        if tab.journey == journey and tab in self._workspace.tabs:
            tab.history.remember_cursor(tab.cursor_name())
            tab.filter = ""
            tab.show(part, path=path)
            tab.history.visit(path)
            self._put_in_place(tab)

    def _put_in_place(self, tab: Tab) -> None:
        tab.rev = self._events.changed()
        self.follow_active_tabs()

    async def _refresh_quietly(self, tab: Tab) -> None:
        try:
            await self.refresh(tab)
        except (DiskError, CommandError):
            # The tab says what is wrong, or somebody else is already reading it.
            return

    async def _open_nearest(self, pane: Pane) -> None:
        path = pane.tab.path
        while True:
            try:
                await self.open(pane, path)
            except (DiskError, CommandError) as error:
                if path == b"/":
                    pane.tab.problem = str(error)
                    return
                path = os.path.dirname(path)
            else:
                return
