"""The gate before every route: callers come in one after the other, before anything of their requests is understood.

Parsing and answering a request keeps the loop busy for some milliseconds. When one caller sends hundreds at once, the
person's keys and everybody else would wait behind all of them. So only few begin at each turn of the loop, one of
each caller in turn, and few of one caller are being worked on; a caller that sends more than it could ever need is
told so, unread, after a pause.
"""

import asyncio
from collections import Counter, deque

from cmdr.core.buckets import Buckets, Pauses, Rate
from cmdr.core.environment import Environment
from cmdr.core.overdue import Overdue

RATE = Rate(100, 300)
"""Requests of one caller; more than all its kinds of access together allow, so that those speak first."""
AT_A_TURN = 2
"""So many requests begin at each turn of the loop."""
EACH = 4
"""So many requests of one caller are worked on side by side."""
LONGEST_WORK = 0.25
"""Seconds after which a request that has no answer yet only waits for something, and counts no longer."""
LINE = 1000
"""So many of one caller may stand in line."""
NOBODY = "nobody"
"""Everyone who has proved nothing."""


class Crowded(Exception):
    """The caller sends too many requests."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(f"Too many requests. Wait {retry_after_ms} ms, then repeat.")
        self.retry_after_ms = retry_after_ms


class Gate:
    """Belongs to the loop. People do not come through here."""

    def __init__(
        self,
        rate: Rate = RATE,
        *,
        scale: float | None = None,
        at_a_turn: int = AT_A_TURN,
        each: int = EACH,
        line: int = LINE,
    ) -> None:
        self._rate = rate
        self._buckets: Buckets[str] = Buckets(Environment.read().rate_scale if scale is None else scale)
        self._pauses = Pauses()
        self._at_a_turn = at_a_turn
        self._each = each
        self._longest = line
        self._begun = 0
        self._working: Counter[str] = Counter()
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}
        self._is_calling = False
        self._working_on: Overdue[Entry] = Overdue(LONGEST_WORK, lambda entry: self._end(entry.caller))

    async def count(self, caller: str) -> None:
        """Count a request of this caller, or raise `Crowded` after a pause."""
        if wait := self._buckets.take(caller, self._rate):
            await self._pauses.hold(caller)
            raise Crowded(wait)

    async def enter(self, caller: str) -> "Entry":
        """Wait until a request of this caller may begin; raises `Crowded` when too many wait already."""
        if self._lines or self._begun >= self._at_a_turn or self._working[caller] >= self._each:
            await self._stand_in_line(caller)
        else:
            self._begin(caller)
            self._call_at_the_next_turn()
        entry = Entry(self, caller)
        self._working_on.begin(entry)
        return entry

    def leave(self, entry: "Entry") -> None:
        """A request is worked on no longer; saying so twice does no harm."""
        if self._working_on.over(entry):
            self._end(entry.caller)

    def _end(self, caller: str) -> None:
        self._working[caller] -= 1
        if not self._working[caller]:
            del self._working[caller]
        if self._lines:
            self._call_at_the_next_turn()

    async def _stand_in_line(self, caller: str) -> None:
        line = self._lines.setdefault(caller, deque())
        if len(line) >= self._longest:
            raise Crowded(1000)
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(mine)
        self._call_at_the_next_turn()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.cancelled():
                line.remove(mine)
                if not line:
                    del self._lines[caller]
                self._call_at_the_next_turn()  # its place in the round may have been another's
            else:
                self._end(caller)  # it was called in the very moment in which it was cut off
            raise

    def _begin(self, caller: str) -> None:
        self._begun += 1
        self._working[caller] += 1

    def _call_at_the_next_turn(self) -> None:
        if not self._is_calling:
            self._is_calling = True
            asyncio.get_running_loop().call_soon(self._call)

    def _call(self) -> None:
        self._is_calling = False
        self._begun = 0
        for caller in [caller for caller in self._lines if self._working[caller] < self._each][: self._at_a_turn]:
            line = self._lines.pop(caller)
            waiting = next((turn for turn in line if not turn.done()), None)
            if waiting is not None:
                line.remove(waiting)
                self._begin(caller)
                waiting.set_result(None)
            if line:
                self._lines[caller] = line  # behind all the others
        if self._begun:
            self._call_at_the_next_turn()


class Entry:
    """One request that was let in; it counts until it is answered, or plainly waits for something."""

    __slots__ = ("_gate", "caller")

    def __init__(self, gate: Gate, caller: str) -> None:
        self._gate = gate
        self.caller = caller

    def over(self) -> None:
        """It is answered; saying so twice does no harm."""
        self._gate.leave(self)
