"""What agents are doing: every call while it runs, the last ones afterwards, and who has called at all."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.principals import Principal

MAX_REMEMBERED = 200
"""Calls, and callers, that are remembered."""
_SAYING_MOST = ("path", "to", "name", "glob", "id", "text", "root", "newName", "pane")


@dataclass(slots=True, eq=False)
class SeenCall:
    """One call of an agent. Its words are the agent's: printable only after the face made them so."""

    caller: str
    command: str
    about: str
    """The argument that says most, shortened."""
    started: float
    result: str = ""
    """Empty while it runs, then ok, refused or error."""
    ms: int = 0


@dataclass(slots=True, eq=False)
class Caller:
    """One agent that has called."""

    name: str
    calls: int = 0
    last: float = 0.0


@dataclass(slots=True, eq=False)
class Activity:
    """Belongs to the loop; listeners are called at the start and end of every agent's call."""

    recent: deque[SeenCall] = field(default_factory=lambda: deque(maxlen=MAX_REMEMBERED))
    callers: dict[str, Caller] = field(default_factory=dict)
    running: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    """Standing connections of each caller."""
    _listeners: list[Callable[[SeenCall], None]] = field(default_factory=list)

    def begin(self, principal: Principal, command: str, arguments: Arguments) -> SeenCall | None:
        """Note that a call begins; people's own calls are not noted."""
        if principal.is_person:
            return None
        seen = SeenCall(principal.name, command, _about(arguments), time.time())
        self.recent.append(seen)
        caller = self.callers.pop(principal.name, None) or Caller(principal.name)
        self.callers[principal.name] = caller  # the last one is the one that called last
        if len(self.callers) > MAX_REMEMBERED:
            del self.callers[next(iter(self.callers))]
        caller.calls += 1
        caller.last = seen.started
        self.running += 1
        self._tell(seen)
        return seen

    def end(self, seen: SeenCall | None, result: str, ms: int) -> None:
        """Note how a call ended."""
        if seen is not None:
            seen.result, seen.ms = result, ms
            self.running -= 1
            self._tell(seen)

    @contextmanager
    def connected(self, caller: str) -> Iterator[None]:
        """A caller holds a connection open while this is entered."""
        self.lines[caller] += 1
        try:
            yield
        finally:
            self.lines[caller] -= 1
            if not self.lines[caller]:
                del self.lines[caller]

    def listen(self, listener: Callable[[SeenCall], None]) -> Callable[[], None]:
        """Call `listener` for every call that begins or ends; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, seen: SeenCall) -> None:
        for listener in self._listeners:
            listener(seen)


def _about(arguments: Arguments) -> str:
    for name in _SAYING_MOST:
        if name in arguments:
            value = arguments[name]
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)[:120]
    return ""
