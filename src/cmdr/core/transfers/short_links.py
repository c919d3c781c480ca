"""Links for those who cannot send a proof along: each for the one caller that asked, and for a short time."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cmdr.core.errors import NotThere

MOST_PER_OWNER = 100
"""Links of one caller; with one more its oldest is forgotten."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Link(Generic[T]):
    target: T
    until: float


class ShortLinks(Generic[T]):
    """Unguessable handles, each of one owner; anyone else's does not exist."""

    def __init__(
        self, lifetime_s: float, *, is_single_use: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lifetime_s = lifetime_s
        self._is_single_use = is_single_use
        self._clock = clock
        self._of: dict[str, dict[str, _Link[T]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def make(self, owner: str, target: T) -> str:
        """A new handle for a target."""
        self._forget_old()
        mine = self._of.setdefault(owner, {})
        if len(mine) >= MOST_PER_OWNER:
            del mine[next(iter(mine))]
        handle = secrets.token_urlsafe(16)
        mine[handle] = _Link(target, self._clock() + self._lifetime_s)
        return handle

    def take(self, owner: str, handle: str) -> T:
        """What is behind a handle of this owner; raises `NotThere`."""
        mine = self._of.get(owner, {})
        link = mine.get(handle)
        is_over = link is None or self._clock() >= link.until
        if is_over or self._is_single_use:
            mine.pop(handle, None)
        if link is None or is_over:
            raise NotThere("There is no such link, or it is too old. Ask again for a new one.")
        return link.target

    def _forget_old(self) -> None:
        now = self._clock()
        for owner, links in list(self._of.items()):
            for handle in [handle for handle, link in links.items() if link.until <= now]:
                del links[handle]
            if not links:
                del self._of[owner]
