"""How fast a job goes: the speed behind an honest estimate of the time that is left."""

import time


class Meter:
    """Bytes a second, smoothed over a few seconds so that the estimate does not jump."""

    def __init__(self) -> None:
        self._bytes = 0
        self.restart()

    def restart(self) -> None:
        """Begin to count anew: time that passed without work says nothing about the speed."""
        self._at = time.monotonic()
        self._rate = 0.0

    def rate(self, done: int) -> float:
        """The speed, now that so much is done."""
        now = time.monotonic()
        passed = now - self._at
        if passed >= 0.5:
            speed = (done - self._bytes) / passed
            self._rate = speed if not self._rate else 0.7 * self._rate + 0.3 * speed
            self._at, self._bytes = now, done
        return self._rate
