"""Admission of requests, before anything of them is understood: at a rate, and few at once, of each caller in turn.

Parsing and answering a request keeps the loop busy for some milliseconds. When one caller sends hundreds at once, the
person's keys and everybody else would wait behind all of them. So only few begin at each turn of the loop, and few of
one caller are being worked on; a caller that sends more than it could ever need is told so, unread, after a delay.
"""

from cmdr.core.admission.fair_semaphore import FairSemaphore, Permit, QueueFull
from cmdr.core.admission.limits import REQUEST_RATE, REQUESTS, Concurrency, Rate
from cmdr.core.admission.token_bucket import RefusalDelay, TokenBuckets

ANONYMOUS = "nobody"
"""Everyone who has proved nothing."""


class TooManyRequests(Exception):
    """The caller sends too many requests."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(f"Too many requests. Wait {retry_after_ms} ms, then repeat.")
        self.retry_after_ms = retry_after_ms


class Admission:
    """Belongs to the loop. People do not come through here."""

    def __init__(
        self, rate: Rate = REQUEST_RATE, concurrency: Concurrency = REQUESTS, *, scale: float | None = None
    ) -> None:
        self._rate = rate
        self._buckets: TokenBuckets[str] = TokenBuckets(scale)
        self._delay = RefusalDelay()
        self._semaphore = FairSemaphore(concurrency)

    async def count(self, caller: str) -> None:
        """Count a request of this caller, or raise `TooManyRequests` after a delay."""
        if wait := self._buckets.take(caller, self._rate):
            await self._delay.hold(caller)
            raise TooManyRequests(wait)

    async def enter(self, caller: str) -> Permit:
        """Wait until a request of this caller may begin; raises `TooManyRequests` when too many wait already."""
        try:
            return await self._semaphore.acquire(caller)
        except QueueFull as full:
            raise TooManyRequests(full.retry_after_ms) from full
