"""Links to the raw bytes of a file, for the one caller that asked and for some minutes."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from cmdr.core.errors import NotThere
from cmdr.core.principals import Principal

LIFETIME = 600.0
EACH = 100
"""Links of one caller; with one more its oldest is forgotten."""


@dataclass(frozen=True, slots=True)
class _Link:
    path: bytes
    until: float


class RawLinks:
    """A link says only which path was meant; whether it may be read is decided again when somebody comes for it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of: dict[str, dict[str, _Link]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def make(self, principal: Principal, path: bytes) -> str:
        """A new handle for a path."""
        self._forget_old()
        mine = self._of.setdefault(principal.id, {})
        if len(mine) >= EACH:
            del mine[next(iter(mine))]
        handle = secrets.token_urlsafe(16)
        mine[handle] = _Link(path, self._clock() + LIFETIME)
        return handle

    def path(self, principal: Principal, handle: str) -> bytes:
        """The path behind a handle of this caller; anyone else's does not exist."""
        mine = self._of.get(principal.id, {})
        link = mine.get(handle)
        if link is None or self._clock() >= link.until:
            mine.pop(handle, None)
            raise NotThere("There is no such link, or it is too old. Read the file again for a new one.")
        return link.path

    def _forget_old(self) -> None:
        now = self._clock()
        for caller, links in list(self._of.items()):
            for handle in [handle for handle, link in links.items() if link.until <= now]:
                del links[handle]
            if not links:
                del self._of[caller]
