"""Panes on the disk: go to a folder, read it again, sort it, look rows up, and keep it live."""

import asyncio
import os
from array import array
from collections.abc import Callable, Sequence

from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread, is_being_cancelled
from cmdr.core.watching import Watching
from cmdr.files.errors import DiskError, ScanStopped
from cmdr.files.facts import check_exists, last_change, link_target, look_up
from cmdr.files.scan import LARGE, scan
from cmdr.files.scattered import list_found
from cmdr.files.volumes import volumes
from cmdr.model.entry import Facts
from cmdr.model.listing import Listing
from cmdr.model.matching import matching_rows
from cmdr.model.names import to_wire
from cmdr.model.pane import Pane
from cmdr.model.sorting import SortKey, SortOrder
from cmdr.model.tab import Found, Tab, ViewMode
from cmdr.model.workspace import Workspace

PATIENCE = 20.0
"""Seconds a caller waits for a folder before its mount counts as dead."""
GLANCE = 2.0
"""Seconds that facts of shown rows may take; rows are told without them rather than late."""


class NoAnswer(CommandError):
    """The disk did not answer in time."""

    def __init__(self, path: bytes) -> None:
        super().__init__(
            f"No answer from {to_wire(path)} within {PATIENCE:.0f} s. Its mount may be dead; go elsewhere."
        )


