"""A cmdr that a bridge started for an agent ends by itself, some time after nobody needs it any more.

Whoever uses it leaves a trace: a bridge keeps a line open for as long as it lives and a page its stream, a call begins
or ends, a proposal is decided. Nothing is asked in between: one timer looks when all of that is long enough ago.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from cmdr.core.agents.agent_detection import agent_ports
from cmdr.core.changes.unfinished import unfinished
from cmdr.core.runtime.peer import client_sockets

if TYPE_CHECKING:
    from cmdr.core.commander import Commander


class IdleShutdown:
    """Asks the program to quit when it was left alone for some seconds."""

    def __init__(self, commander: "Commander", seconds: float) -> None:
        self._commander = commander
        self._seconds = seconds
        self._lines = 0
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._deaf: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begin to wait; the first client has as long to come as the last one to return."""
        self._touch()
        self._deaf = [
            self._commander.activity.listen(lambda _: self._touch()),
            self._commander.events.listen(lambda _: self._touch()),
        ]
        self._ring()

    def close(self) -> None:
        """Stop waiting."""
        for stop in self._deaf:
            stop()
        if self._timer is not None:
            self._timer.cancel()

    def came(self) -> None:
        """Somebody opened a line."""
        self._lines += 1

    def left(self) -> None:
        """Somebody closed theirs."""
        self._lines -= 1
        self._touch()

    def _touch(self) -> None:
        self._last = asyncio.get_running_loop().time()

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None and self._is_needed():
            self._touch()
        due = self._last + self._seconds
        if loop.time() >= due:
            self._commander.quitting.set()
        else:
            self._timer = loop.call_at(due, self._ring)

    def _is_needed(self) -> bool:
        is_used = self._lines or self._commander.desktop.pages
        return bool(is_used or unfinished(self._commander) or client_sockets(agent_ports(self._commander)))
