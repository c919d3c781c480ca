"""Rate limits by token buckets: so many at once, then so many a second; and the delay before a refusal is told."""

import asyncio
import math
import time
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from cmdr.core.admission import limits
from cmdr.core.admission.limits import CALL_RATES, Rate
from cmdr.core.dispatch.principals import Access, Principal
from cmdr.core.environment import Environment
from cmdr.core.errors import TooMany

PRUNE_AT = 256
"""From so many buckets on, those that are full again are looked for: after as many new ones as there are."""
_ROUNDING = 1e-6  # whoever waits exactly as long as told is let through

Key = TypeVar("Key", bound=Hashable)


class TokenBuckets(Generic[Key]):
    """One bucket for each key; all fill at their own rate, times the scale. One that is full again is forgotten."""

    def __init__(self, scale: float | None = None) -> None:
        self._scale = Environment.read().rate_scale if scale is None else scale
        self._levels: dict[Key, _Level] = {}
        self._prune_at = PRUNE_AT

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, key: Key, rate: Rate, now: float | None = None) -> int:
        """Take one and return 0, or take none and return the milliseconds until there is one."""
        now = time.monotonic() if now is None else now
        speed, size = rate.per_second * self._scale, rate.burst * self._scale
        last = self._levels.get(key)
        level = size if last is None else min(size, last.level + (now - last.at) * speed)
        # A clock that has run for years counts in coarser steps.
        if level < 1 - _ROUNDING - 4 * speed * math.ulp(now):
            return math.ceil((1 - level) / speed * 1000)
        left = max(0.0, level - 1)
        self._levels[key] = _Level(left, now, now + (size - left) / speed)
        if len(self._levels) >= self._prune_at:
            self._levels = {key: one for key, one in self._levels.items() if one.full_at > now}
            self._prune_at = max(PRUNE_AT, 2 * len(self._levels))
        return 0

    def give_back(self, key: Key, rate: Rate, now: float | None = None) -> None:
        """Put one back that was taken."""
        now = time.monotonic() if now is None else now
        speed, size = rate.per_second * self._scale, rate.burst * self._scale
        if (last := self._levels.get(key)) is not None:  # else it is full anyway
            level = min(size, last.level + (now - last.at) * speed + 1)
            self._levels[key] = _Level(level, now, now + (size - level) / speed)


class _Level(NamedTuple):
    level: float
    at: float
    full_at: float
    """From then on it is as good as none."""


class RefusalDelay:
    """Holds up callers that ask too often, the longer the more of their calls wait here."""

    def __init__(self) -> None:
        self._waiting: dict[str, int] = {}

    async def hold(self, caller: str) -> None:
        """Wait, before the caller is told."""
        self._waiting[caller] = self._waiting.get(caller, 0) + 1
        try:
            crowding = max(1.0, self._waiting[caller] / limits.DELAYED_TOGETHER)
            await asyncio.sleep(min(limits.MAX_REFUSAL_DELAY_S, limits.REFUSAL_DELAY_S * crowding))
        finally:
            self._waiting[caller] -= 1
            if not self._waiting[caller]:
                del self._waiting[caller]


class RateLimiter:
    """One bucket for each caller and kind of access, so that a runaway agent starves nobody. People are not limited."""

    def __init__(self, rates: dict[Access, Rate] | None = None, scale: float | None = None) -> None:
        self._rates = rates or CALL_RATES
        self._buckets: TokenBuckets[tuple[str, Access]] = TokenBuckets(scale)
        self._delay = RefusalDelay()

    async def admit(self, principal: Principal, access: Access) -> None:
        """Count a call, or raise `TooMany` after a delay."""
        try:
            self.take(principal, access)
        except TooMany:
            await self._delay.hold(principal.id)
            raise

    def take(self, principal: Principal, access: Access, now: float | None = None) -> None:
        """Count a call, or raise `TooMany` with the time to wait.

        One that proposes also counts as one that changes what is shown: that is what is left of it when it is given
        back, so that mistakes cost no proposal and are not without bound.
        """
        if principal.is_person:
            return
        kinds = (Access.VIEW, access) if access is Access.PROPOSE else (access,)
        for kind in kinds:
            if wait := self._buckets.take((principal.id, kind), self._rates[kind], now):
                raise TooMany(kind.name.lower(), wait)

    def give_back(self, principal: Principal, access: Access, now: float | None = None) -> None:
        """A call has proposed nothing: it does not count as a proposal. Other calls count whatever comes of them."""
        if access is Access.PROPOSE and not principal.is_person:
            self._buckets.give_back((principal.id, access), self._rates[access], now)
