"""Token buckets: so many at once, then so many a second; and the pause before whoever asks too often is told so."""

import asyncio
import math
import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

PAUSE = 0.5
"""Seconds before a call too many is refused: asking again at once costs the caller time, and nobody else."""
PAUSED_TOGETHER = 16
"""From so many waiting refusals of one caller on, each waits longer, however many connections it has."""
LONGEST_PAUSE = 20.0
SWEPT = 256
"""From so many buckets on, those that are full again are looked for: after as many new ones as there are."""
_ROUNDING = 1e-6  # whoever waits exactly as long as told is let through

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls a second, and how many may come at once."""

    per_second: float
    burst: int


class Buckets(Generic[Key]):
    """One bucket for each key; all fill at their own rate, times the scale. One that is full again is forgotten."""

    def __init__(self, scale: float = 1.0) -> None:
        self._scale = scale
        self._levels: dict[Key, _Level] = {}
        self._sweep_at = SWEPT

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
        if len(self._levels) >= self._sweep_at:
            self._levels = {key: one for key, one in self._levels.items() if one.full_at > now}
            self._sweep_at = max(SWEPT, 2 * len(self._levels))
        return 0


class _Level(NamedTuple):
    level: float
    at: float
    full_at: float
    """From then on it is as good as none."""


class Pauses:
    """Holds up callers that ask too often, the longer the more of their calls wait here."""

    def __init__(self) -> None:
        self._waiting: dict[str, int] = {}

    async def hold(self, caller: str) -> None:
        """Wait, before the caller is told."""
        self._waiting[caller] = self._waiting.get(caller, 0) + 1
        try:
            await asyncio.sleep(min(LONGEST_PAUSE, PAUSE * max(1.0, self._waiting[caller] / PAUSED_TOGETHER)))
        finally:
            self._waiting[caller] -= 1
            if not self._waiting[caller]:
                del self._waiting[caller]
