"""Writing files in threads, one after the other, so that a slow disk holds up nobody and the last wish wins."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from cmdr.core.threads import in_thread


class WriteQueue:
    """Belongs to the loop. What was begun goes on when its caller gives up waiting."""

    def __init__(self) -> None:
        self._last: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[], None]) -> None:
        """Do blocking work behind everything that was asked for before; raises what it raises."""
        self._last = task = asyncio.get_running_loop().create_task(self._behind(self._last, work))
        await asyncio.shield(task)

    async def finish(self, seconds: float) -> None:
        """Wait until all is written, but not for ever: the disk may be dead."""
        if self._last is not None:
            await asyncio.wait({self._last}, timeout=seconds)

    async def _behind(self, before: asyncio.Task[None] | None, work: Callable[[], None]) -> None:
        if before is not None:
            with suppress(Exception):  # its own caller was told
                await asyncio.shield(before)
        await in_thread(work)
