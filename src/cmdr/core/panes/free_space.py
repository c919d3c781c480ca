"""Free space of the shown volumes, asked seldom and never waited for: a dead mount answers nobody."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from cmdr.core.threads import in_thread
from cmdr.files.volumes import space_at

MAX_AGE_S = 5.0
TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class Space:
    """Room on a volume, in bytes."""

    free: int
    total: int


class FreeSpaceCache:
    """The last known space of each folder that was asked about."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[float, Space | None]] = {}
        self._asking: dict[bytes, asyncio.Task[None]] = {}

    def at(self, path: bytes, changed: Callable[[], None]) -> Space | None:
        """What is known; when that is old, asks again behind and calls `changed` if there is news."""
        asked, space = self._known.get(path, (0.0, None))
        if time.monotonic() - asked > MAX_AGE_S and path not in self._asking:
            self._asking[path] = asyncio.get_running_loop().create_task(self._ask(path, changed))
        return space

    async def _ask(self, path: bytes, changed: Callable[[], None]) -> None:
        try:
            found = await asyncio.wait_for(in_thread(space_at, path), TIMEOUT_S)
        except TimeoutError:
            found = None
        finally:
            del self._asking[path]
        space = Space(*found) if found else None
        news = self._known.get(path, (0.0, None))[1] != space
        if len(self._known) > 64:
            self._known.clear()
        self._known[path] = (time.monotonic(), space)
        if news:
            changed()
