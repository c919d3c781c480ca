"""What agents proposed and nobody answered: it expired or was withdrawn, and is told until the person has seen it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cmdr.core.events import Events

KEPT_PER_CALLER = 5
"""How many are told one by one; of a caller that ended more unanswered, the others are counted."""
MAX_CALLERS = 100
"""Of so many callers; those that were told of first are forgotten beyond that."""


@dataclass(frozen=True, slots=True)
class EndedProposal:
    """One proposal or edit that was never answered."""

    id: str
    by: str
    """The principal that proposed it."""
    what: str
    """What it was about, in one line."""
    how: str
    """What became of it, in one line."""
    at: float
    """When it ended, in seconds since 1970."""


class EndedProposals:
    """Belongs to the loop. Bounded: however many a caller proposes and lets go, a few lines tell of them."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._by_caller: dict[str, list[EndedProposal]] = {}
        self._more: dict[str, int] = {}
        self.changed: Callable[[], None] | None = None
        """Called after something was added or seen, so that it can be kept."""

    def add(self, ended: EndedProposal) -> None:
        """Tell of one more, unless it is told of already."""
        if ended.id in self:
            return
        self._put(ended)
        self._tell()

    def __contains__(self, id: str) -> bool:
        return any(one.id == id for of_caller in self._by_caller.values() for one in of_caller)

    def all(self) -> list[EndedProposal]:
        """Those that are told one by one, oldest first."""
        return sorted((one for of_caller in self._by_caller.values() for one in of_caller), key=lambda one: one.at)

    def more(self) -> dict[str, int]:
        """How many others there are of a caller, where there are any."""
        return dict(self._more)

    def seen(self, ids: Iterable[str]) -> None:
        """The person knows of these; with the last one of a caller, also of the others that were only counted."""
        known = set(ids)
        for caller, of_caller in list(self._by_caller.items()):
            left = [one for one in of_caller if one.id not in known]
            if len(left) < len(of_caller):
                self._by_caller[caller] = left
            if not left:
                del self._by_caller[caller]
                self._more.pop(caller, None)
        self._tell()

    def restore(self, ended: Iterable[EndedProposal], more: dict[str, int]) -> None:
        """Take in what was kept over a restart."""
        for one in ended:
            self._put(one)
        for caller in self._by_caller.keys() & more.keys():
            self._more[caller] = self._more.get(caller, 0) + more[caller]
        self._events.changed()

    def _put(self, ended: EndedProposal) -> None:
        of_caller = self._by_caller.setdefault(ended.by, [])
        of_caller.append(ended)
        if len(of_caller) > KEPT_PER_CALLER:
            del of_caller[0]
            self._more[ended.by] = self._more.get(ended.by, 0) + 1
        if len(self._by_caller) > MAX_CALLERS:
            first = next(iter(self._by_caller))
            del self._by_caller[first]
            self._more.pop(first, None)

    def _tell(self) -> None:
        if self.changed is not None:
            self.changed()
        self._events.changed()