class Browser:
    """Reads folders in threads and puts them in place in one step, or drops them when the tab has moved on."""

    def __init__(self, workspace: Workspace, events: Events, *, watch: bool = True) -> None:
        self._workspace = workspace
        self._events = events
        self._watching = Watching(self._refresh_quietly, self._is_stale) if watch else None
        self._readings: set[tuple[Tab, asyncio.Task[Listing]]] = set()
        self._glances: dict[bytes, asyncio.Task[list[Facts | None]]] = {}
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

    async def open(
        self, pane: Pane, path: bytes, *, cursor: bytes | None = None, step: int = 0, new_tab: bool = False
    ) -> Tab:
        """Show a folder in a pane and return its tab; `step` moves through the history instead of adding to it.

        A pinned tab stays where it is: the folder opens in a new tab beside it.
        """
        tab = pane.tab
        fresh = new_tab or (tab.pinned and path != tab.path)
        if fresh:
            tab = Tab(self._workspace.new_id("t"), path, tab.sort, tab.view)
        self._leave(tab)
        tab.found = None
        journey = tab.journey
        arrived = False

        def arrive(listing: Listing) -> None:
            nonlocal cursor, arrived
            if tab.journey != journey or not (fresh or tab in self._workspace.tabs):
                return
            if fresh:
                pane.open_tab(tab)
            cursor = self._arrive(tab, listing, path, cursor, 0 if fresh else step)
            arrived = True

        loop = asyncio.get_running_loop()

        def arrive_soon(listing: Listing) -> None:
            loop.call_soon_threadsafe(arrive, listing)

        moves = fresh or path != tab.path or tab.history.here < 0
        try:
            listing = await self._read(tab, path, first_part=arrive_soon if moves else None)
        except (DiskError, NoAnswer) as error:
            if arrived:
                self._give_up(tab, journey, error)
            raise
        if arrived:
            # The first part is shown already; nobody who has moved the cursor in it meanwhile is carried off.
            tab.show(listing, cursor=cursor if tab.cursor == 0 else None)
            self._put_in_place(tab)
        else:
            arrive(listing)
        if not arrived:
            raise ScanStopped
        return tab

    async def open_found(self, pane: Pane, root: bytes, paths: Sequence[bytes], title: str) -> Tab:
        """Show entries from all over a tree in a new tab, as if they were one folder."""
        below = root.rstrip(b"/") + b"/"
        names = tuple(path.removeprefix(below) for path in paths if path.startswith(below))
        tab = Tab(self._workspace.new_id("t"), root, pane.tab.sort, ViewMode.FULL, found=Found(title, names))
        listing = await self._scan(tab, root, tab.sort, None)
        pane.open_tab(tab)
        tab.show(listing, path=root)
        tab.history.visit(root)
        self._put_in_place(tab)
        return tab

    async def refresh(self, tab: Tab) -> None:
        """Read a tab's folder again; cursor and selection follow their entries."""
        journey = tab.journey
        try:
            listing = await self._read(tab, tab.path)
        except DiskError as error:
            self._give_up(tab, journey, error)
            raise
        tab.show(listing)
        self._put_in_place(tab)

    async def filter(self, tab: Tab, text: str) -> None:
        """Show only entries that match; those that are not shown are not selected either."""
        before, tab.filter = tab.filter, text
        try:
            await self._arrange(tab)
        except (CommandError, DiskError):
            tab.filter = before
            raise
        if text and tab.selection.count:
            shown = set(tab.listing.order)
            tab.selection.remove([row for row in tab.selection.rows() if row not in shown])

    async def sort(self, tab: Tab, sort: SortOrder) -> None:
        """Sort a tab; looks at every entry only when the sort needs it."""
        await self._arrange(tab, sort)

    async def show_hidden(self, value: bool) -> None:
        """Show or hide dot files everywhere."""
        self._workspace.show_hidden = value
        self._events.changed()
        await asyncio.gather(*(self._arrange_quietly(tab) for tab in self._workspace.tabs))

    async def look_up(self, tab: Tab, start: int, stop: int) -> None:
        """Make the facts of some positions known, if the disk answers soon."""
        listing, path = tab.listing, tab.path
        rows = [row for row in listing.order[start:stop] if row not in listing.looked_up]
        if not rows:
            return
        glance = self._glances.get(path)
        if glance is not None:
            # An earlier glance still hangs; another would only hang beside it.
            await asyncio.wait({glance}, timeout=GLANCE)
            return
        names = [listing.columns.name(row) for row in rows]
        glance = asyncio.ensure_future(in_thread(look_up, path, names))
        done, _ = await asyncio.wait({glance}, timeout=GLANCE)
        if done:
            listing.looked_up.update(zip(rows, glance.result(), strict=True))
        elif path not in self._glances:
            self._glances[path] = glance
            glance.add_done_callback(lambda _: self._glances.pop(path))

    async def facts(self, tab: Tab, position: int) -> Facts | None:
        """The facts of one position, or None when the entry is gone."""
        await self.look_up(tab, position, position + 1)
        return tab.listing.entry(position).facts

    async def facts_of(self, path: bytes) -> tuple[Facts | None, bytes | None]:
        """The facts of any entry, and where it leads if it is a link; nothing when it is gone or does not answer."""

        def look() -> tuple[Facts | None, bytes | None]:
            return look_up(os.path.dirname(path), [os.path.basename(path) or b"."])[0], link_target(path)

        try:
            return await asyncio.wait_for(in_thread(look), PATIENCE)
        except TimeoutError:
            return None, None

    async def check_exists(self, path: bytes) -> None:
        """Raise unless something is there."""
        try:
            await asyncio.wait_for(in_thread(check_exists, path), PATIENCE)
        except TimeoutError:
            raise NoAnswer(path) from None

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

    def _leave(self, tab: Tab) -> None:
        """Set out for another folder: whoever still reads for this tab is told at once."""
        tab.journey += 1
        for reader, reading in self._readings:
            if reader is tab:
                reading.cancel()

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
        self._put_in_place(tab)
        if self.arrived is not None:
            self.arrived(path)
        return cursor

    async def _arrange(self, tab: Tab, sort: SortOrder | None = None) -> None:
        while True:
            listing = tab.listing
            wish = self._wish(tab, sort)
            order = sort or tab.sort
            if (len(listing.columns) > LARGE and order.by is not SortKey.NAME) or (
                order.needs_facts and listing.columns.facts is None
            ):
                arranged = await self._read(tab, tab.path, sort)
                break
            arranged = await in_thread(listing.arranged, order, show_hidden=self._workspace.show_hidden)
            text = tab.filter
            await self._filter(arranged, text)
            if tab.filter == text and wish == self._wish(tab, sort):
                break
        tab.sort = arranged.sort
        tab.show(arranged)
        self._put_in_place(tab)

    async def _arrange_quietly(self, tab: Tab) -> None:
        journey = tab.journey
        try:
            await self._arrange(tab)
        except (DiskError, CommandError) as error:
            self._give_up(tab, journey, error)

    def _wish(self, tab: Tab, sort: SortOrder | None, *, elsewhere: bool = False) -> tuple[object, ...]:
        """What a reading depends on: when any of it changes meanwhile, the outcome is not what is wanted any more."""
        return sort or tab.sort, self._workspace.show_hidden, None if elsewhere else tab.listing.columns

    async def _filter(self, listing: Listing, text: str) -> None:
        if text:
            listing.order = array("I", await in_thread(matching_rows, listing.columns, listing.order, text, part=True))

    async def _read(
        self,
        tab: Tab,
        path: bytes,
        sort: SortOrder | None = None,
        first_part: Callable[[Listing], None] | None = None,
    ) -> Listing:
        """A folder as the tab wants it now, or `ScanStopped` once the tab goes elsewhere."""
        journey, elsewhere = tab.journey, first_part is not None
        while True:
            wish = self._wish(tab, sort, elsewhere=elsewhere)
            listing = await self._scan(tab, path, sort or tab.sort, first_part)
            text = tab.filter if path == tab.path else ""
            await self._filter(listing, text)
            if tab.journey != journey:
                raise ScanStopped
            if path == tab.path and tab.filter != text:
                continue
            if wish == self._wish(tab, sort, elsewhere=elsewhere):
                return listing

    async def _scan(
        self, tab: Tab, path: bytes, sort: SortOrder, first_part: Callable[[Listing], None] | None
    ) -> Listing:
        journey = tab.journey
        if tab.found is not None:
            reading = asyncio.ensure_future(in_thread(list_found, path, tab.found.names, sort))
        else:
            reading = asyncio.ensure_future(
                in_thread(
                    scan,
                    path,
                    sort,
                    show_hidden=self._workspace.show_hidden,
                    stopped=lambda: reading.done(),  # noqa: PLW0108 - there is no reading yet
                    first_part=first_part,
                )
            )
        self._readings.add((tab, reading))
        try:
            async with asyncio.timeout(PATIENCE):
                return await reading
        except TimeoutError:
            raise NoAnswer(path) from None
        except asyncio.CancelledError:
            if tab.journey != journey and not is_being_cancelled():
                raise ScanStopped from None
            raise
        finally:
            reading.cancel()
            self._readings.discard((tab, reading))

    def _give_up(self, tab: Tab, journey: int, error: Exception) -> None:
        """Show why a folder cannot be shown any more, unless the tab has gone elsewhere."""
        if tab.journey == journey:
            tab.show(Listing.empty())
            tab.problem = str(error)
            self._put_in_place(tab)

    def _put_in_place(self, tab: Tab) -> None:
        tab.rev = self._events.changed()
        self.follow_active_tabs()

    async def _refresh_quietly(self, tab: Tab) -> None:
        try:
            await self.refresh(tab)
        except (DiskError, CommandError):
            # The tab says what is wrong, or has gone elsewhere.
            return

    async def _is_stale(self, tab: Tab) -> bool:
        """Whether a tab's folder has changed since it was read."""
        mark = tab.listing.mark
        return mark is None or await in_thread(last_change, tab.path) != mark

    async def _open_nearest(self, pane: Pane) -> None:
        path = pane.tab.path
        while True:
            try:
                await self.open(pane, path)
            except (DiskError, CommandError) as error:
                if path == b"/":
                    pane.tab.problem = str(error)
                    return
                # A mount that does not answer here will not answer one level up either.
                path = b"/" if isinstance(error, NoAnswer) else os.path.dirname(path)
            else:
                return
