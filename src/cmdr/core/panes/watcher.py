"""Keep the shown folders live, without letting a busy or huge folder keep the program busy."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TypeVar

from cmdr.files.watch import changes
from cmdr.model.panes.pane import Side
from cmdr.model.panes.tab import Tab

T = TypeVar("T")

MAX_BUSY_SHARE = 0.1
"""At most this part of the time goes into reading a folder again that never stops changing."""
_PANES = frozenset(side.value for side in Side)


@dataclass(frozen=True, slots=True)
class _Watch:
    tab: Tab
    path: bytes
    stop: asyncio.Event
    task: asyncio.Task[None]


class FolderWatcher:
    """One watch for each tab that is looked at, under the name of its place: a pane, or an agent's view of one."""

    def __init__(self, refresh: Callable[[Tab], Awaitable[None]], is_stale: Callable[[Tab], Awaitable[bool]]) -> None:
        self._refresh = refresh
        self._is_stale = is_stale
        self._watches: dict[str, _Watch] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def watch(self, tabs: Mapping[str, Tab]) -> None:
        """Watch these tabs' folders from now on, and no others, except in panes that name none at the moment."""
        for gone in [place for place in self._watches if place not in tabs and place not in _PANES]:
            self._watches.pop(gone).stop.set()
        for place, tab in tabs.items():
            current = self._watches.get(place)
            if current is not None:
                # A folder that is gone is watched again once it was read again. Two panes in it would otherwise look
                # for it in turns for ever: each is put in place by a look of the other.
                is_over = current.task.done() and tab.problem is None
                if current.tab is tab and current.path == tab.path and not is_over:
                    continue
                current.stop.set()
            stop = asyncio.Event()
            task = asyncio.get_running_loop().create_task(self._follow(tab, tab.path, stop))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self._watches[place] = _Watch(tab, tab.path, stop, task)

    async def close(self) -> None:
        """End all watches."""
        for watch in self._watches.values():
            watch.stop.set()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._watches.clear()

    async def _follow(self, tab: Tab, path: bytes, stop: asyncio.Event) -> None:
        async with aclosing(changes(path, stop)) as batches:
            async for names in batches:
                if stop.is_set() or tab.path != path:
                    return
                # The watch has begun to stand after the folder was read: what changed in between, nobody told.
                if not names and not await _unless(stop, self._is_stale(tab)):
                    continue
                started = time.monotonic()
                await _unless(stop, self._refresh(tab))
                if tab.problem is not None:
                    # What is watched is gone; a folder that comes back in its place is another one.
                    return
                spent = time.monotonic() - started
                with suppress(TimeoutError):
                    async with asyncio.timeout(spent / MAX_BUSY_SHARE - spent):
                        await stop.wait()
        if not stop.is_set() and tab.path == path and await _unless(stop, self._is_stale(tab)):
            # It cannot be watched: perhaps it was already gone when the watch began.
            await _unless(stop, self._refresh(tab))


async def _unless(stop: asyncio.Event, work: Awaitable[T]) -> T | None:
    """The outcome of some work, or None as soon as it is not wanted any more: it may hang on a dead mount."""
    task = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        stopping.cancel()
