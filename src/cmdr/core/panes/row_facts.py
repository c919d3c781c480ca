"""Facts about entries: of the rows in view while the disk answers soon, and of any single entry."""

import asyncio
import os

from cmdr.core.panes.folder_reading import PATIENCE, NoAnswer
from cmdr.core.threads import in_thread
from cmdr.files.file_stat import check_exists, link_target, stat_entries
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.tab import Tab

GLANCE = 2.0
"""Seconds that facts of shown rows may take; rows are told without them rather than late."""


class RowFacts:
    """Looks at entries in threads; on a disk that hangs, one thread for each folder and no more."""

    def __init__(self) -> None:
        self._glances: dict[bytes, asyncio.Task[list[Facts | None]]] = {}

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
        glance = asyncio.ensure_future(in_thread(stat_entries, path, names))
        done, _ = await asyncio.wait({glance}, timeout=GLANCE)
        if done:
            listing.looked_up.update(zip(rows, glance.result(), strict=True))
        elif path not in self._glances:
            self._glances[path] = glance
            glance.add_done_callback(lambda _: self._glances.pop(path))

    async def at(self, tab: Tab, position: int) -> Facts | None:
        """The facts of one position, or None when the entry is gone."""
        await self.look_up(tab, position, position + 1)
        return tab.listing.entry(position).facts

    async def of(self, path: bytes) -> tuple[Facts | None, bytes | None]:
        """The facts of any entry, and where it leads if it is a link; nothing when it is gone or does not answer."""

        def look() -> tuple[Facts | None, bytes | None]:
            return stat_entries(os.path.dirname(path), [os.path.basename(path) or b"."])[0], link_target(path)

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

    async def is_folder(self, path: bytes) -> bool:
        """Whether a path leads to a folder, through links too."""
        try:
            return await asyncio.wait_for(in_thread(os.path.isdir, path), PATIENCE)
        except TimeoutError:
            raise NoAnswer(path) from None
