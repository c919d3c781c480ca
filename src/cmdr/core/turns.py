"""Taking turns: only so many agents' calls run at once, and a caller with many waits behind one with few."""

import asyncio
from collections import deque
from contextvars import ContextVar, Token

from cmdr.core.errors import TooMany
from cmdr.core.overdue import Overdue
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
        # A call that hangs on a dead disk keeps its caller waiting, and after a while nobody else.
        self._under_way: Overdue[_Turn] = Overdue(longest, lambda turn: self._give_back(turn.caller))
        self.running = 0
        self._running_of: dict[str, int] = {}
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}

    def of(self, principal: Principal) -> "_Turn":
        """Wait for a turn, and keep it while this is entered."""
        return _Turn(self, "" if principal.is_person or _has_turn.get() else principal.id)

    async def begin(self, turn: "_Turn") -> None:
        """Wait until this turn has come."""
        await self._take(turn.caller)
        self._under_way.begin(turn)

    def end(self, turn: "_Turn") -> None:
        """This turn is over, if it did not take so long that it counts no longer."""
        if self._under_way.over(turn):
            self._give_back(turn.caller)

    async def _take(self, caller: str) -> None:
        line = self._lines.get(caller)
        if not line and self._is_free(caller):
            self._begin(caller)
            return
        line = self._lines.setdefault(caller, deque())
        if len(line) >= self._most_waiting:
            raise TooMany("waiting", 1000)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(caller)  # it came too late for us; the next one has it
            elif turn in line:
                line.remove(turn)
            raise

    def _is_free(self, caller: str) -> bool:
        return self.running < self._at_once and self._running_of.get(caller, 0) < self._each

    def _begin(self, caller: str) -> None:
        self.running += 1
        self._running_of[caller] = self._running_of.get(caller, 0) + 1

    def _give_back(self, caller: str) -> None:
        self.running -= 1
        left = self._running_of[caller] - 1
        if left:
            self._running_of[caller] = left
        else:
            del self._running_of[caller]
        if self._lines:
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
    """One turn, while it is entered; nobody waits for it where there is no caller."""

    __slots__ = ("_mark", "_turns", "caller")

    def __init__(self, turns: Turns, caller: str) -> None:
        self._turns = turns
        self._mark: Token[bool] | None = None
        self.caller = caller

    async def __aenter__(self) -> None:
        if self.caller:
            await self._turns.begin(self)
            self._mark = _has_turn.set(True)

    async def __aexit__(self, *_: object) -> None:
        if self._mark is not None:
            _has_turn.reset(self._mark)
            self._turns.end(self)
