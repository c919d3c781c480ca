"""How often a caller may call: one bucket for each kind of access, so that a runaway agent starves nobody."""

import asyncio
import math
import time
from dataclasses import dataclass

from cmdr.core.environment import Environment
from cmdr.core.errors import TooMany
from cmdr.core.principals import Access, Principal


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls a second, and how many may come at once."""

    per_second: float
    burst: int


DEFAULT_RATES = {
    Access.READ: Rate(50, 200),
    Access.VIEW: Rate(20, 100),
    Access.PROPOSE: Rate(10 / 60, 20),
    Access.ACT: Rate(2, 60),
}
PAUSE = 0.5
"""Seconds before a call too many is refused: asking again at once costs the caller time, and nobody else."""
PAUSED_TOGETHER = 16
"""From so many waiting refusals of one caller on, each waits longer, however many connections it has."""
LONGEST_PAUSE = 20.0
_ROUNDING = 1e-6  # whoever waits exactly as long as told is let through
_WORDS = {Access.READ: "read", Access.VIEW: "view", Access.PROPOSE: "propose", Access.ACT: "act"}


class Limits:
    """Token buckets per caller and kind of access. People are not limited."""

    def __init__(self, rates: dict[Access, Rate] | None = None, scale: float | None = None) -> None:
        self._rates = rates or DEFAULT_RATES
        self._scale = Environment.read().rate_scale if scale is None else scale
        self._buckets: dict[tuple[str, Access], tuple[float, float]] = {}
        self._paused: dict[str, int] = {}

    async def admit(self, principal: Principal, access: Access) -> None:
        """Count a call, or raise after a pause."""
        try:
            self.take(principal, access)
        except TooMany:
            caller = principal.id
            self._paused[caller] = self._paused.get(caller, 0) + 1
            try:
                await asyncio.sleep(min(LONGEST_PAUSE, PAUSE * max(1.0, self._paused[caller] / PAUSED_TOGETHER)))
            finally:
                self._paused[caller] -= 1
                if not self._paused[caller]:
                    del self._paused[caller]
            raise

    def take(self, principal: Principal, access: Access, now: float | None = None) -> None:
        """Count a call, or raise with the time to wait."""
        if principal.is_person:
            return
        now = time.monotonic() if now is None else now
        rate = self._rates[access]
        speed, size = rate.per_second * self._scale, rate.burst * self._scale
        level, last = self._buckets.get((principal.id, access), (size, now))
        level = min(size, level + (now - last) * speed)
        # A clock that has run for years counts in coarser steps.
        if level < 1 - _ROUNDING - 4 * speed * math.ulp(now):
            raise TooMany(_WORDS[access], math.ceil((1 - level) / speed * 1000))
        self._buckets[principal.id, access] = (max(0.0, level - 1), now)
