"""Calling the person: a bell, a notification of the desktop and the window's title when something waits for them.

A flood calls once, and then less and less often until a key is pressed. Nothing an agent wrote reaches the terminal
but as printable text of bounded length.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from cmdr.core.threads import in_thread
from cmdr.model.results.inbox import InboxRow
from cmdr.tui.terminal.desktop_notifications import (
    Protocol,
    notification,
    plain,
    protocol_for,
    takes_title,
    through_tmux,
    tmux_hands_on,
)
from cmdr.tui.terminal.driver import NonBlockingDriver

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp

AWAY_S = 10.0
"""Seconds without a key after which the person is taken to look elsewhere."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 10.0, 600.0
"""Seconds to the next call; each is twice as long as the one before, until a key is pressed."""
BELL = "\x07"


class Notifications:
    """Looks at what waits whenever something changed, and calls when there is something new."""

    def __init__(
        self,
        terminal: TerminalApp,
        waiting: Callable[[], Sequence[InboxRow]],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._terminal = terminal
        self._waiting = waiting
        self._environment = environment
        self._protocol = protocol_for(environment)
        self._takes_title = takes_title(environment)
        self._known: set[str] = set()
        self._uncalled: set[str] = set()
        """What is new and nobody was called for yet."""
        self._called_at = float("-inf")
        self._pause_s = FIRST_PAUSE_S
        self._timer: asyncio.TimerHandle | None = None
        self.write: Callable[[str], None] = self._write

    def look(self) -> None:
        """Compare what waits with what was known: the title follows at once, a call when it is due."""
        if self._terminal.commander.desktop.terminal_suspended:
            return  # another program has the terminal; whatever is new by then is called for afterwards
        rows = self._waiting()
        ids = {row.id for row in rows}
        self._uncalled = (self._uncalled | (ids - self._known)) & ids
        self._known = ids
        self._show_title(len(rows))
        if self._uncalled:
            self._call_when_due(rows)

    def close(self) -> None:
        """No call after this."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def is_away(self) -> bool:
        """Whether the person is taken to look elsewhere."""
        return not self._terminal.app_focus or self._terminal.presence.idle_s >= AWAY_S

    def _call_when_due(self, rows: Sequence[InboxRow]) -> None:
        when = self._terminal.commander.settings.text("agents.notify")
        presence = self._terminal.presence
        if when == "never":
            self._uncalled.clear()
            return
        if when == "when away" and not self.is_away:
            presence.when_idle("notify", AWAY_S, self.look)
            return
        now = self._terminal.clock()
        were_here = now - presence.idle_s > self._called_at
        left = self._called_at + (FIRST_PAUSE_S if were_here else self._pause_s) - now
        if left > 0:
            self._look_in(left)
            return
        self._pause_s = FIRST_PAUSE_S if were_here else min(LONGEST_PAUSE_S, self._pause_s * 2)
        self._called_at = now
        first = next(row for row in rows if row.id in self._uncalled)
        self._uncalled.clear()
        self._call(first, len(rows))

    def _look_in(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self.look()

    def _call(self, row: InboxRow, waiting: int) -> None:
        if self._terminal.commander.settings.flag("agents.bell"):
            self.write(BELL)
        if self._protocol is not Protocol.NONE:
            text = notification(self._protocol, f"cmdr, {waiting} waiting", told(row))
            self._terminal.run_worker(self._notify(text), group="notify")

    async def _notify(self, text: str) -> None:
        if self._environment.get("TMUX"):
            if not await in_thread(tmux_hands_on, self._environment):
                return
            text = through_tmux(text)
        if not self._terminal.commander.desktop.terminal_suspended:
            self.write(text)

    def _show_title(self, waiting: int) -> None:
        driver = self._terminal._driver
        if self._takes_title and isinstance(driver, NonBlockingDriver):
            driver.show_title(f"cmdr ({waiting} waiting)" if waiting else "")

    def _write(self, sequence: str) -> None:
        """Between two drawings, which the loop hands over whole."""
        driver = self._terminal._driver
        if driver is not None:
            driver.write(sequence)


def told(row: InboxRow) -> str:
    """What waits in one line: who wants what."""
    return plain(f"{row.by}: {row.what}" if row.by else row.what)
