"""The slow full scan when nothing else runs: it finds the edits inside files that folder times do not show."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from cmdr.index.errors import IndexFault

QUIET_S = 300.0
"""Seconds without any command before a walk begins."""
UNWATCHED_RESCAN_S = 3600.0
"""Seconds after which an index that the system does not watch is walked again."""
WATCHED_RESCAN_S = 86_400.0
"""The same for one that is watched: what a watch misses is rare."""

STOP_TIMEOUT_S = 5.0
"""Seconds that a walk gets to end when the program does; what it wrote so far is dropped at the next start."""


@dataclass(frozen=True, slots=True)
class ScannedTree:
    """An index in use: when it was walked last (seconds since 1970), and whether changes are told meanwhile."""

    index: str
    walked: float
    is_watched: bool


class IdleScans:
    """Belongs to the loop. Any command ends the walk under way; it begins anew after the next quiet time."""

    def __init__(
        self,
        trees: Callable[[], Awaitable[Sequence[ScannedTree]]],
        walk: Callable[[str, Callable[[], bool]], Awaitable[object]],
        quiet: float = QUIET_S,
    ) -> None:
        self._trees, self._walk, self.quiet = trees, walk, quiet
        self.is_allowed: Callable[[], bool] = lambda: True
        self.is_busy: Callable[[], bool] = lambda: False
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._tried: dict[str, float] = {}
        self._stopped = self._closed = False

    def touched(self) -> None:
        """Something runs: the quiet time begins anew."""
        self._last = asyncio.get_running_loop().time()
        self._stopped = True
        self._ring_in(self.quiet)

    async def stop(self, patience: float | None = None) -> None:
        """End the walk under way, if there is one, and wait until it has ended, but not longer than `patience`."""
        self._stopped = True
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=patience)

    async def close(self) -> None:
        """No more walks."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        await self.stop(STOP_TIMEOUT_S)

    def _look(self) -> None:
        """The timer rang: wait for the rest of the quiet time, or begin."""
        self._timer = None
        loop = asyncio.get_running_loop()
        missing = self._last + self.quiet - loop.time()
        if self.is_busy():
            missing = self.quiet
        if missing > 0:
            self._ring_in(missing)
        elif self._task is None and self.is_allowed():
            self._stopped = False
            self._task = loop.create_task(self._walk_what_is_due())

    async def _walk_what_is_due(self) -> None:
        try:
            while not self._stopped and (waiting := await self._trees()):
                wait, index = min((self._due_in(tree), tree.index) for tree in waiting)
                if wait > 0:
                    self._ring_in(wait)
                    return
                if not self._stopped:
                    with suppress(IndexFault, OSError):  # its state tells; it is tried again in its own time
                        await self._walk(index, lambda: self._stopped)
                if not self._stopped:
                    self._tried[index] = time.time()
        finally:
            self._task = None

    def _due_in(self, tree: ScannedTree) -> float:
        """Seconds until a tree should be walked; a walk in the future (the clock was set back) counts as long ago."""
        last = max(tree.walked, self._tried.get(tree.index, 0.0))
        age = time.time() - last
        bound = WATCHED_RESCAN_S if tree.is_watched else UNWATCHED_RESCAN_S
        return bound - age if age >= 0 else 0.0

    def _ring_in(self, seconds: float) -> None:
        """Look again then; a timer that rings sooner is left alone, so that most commands set none."""
        loop = asyncio.get_running_loop()
        when = loop.time() + seconds
        if self._closed or (self._timer is not None and self._timer.when() <= when):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(when, self._look)
