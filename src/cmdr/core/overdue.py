"""What has begun and is not over in time is told of, with one timer for all: most is over long before."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class Overdue(Generic[Item]):
    """Belongs to the loop."""

    def __init__(self, seconds: float, tell: Callable[[Item], None]) -> None:
        self._seconds = seconds
        self._tell = tell
        self._due: dict[Item, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, item: Item) -> None:
        """Something begins."""
        loop = asyncio.get_running_loop()
        self._due[item] = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(self._due[item], self._ring)

    def over(self, item: Item) -> bool:
        """It is over; False when it was already, or was told of as overdue."""
        return self._due.pop(item, None) is not None

    def _ring(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        now = loop.time()
        # All have the same time, so whoever began first is due first.
        for item, due in list(self._due.items()):
            if due > now:
                self._timer = loop.call_at(due, self._ring)
                return
            del self._due[item]
            self._tell(item)
