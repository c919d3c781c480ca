"""Panes on the disk: navigate to a folder, read it again, sort and filter it, and keep it live."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from cmdr.core.admission.quotas import check_tabs
from cmdr.core.dispatch.principals import person_acts
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.panes.facts import FactLookup
from cmdr.core.panes.folder_reader import FolderRead, FolderReader, NoAnswer, filtered
from cmdr.core.panes.watcher import FolderWatcher
from cmdr.core.threads import in_thread
from cmdr.files.errors import DiskError, ScanStopped
from cmdr.files.file_stat import folder_mtime_ns
from cmdr.files.scan import LARGE_FOLDER_ENTRIES
from cmdr.files.volumes import volumes
from cmdr.model.names import to_wire
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.selection import row_mask
from cmdr.model.panes.sorting import SortKey, SortOrder
from cmdr.model.panes.tab import FoundEntries, Tab, ViewMode
from cmdr.model.panes.workspace import Workspace

_RESTORED = tuple("path sort listing selection cursor on_parent_row window filter problem opened_by_agent".split())


class _TabSnapshot:
    """What a tab shows before it navigates, to be shown again when the navigation is cancelled half-way."""

    def __init__(self, pane: Pane, tab: Tab) -> None:
        self._pane, self._tab, self._was_open, self._active = pane, tab, tab in pane.tabs, pane.active
        self._fields = {name: getattr(tab, name) for name in _RESTORED}
        self._fields["history"] = replace(tab.history, visits=list(tab.history.visits))

    def restore(self) -> None:
        """Show again what was shown; a tab that was opened only for the navigation is closed."""
        if not self._was_open:
            self._pane.drop_tab(self._tab)
            self._pane.active = min(self._active, len(self._pane.tabs) - 1)
        for name, value in self._fields.items():
            setattr(self._tab, name, value)


class Browser:
    """Reads folders in threads and puts them in place in one step, or drops them when the tab has moved on."""

    def __init__(self, workspace: Workspace, events: Events, *, watch: bool = True) -> None:
        self._workspace = workspace
        self._events = events
        self._watcher = FolderWatcher(self._refresh_from_watch, self._is_stale) if watch else None
        self._live = True
        self._reader = FolderReader(workspace)
        self.facts = FactLookup()
        self.arrived: Callable[[bytes], None] | None = None
        """Told every folder that is gone to."""
        self.agents_fronts: Callable[[], dict[str, Tab]] = dict
        """The tabs that agents look at besides those in front, each under a name of its own."""
        self.notes: deque[str] = deque(maxlen=8)
        """Which folder is shown in place of which, until a face has told the person."""

    async def start(self, *, live: bool = True) -> None:
        """Read the folders of both panes; one that cannot be read gives way to the nearest that can.

        Unless they are to be live at once, what watches them is loaded only when `keep_live` is called.
        """
        self._live = live
        self._workspace.volumes = await in_thread(volumes)
        for pane in self._workspace.panes:
            if len(pane.tab.listing.columns):
                # It was read for the first frame; what has changed since then is seen when its watch stands.
                self._arrive(pane.tab, pane.tab.listing, pane.tab.path, None, 0)
        unread = [pane for pane in self._workspace.panes if pane.tab.history.here < 0]
        await asyncio.gather(*map(self.open_nearest, unread))

    def keep_live(self) -> None:
        """Watch the folders that are in front, from now on; what has changed since they were read is seen then."""
        self._live = True
        self.follow_active_tabs()

    async def close(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            await self._watcher.close()

    async def open(
        self, pane: Pane, path: bytes, *, cursor: bytes | None = None, step: int = 0, new_tab: bool = False
    ) -> Tab:
        """Show a folder in a pane and return its tab; `step` moves through the history instead of adding to it.

        A pinned tab stays where it is, and so does one that shows scattered entries: the folder opens beside it.
        """
        tab = pane.tab
        fresh = new_tab or (tab.pinned and path != tab.path) or tab.found is not None
        if fresh:
            check_tabs(pane)
            tab = Tab(self._workspace.new_id("t"), path, tab.sort, tab.view, shows_hidden=tab.shows_hidden)
        self._reader.leave(tab)
        navigation = tab.navigation
        by_agent = not person_acts() and (fresh or path != tab.path or tab.opened_by_agent)
        snapshot = _TabSnapshot(pane, tab)
        arrived: tuple[int, bool] | None = None
        """Where the cursor was put when the first of the folder stood."""

        def arrive(listing: Listing) -> None:
            nonlocal cursor, arrived
            if tab.navigation != navigation or not (fresh or tab in self._workspace.tabs):
                return
            if fresh:
                pane.open_tab(tab)
            tab.opened_by_agent = by_agent
            cursor = self._arrive(tab, listing, path, cursor, 0 if fresh else step) or tab.saved_cursor
            arrived = tab.cursor, tab.on_parent_row

        loop = asyncio.get_running_loop()

        def arrive_soon(listing: Listing) -> None:
            loop.call_soon_threadsafe(arrive, listing)

        moves = fresh or path != tab.path or tab.history.here < 0
        try:
            read = await self._reader.read(tab, path, first_part=arrive_soon if moves else None)
        except (DiskError, NoAnswer) as error:
            if arrived:
                self._show_problem(tab, navigation, error)
            raise
        except asyncio.CancelledError:
            if arrived and tab.navigation == navigation:
                snapshot.restore()
                self._publish(pane.tab)
            raise
        if arrived:
            # The first part is shown already; nobody who has moved the cursor in it meanwhile is carried off. At the
            # top it stays at the top, whatever comes to stand there.
            untouched = arrived == (tab.cursor, False)
            tab.show(read.listing, cursor=cursor if untouched else None, selection=read.selection)
            if untouched and cursor is None:
                tab.put_cursor(0)
            self._publish(tab)
        else:
            arrive(read.listing)
        if not arrived:
            raise ScanStopped
        return tab

    async def open_nearest(self, pane: Pane) -> str:
        """Show the folder of a pane's tab for the first time, or the nearest that can be shown; says so if it did."""
        wanted = path = pane.tab.path
        why = ""
        while True:
            try:
                await self.open(pane, path)
            except (DiskError, CommandError) as error:
                if path == b"/":
                    pane.tab.problem = str(error)
                    return ""
                # A mount that does not answer here will not answer one level up either.
                path = b"/" if isinstance(error, NoAnswer) else os.path.dirname(path)
                why = why or str(error)
            else:
                if path == wanted:
                    return ""
                name = to_wire(os.path.basename(wanted))
                self.notes.append(f"{name} cannot be shown; this is {to_wire(path)} instead. {why}")
                return self.notes[-1]

    async def open_found(self, pane: Pane, root: bytes, found: FoundEntries, sort: SortOrder | None = None) -> Tab:
        """Show entries from all over a tree in a new tab, as if they were one folder."""
        check_tabs(pane)
        tab = Tab(self._workspace.new_id("t"), root, sort or pane.tab.sort, ViewMode.FULL, found=found)
        tab.opened_by_agent = not person_acts()
        listing = await self._reader.scan(tab, root, tab.sort, None)
        pane.open_tab(tab)
        tab.show(listing, path=root)
        tab.history.visit(root)
        self._publish(tab)
        return tab

    async def refresh(self, tab: Tab) -> None:
        """Read a tab's folder again; cursor and selection follow their entries."""
        navigation = tab.navigation
        try:
            read = await self._reader.read(tab, tab.path)
        except DiskError as error:
            self._show_problem(tab, navigation, error)
            raise
        tab.show(read.listing, selection=read.selection)
        self._publish(tab)

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
            shown = await in_thread(row_mask, listing.order, len(listing.columns))
            if tab.listing is listing:
                tab.selection.keep_mask(shown)
                self._events.changed()
                return

    async def sort(self, tab: Tab, sort: SortOrder) -> None:
        """Sort a tab; looks at every entry only when the sort needs it."""
        await self._arrange(tab, sort)

    async def show_hidden(self, value: bool) -> None:
        """Show or hide dot files everywhere, but where an agent chose for itself."""
        self._workspace.show_hidden = value
        self._events.changed()
        tabs = [tab for tab in self._workspace.tabs if tab.shows_hidden is None]
        await asyncio.gather(*map(self._arrange_or_show_problem, tabs))

    async def show_hidden_in(self, tabs: Sequence[Tab], value: bool) -> None:
        """Show or hide dot files in some tabs, whatever holds elsewhere."""
        for tab in tabs:
            tab.shows_hidden = value
        self._events.changed()
        await asyncio.gather(*map(self._arrange_or_show_problem, tabs))

    async def _arrange(self, tab: Tab, sort: SortOrder | None = None) -> None:
        """Sort and filter what was read; reads again only when the order needs what is not known."""
        while True:
            listing = tab.listing
            request = self._reader.request(tab, sort)
            order = sort or tab.sort
            if (len(listing.columns) > LARGE_FOLDER_ENTRIES and order.by is not SortKey.NAME) or (
                order.needs_facts and listing.columns.facts is None
            ):
                arranged = await self._reader.read(tab, tab.path, sort)
                break
            arranged = FolderRead(await in_thread(listing.arranged, order, show_hidden=self._reader.shows_hidden(tab)))
            text = tab.filter
            await filtered(arranged.listing, text)
            if tab.filter == text and request == self._reader.request(tab, sort):
                break
        tab.sort = arranged.listing.sort
        tab.show(arranged.listing, selection=arranged.selection)
        self._publish(tab)

    async def _arrange_or_show_problem(self, tab: Tab) -> None:
        navigation = tab.navigation
        try:
            await self._arrange(tab)
        except (DiskError, CommandError) as error:
            self._show_problem(tab, navigation, error)

    async def reload_volumes(self) -> None:
        """Read the mount table again."""
        found = await in_thread(volumes)
        if found != self._workspace.volumes:
            self._workspace.volumes = found
            self._events.changed()

    def follow_active_tabs(self) -> None:
        """Watch the folders that are in front now."""
        if self._watcher is not None and self._live:
            # A folder that is still being read for the first time is watched once it is there.
            fronts: dict[str, Tab] = {pane.side: pane.tab for pane in self._workspace.panes}
            fronts |= self.agents_fronts()
            self._watcher.watch({key: tab for key, tab in fronts.items() if tab.history.here >= 0})

    def _arrive(self, tab: Tab, listing: Listing, path: bytes, cursor: bytes | None, step: int) -> bytes | None:
        """Put a folder in place; returns the name the cursor should stand on."""
        tab.history.remember_cursor(tab.cursor_name())
        if path != tab.path:
            tab.filter = ""
            if cursor is None and step == 0:
                cursor = tab.history.last_cursor(path)
        tab.show(listing, path=path, cursor=cursor)
        if step:
            tab.history.move(step)
        else:
            tab.history.visit(path)
        self._publish(tab)
        if self.arrived is not None:
            self.arrived(path)
        return cursor

    def _show_problem(self, tab: Tab, navigation: int, error: Exception) -> None:
        """Show why a folder cannot be shown any more, unless the tab has gone elsewhere."""
        if tab.navigation == navigation:
            tab.show(Listing.empty())
            tab.problem = str(error)
            self._publish(tab)

    def _publish(self, tab: Tab) -> None:
        """The tab shows other rows now."""
        tab.rev = self._events.changed()
        self.follow_active_tabs()

    async def _refresh_from_watch(self, tab: Tab) -> None:
        try:
            await self.refresh(tab)
        except (DiskError, CommandError):
            # The tab says what is wrong, or has gone elsewhere.
            return

    async def _is_stale(self, tab: Tab) -> bool:
        """Whether a tab's folder has changed since it was read."""
        mark = tab.listing.mark
        return mark is None or await in_thread(folder_mtime_ns, tab.path) != mark
