"""Protected places in a home that are links, as to settings kept in a repository: what they lead to is obeyed too."""

import os
import time
from dataclasses import dataclass, field

from cmdr.files.engine.protected_names import AGENTS, EDITORS, HOME_PLACES, KEYS, LANGUAGES, STARTUP
from cmdr.model.names import is_within

_FRESH = 1.0
"""Seconds for which it is believed where links lead."""
_NAMES = tuple(sorted({*STARTUP, *EDITORS, *LANGUAGES, *AGENTS, *KEYS}))


@dataclass(slots=True)
class LinkedPlaces:
    """Looks at the disk, and remembers it for a moment: a plan may ask about a million files."""

    homes: tuple[bytes, ...] = ()
    _known: dict[bytes, bytes] = field(default_factory=dict)
    _until: float = float("-inf")

    def now(self) -> dict[bytes, bytes]:
        """The real path of each place that is reached through a link, and the name by which programs know it."""
        if self.homes and time.monotonic() >= self._until:
            self._known = {real: place for home in self.homes for real, place in _led_to(home)}
            self._until = time.monotonic() + _FRESH
        return self._known


def _led_to(home: bytes) -> list[tuple[bytes, bytes]]:
    base = os.path.realpath(home)
    try:
        is_ours = os.stat(base).st_uid == os.geteuid()
    except OSError:
        is_ours = False
    if not is_ours:
        return []  # a machine may have a thousand homes, and the programs of others do not run for us
    found = []
    for name in (*_NAMES, *HOME_PLACES):
        place = os.path.join(base, name)
        try:
            real = os.path.realpath(place, strict=True)
        except (OSError, RuntimeError):
            continue  # it is not there, or leads nowhere
        # A link to a folder above would protect everything.
        if not is_within(place, real):
            found.append((real, place))
    return found
