"""The first moment of a question, in which no key answers it: it was on its way to somewhere else."""

from collections.abc import Callable

DEAF_FOR = 0.6
"""Seconds in which all keys are dropped."""
BURST = 0.6
"""A key that comes too early keeps the next ones dropped so long: whoever goes on pressing one has seen nothing yet."""


class FirstMoment:
    """Whether keys count yet."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends = float("inf")

    def begin(self) -> None:
        """The question can be seen from now on."""
        self._ends = self._clock() + DEAF_FOR

    @property
    def is_over(self) -> bool:
        """Whether keys count."""
        return self._clock() >= self._ends

    def drops(self) -> bool:
        """A key came: whether it is dropped. A burst of keys makes the moment longer."""
        if self.is_over:
            return False
        self._ends = max(self._ends, self._clock() + BURST)
        return True
