"""Changes announce themselves: a revision that only rises, and everybody who waits for the next one."""

import asyncio
from collections.abc import Callable

from cmdr.model.panes.workspace import Workspace

Listener = Callable[[int], None]


class Events:
    """Belongs to the loop that owns the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._waiting: set[asyncio.Future[None]] = set()
        self._listeners: list[Listener] = []
        self._news = workspace.rev

    @property
    def rev(self) -> int:
        """The workspace's current revision."""
        return self._workspace.rev

    def changed(self) -> int:
        """Say that something visible has changed; called in the same step as the change."""
        self._news = self._workspace.rev + 1
        return self.progressed()

    def progressed(self) -> int:
        """Say that work under way has come further, and nothing else: who is told of that may wait a moment."""
        self._workspace.rev += 1
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()
        for listener in tuple(self._listeners):
            listener(self._workspace.rev)
        return self._workspace.rev

    async def beyond(self, rev: int) -> int:
        """Wait until the revision is past `rev`; return it."""
        while self._workspace.rev <= rev:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        return self._workspace.rev

    async def news_beyond(self, rev: int) -> None:
        """Wait for a change past `rev` that is more than progress."""
        while self._news <= rev:
            await self.beyond(self._workspace.rev)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new revision; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
