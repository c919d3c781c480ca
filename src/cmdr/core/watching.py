"""Keep the shown folders live, without letting a busy or huge folder keep the program busy."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from cmdr.files.watch import changes
from cmdr.model.pane import Side
from cmdr.model.tab import Tab

SHARE = 0.1
"""At most this part of the time goes into reading a folder again that never stops changing."""


class Watching:
    """One watch for each pane, on the folder of the tab in front."""

    def __init__(self, refresh: Callable[[Tab], Awaitable[None]]) -> None:
        self._refresh = refresh
        self._watches: dict[Side, tuple[Tab, bytes, asyncio.Event, asyncio.Task[None]]] = {}

    def watch(self, tabs: dict[Side, Tab]) -> None:
        """Watch these tabs' folders from now on."""
        for side, tab in tabs.items():
            current = self._watches.get(side)
            if current is not None:
                if current[0] is tab and current[1] == tab.path:
                    continue
                current[2].set()
            stop = asyncio.Event()
            task = asyncio.get_running_loop().create_task(self._follow(tab, tab.path, stop))
            self._watches[side] = (tab, tab.path, stop, task)

    async def close(self) -> None:
        """End all watches."""
        for _, _, stop, _ in self._watches.values():
            stop.set()
        for _, _, _, task in self._watches.values():
            with suppress(asyncio.CancelledError):
                await task
        self._watches.clear()

    async def _follow(self, tab: Tab, path: bytes, stop: asyncio.Event) -> None:
        async for _names in changes(path, stop):
            if stop.is_set() or tab.path != path:
                return
            started = time.monotonic()
            await self._refresh(tab)
            spent = time.monotonic() - started
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), spent / SHARE - spent)
