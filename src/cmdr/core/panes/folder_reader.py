"""Read folders for tabs: in threads, with a timeout for a slow disk, cancelled as soon as the tab goes elsewhere."""

import asyncio
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread, is_being_cancelled
from cmdr.files.errors import ScanStopped
from cmdr.files.scan import list_entries, scan
from cmdr.model.names import to_wire
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.matching import matching_rows
from cmdr.model.panes.selection import Selection
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace

DISK_TIMEOUT_S = 20.0
"""Seconds a caller waits for the disk's next answer before its mount counts as dead."""
MAX_READ_S = 180.0
"""Seconds after which even a folder that goes on and on is given up."""
MAX_INLINE_SELECTION = 2000
"""So many selected entries are found again in a folder read anew at once; more of them in a thread."""


class NoAnswer(CommandError):
    """The disk did not answer in time."""

    def __init__(self, path: bytes) -> None:
        super().__init__(
            f"No answer from {to_wire(path)} within {DISK_TIMEOUT_S:.0f} s. Its mount may be dead; go elsewhere."
        )


@dataclass(frozen=True, slots=True)
class FolderRead:
    """A folder as a tab wants it, to be shown in the same step in which it is received."""

    listing: Listing
    selection: Selection | None = None
    """What was selected, found again in this reading; None where the tab can do that itself in no time."""


class FolderReader:
    """Every reading that is under way."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._readings: set[tuple[Tab, asyncio.Task[Listing]]] = set()

    def leave(self, tab: Tab) -> None:
        """A tab sets out for another folder: whoever still reads for it is told at once."""
        tab.navigation += 1
        for reader, reading in self._readings:
            if reader is tab:
                reading.cancel()

    async def read(
        self,
        tab: Tab,
        path: bytes,
        sort: SortOrder | None = None,
        first_part: Callable[[Listing], None] | None = None,
    ) -> FolderRead:
        """A folder as the tab wants it now, or `ScanStopped` once the tab goes elsewhere."""
        navigation, elsewhere = tab.navigation, first_part is not None
        while True:
            request = self.request(tab, sort, elsewhere=elsewhere)
            listing = await self.scan(tab, path, sort or tab.sort, first_part)
            text = tab.filter if path == tab.path else ""
            await filtered(listing, text)
            selection = await _carried(tab, listing) if path == tab.path else None
            if tab.navigation != navigation:
                raise ScanStopped
            if path == tab.path and tab.filter != text:
                continue
            if request == self.request(tab, sort, elsewhere=elsewhere):
                return FolderRead(listing, selection)

    def request(self, tab: Tab, sort: SortOrder | None, *, elsewhere: bool = False) -> tuple[object, ...]:
        """What a reading depends on: when any of it changes meanwhile, the outcome is not what is wanted any more."""
        return sort or tab.sort, self.shows_hidden(tab), None if elsewhere else tab.listing.columns

    def shows_hidden(self, tab: Tab) -> bool:
        """Whether dot files are shown in a tab."""
        return self._workspace.show_hidden if tab.shows_hidden is None else tab.shows_hidden

    async def scan(
        self, tab: Tab, path: bytes, sort: SortOrder, first_part: Callable[[Listing], None] | None
    ) -> Listing:
        """One reading of a folder, or of the scattered entries a tab shows together."""
        navigation = tab.navigation
        loop = asyncio.get_running_loop()
        begun = loop.time()
        patience = asyncio.timeout(DISK_TIMEOUT_S)

        def alive() -> None:
            loop.call_soon_threadsafe(be_patient)

        def be_patient() -> None:
            if not (reading.done() or patience.expired()):
                patience.reschedule(min(begun + MAX_READ_S, loop.time() + DISK_TIMEOUT_S))

        if tab.found is not None:
            found = tab.found
            reading = asyncio.ensure_future(
                in_thread(list_entries, path, found.names, sort, found.folder_sizes, found.changes)
            )
        else:
            reading = asyncio.ensure_future(
                in_thread(
                    scan,
                    path,
                    sort,
                    show_hidden=self.shows_hidden(tab),
                    stopped=lambda: reading.done(),  # noqa: PLW0108 - there is no reading yet
                    alive=alive,
                    first_part=first_part,
                )
            )
        self._readings.add((tab, reading))
        try:
            async with patience:
                return await reading
        except TimeoutError:
            raise NoAnswer(path) from None
        except asyncio.CancelledError:
            if tab.navigation != navigation and not is_being_cancelled():
                raise ScanStopped from None
            raise
        finally:
            reading.cancel()
            self._readings.discard((tab, reading))


async def filtered(listing: Listing, text: str) -> None:
    """Leave out of a listing what does not match a filter."""
    if text:
        listing.order = array("I", await in_thread(matching_rows, listing.columns, listing.order, text, part=True))


async def _carried(tab: Tab, listing: Listing) -> Selection | None:
    """A large selection over another reading of the same folder; anew when it changes meanwhile."""
    while tab.selection.count > MAX_INLINE_SELECTION and listing.columns is not tab.listing.columns:
        selection, version, columns = tab.selection, tab.selection.version, tab.listing.columns
        carried = await in_thread(selection.carried, columns, listing.columns)
        if (tab.selection, tab.selection.version, tab.listing.columns) == (selection, version, columns):
            return carried
    return None
