"""What appeared in a folder while agents were at work, marked for a while so that it is not missed."""

import asyncio
import time
from collections.abc import Callable

from cmdr.core.agents.activity import Activity
from cmdr.model.panes.listing import Listing

SHOWN_S = 12.0
ACTIVE_WITHIN_S = 5.0
MAX_COMPARED = 5000
"""In larger folders the comparison would cost more than the mark is worth."""


class RecentChanges:
    """The names that are marked now."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.names: frozenset[bytes] = frozenset()
        self.version = 0
        self.enabled = True
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None

    def notice(self, before: Listing, after: Listing, activity: Activity) -> None:
        """Mark names that are new, if an agent was active a moment ago."""
        if not self.enabled or not activity.recent or len(after) > MAX_COMPARED or before.columns is after.columns:
            return
        if time.time() - activity.recent[-1].started > ACTIVE_WITHIN_S and not activity.running:
            return
        known = {before.columns.name(row) for row in range(len(before.columns))}
        fresh = {after.columns.name(row) for row in range(len(after.columns))} - known
        if fresh and known:
            self.names |= fresh
            self.version += 1
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(SHOWN_S, self._fade)

    def forget(self) -> None:
        """Another folder: nothing is marked any more."""
        if self.names:
            self.names = frozenset()
            self.version += 1

    def _fade(self) -> None:
        self.forget()
        self._changed()
