"""Files and lines that the person points a coding agent at, with a key."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """A file, or some of its lines, counted from 0, the last one included."""

    path: bytes
    first: int | None = None
    last: int | None = None


Listener = Callable[[Mention], bool]
"""Passes a mention on; whether anybody heard it."""


class Mentions:
    """Whoever is connected as an editor's client hears of them."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear every mention; returns how to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, mention: Mention) -> bool:
        """Point at something; whether anybody heard it."""
        return sum(listener(mention) for listener in self._listeners) > 0
