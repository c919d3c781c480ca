"""Whether the person is at the keyboard: when the last key came, and what is due once none has come for a while."""

import asyncio
from collections.abc import Callable


class Presence:
    """Knows when the person last did something; one timer, and only while somebody waits for a quiet moment."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self._due: dict[str, tuple[float, Callable[[], None]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def touched(self) -> None:
        """A key was pressed, or the mouse used. The timer is left alone: that would cost something at every key."""
        self._last = self._clock()

    @property
    def idle_s(self) -> float:
        """Seconds since the last key."""
        return self._clock() - self._last

    def when_idle(self, name: str, seconds: float, do: Callable[[], None]) -> None:
        """Do something once no key has come for so long; it takes the place of what waits under the same name."""
        self._due[name] = seconds, do
        self._arm()

    def cancel(self, name: str) -> None:
        """It is not wanted any more."""
        self._due.pop(name, None)

    def look(self) -> None:
        """Do what is due by now, and wait for the rest."""
        for name, (seconds, do) in list(self._due.items()):
            if self.idle_s >= seconds:
                del self._due[name]
                do()
        self._arm()

    def close(self) -> None:
        """Nothing is due any more."""
        self._due.clear()
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._due:
            left = min(seconds for seconds, _ in self._due.values()) - self.idle_s
            self._timer = asyncio.get_running_loop().call_later(max(MIN_WAIT_S, left), self.look)


MIN_WAIT_S = 0.02
"""A clock that is a little behind the loop's must not make it turn without end."""
