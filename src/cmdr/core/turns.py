"""Taking turns: only so many agents' calls run at once, and a caller with many waits behind one with few."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from contextvars import ContextVar

from cmdr.core.errors import TooMany
from cmdr.core.principals import Principal

AT_ONCE = 64
EACH = 16
LONGEST_TURN = 20.0
"""Seconds after which a call that still runs no longer counts."""
WAITING = 1000
"""So many calls of one caller may stand in line; more are told to come back."""

# A call made from inside another, as `command` does, has its turn already.
_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


class Turns:
    """Belongs to the loop. People never wait here."""

    def __init__(
        self, at_once: int = AT_ONCE, each: int = EACH, waiting: int = WAITING, longest: float = LONGEST_TURN
    ) -> None:
        self._at_once = at_once
        self._each = each
        self._most_waiting = waiting
        self._longest = longest
        self.running = 0
        self._running_of: dict[str, int] = {}
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}

    @contextlib.asynccontextmanager
    async def of(self, principal: Principal) -> AsyncIterator[None]:
        """Wait for a turn, and keep it while this is entered."""
        if principal.is_person or _has_turn.get():
            yield
            return
        caller = principal.id
        await self._take(caller)
        turn = _Turn(self, caller)
        # A call that hangs on a dead disk keeps its caller waiting, and after a while nobody else.
        timer = asyncio.get_running_loop().call_later(self._longest, turn.end)
        mark = _has_turn.set(True)
        try:
            yield
        finally:
            _has_turn.reset(mark)
            timer.cancel()
            turn.end()

    async def _take(self, caller: str) -> None:
        line = self._lines.setdefault(caller, deque())
        if not line and self._is_free(caller):
            self._begin(caller)
            return
        if len(line) >= self._most_waiting:
            raise TooMany("waiting", 1000)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(caller)  # it came too late for us; the next one has it
            elif turn in line:
                line.remove(turn)
            raise

    def _is_free(self, caller: str) -> bool:
        return self.running < self._at_once and self._running_of.get(caller, 0) < self._each

    def _begin(self, caller: str) -> None:
        self.running += 1
        self._running_of[caller] = self._running_of.get(caller, 0) + 1

    def give_back(self, caller: str) -> None:
        """One call of this caller counts no longer; the next one is called."""
        self.running -= 1
        left = self._running_of[caller] - 1
        if left:
            self._running_of[caller] = left
        else:
            del self._running_of[caller]
        self._call_next()

    def _call_next(self) -> None:
        # The caller with the fewest running comes first; equals in the order in which they came.
        for line in self._lines.values():
            while line and line[0].done():
                line.popleft()  # its caller has left the line
        waiting = [caller for caller, line in self._lines.items() if line]
        for caller in sorted(waiting, key=lambda caller: self._running_of.get(caller, 0)):
            if self._is_free(caller):
                turn = self._lines[caller].popleft()
                self._begin(caller)
                # To the end of the row, so that equals alternate.
                self._lines[caller] = self._lines.pop(caller)
                turn.set_result(None)
                return
        for caller in [caller for caller, line in self._lines.items() if not line]:
            del self._lines[caller]


class _Turn:
    """One turn; it ends once, by itself or when its time is over."""

    def __init__(self, turns: Turns, caller: str) -> None:
        self._turns = turns
        self._caller = caller
        self._is_over = False

    def end(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._turns.give_back(self._caller)
