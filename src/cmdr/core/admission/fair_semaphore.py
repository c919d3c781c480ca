"""A fair semaphore: only so many run at once, and a caller with many waits behind one with few."""

import asyncio
from collections import Counter, deque

from cmdr.core.admission.limits import Concurrency


class QueueFull(Exception):
    """Too many of this caller wait already."""

    retry_after_ms = 1000


class FairSemaphore:
    """Belongs to the loop."""

    def __init__(self, limit: Concurrency) -> None:
        self._limit = limit
        self.running = 0
        self._running_of: Counter[str] = Counter()
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._started = 0
        """How many began at this turn of the loop."""
        self._turn: asyncio.Handle | None = None
        self._due: dict[Permit, float] = {}
        """When those that run count no longer, the first one first."""
        self._timer: asyncio.TimerHandle | None = None

    async def acquire(self, caller: str) -> "Permit":
        """Wait until one of this caller may begin; raises `QueueFull`."""
        if caller not in self._queues and self._is_free(caller):
            self._start(caller)
        else:
            await self._wait(caller)
        permit = Permit(self, caller)
        loop = asyncio.get_running_loop()
        self._due[permit] = loop.time() + self._limit.hold_s
        if self._timer is None:  # one timer for all: most are over long before
            self._timer = loop.call_at(self._due[permit], self._release_overdue)
        return permit

    def release(self, permit: "Permit") -> None:
        """One of them is over; does nothing for one that was released or took so long that it counts no longer."""
        if self._due.pop(permit, None) is not None:
            self._end(permit.caller)

    async def _wait(self, caller: str) -> None:
        queue = self._queues.setdefault(caller, deque())
        if len(queue) >= self._limit.queue_length:
            raise QueueFull
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                queue.remove(place)
                if not queue and self._queues.get(caller) is queue:
                    del self._queues[caller]
            else:
                self._end(caller)  # it was called in the very moment in which it was cut off
            raise

    def _is_free(self, caller: str) -> bool:
        limit = self._limit
        return (
            self._running_of[caller] < limit.per_caller
            and self.running < limit.total
            and (limit.starts_per_turn is None or self._started < limit.starts_per_turn)
        )

    def _start(self, caller: str) -> None:
        self.running += 1
        self._running_of[caller] += 1
        if self._limit.starts_per_turn is not None:
            self._started += 1
            if self._turn is None:
                self._turn = asyncio.get_running_loop().call_soon(self._next_turn)

    def _end(self, caller: str) -> None:
        self.running -= 1
        self._running_of[caller] -= 1
        if not self._running_of[caller]:
            del self._running_of[caller]
        self._call_waiting()

    def _next_turn(self) -> None:
        self._turn = None
        self._started = 0
        self._call_waiting()

    def _call_waiting(self) -> None:
        """Let as many begin as may: of the caller with the fewest running first, equals in turn."""
        while free := [caller for caller, queue in self._queues.items() if self._is_free(caller) and _first(queue)]:
            caller = min(free, key=lambda each: self._running_of[each])
            queue = self._queues.pop(caller)
            place = _first(queue)
            assert place is not None
            queue.remove(place)
            if queue:
                self._queues[caller] = queue  # behind all the others
            self._start(caller)
            place.set_result(None)

    def _release_overdue(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        now = loop.time()
        # All have the same time, so whoever began first is due first.
        for permit, due in list(self._due.items()):
            if due > now:
                self._timer = loop.call_at(due, self._release_overdue)
                return
            self.release(permit)


def _first(queue: deque[asyncio.Future[None]]) -> asyncio.Future[None] | None:
    """The first that still waits; those that have just left take themselves out."""
    return next((place for place in queue if not place.done()), None)


class Permit:
    """One that runs; it counts until it is released, or for too long."""

    __slots__ = ("_semaphore", "caller")

    def __init__(self, semaphore: FairSemaphore, caller: str) -> None:
        self._semaphore = semaphore
        self.caller = caller

    def release(self) -> None:
        """It is over; saying so twice does no harm."""
        self._semaphore.release(self)
