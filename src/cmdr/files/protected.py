"""Places that programs run or trust: writing there needs a person's eye, whoever asks."""

import os
import time
from dataclasses import dataclass, field
from typing import Protocol

from cmdr.files.protected_names import (
    AGENTS,
    EDITORS,
    HOME_PLACES,
    KEYS,
    LANGUAGES,
    STARTUP,
    is_obeyed,
    may_hold_obeyed,
)
from cmdr.model.names import is_within, to_wire

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


_BY_NAME = {
    **dict.fromkeys(STARTUP, "runs when a shell starts"),
    **dict.fromkeys(EDITORS, "is obeyed by editors"),
    **dict.fromkeys(LANGUAGES, "is obeyed by programs that are started nearby"),
    **dict.fromkeys(AGENTS, "tells agents what to do"),
    **dict.fromkeys(KEYS, "decides who may log in"),
}


class Privacy(Protocol):
    """Knows what no agent may get at; asked about what an agent wants to put somewhere else."""

    def real(self, folder: int) -> bytes:
        """Where an open folder really lies, whatever path led to it."""

    def reason_of(self, path: bytes, found: os.stat_result) -> str:
        """Why a file or folder is private, by its real path and all that stands above it, or nothing."""

    def reason_here(self, path: bytes, found: os.stat_result) -> str:
        """The same about what lies in a folder that was asked about."""

    def below(self, folder: bytes) -> list[bytes]:
        """The private places known to stand inside a folder."""


@dataclass(frozen=True, slots=True)
class Protection:
    """The protected places, ours among them. A path says only so much: ask with each name that a file has."""

    own: tuple[bytes, ...] = ()
    """Where this program keeps its own settings and state."""
    run_from: tuple[bytes, ...] = ()
    """Folders in which programs are looked for by name, as in PATH."""
    linked: LinkedPlaces = field(default_factory=LinkedPlaces)
    """What the protected places in people's homes really are, where those are links."""

    def reason(self, path: bytes) -> str:
        """Why a path is protected, or nothing."""
        if why := _BY_NAME.get(path.rpartition(b"/")[2].lower()):
            return why
        if is_obeyed(path):
            return "holds keys or is run by other programs"
        for own in self.own:
            if is_within(path, own):
                return "belongs to cmdr itself"
        for folder in self.run_from:
            if is_within(path, folder):
                return "is where programs are started from by name"
        for real, link in self.linked.now().items():
            if is_within(path, real):
                return f"is where {to_wire(link)} leads"
        return ""

    def reason_below(self, path: bytes) -> str:
        """Why no whole folder may take this path, whatever it holds: for what could lie below it then."""
        known = (*self.own, *self.run_from, *self.linked.now())
        if may_hold_obeyed(path) or any(is_within(place, path) for place in known):
            return "may bring along what other programs run"
        return ""
