"""What the system has told and the index does not show yet."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from cmdr.index.delta.watcher import WatchEvents


@dataclass(slots=True)
class PendingEvents:
    """By the id of a folder: the names that something happened to (None: any), and the moment of the first of it."""

    events: WatchEvents = field(default_factory=dict)
    working: WatchEvents = field(default_factory=dict)
    """What is being listed now."""
    lost: bool = False
    """Whether events were lost, so that everything may have changed."""
    _first: dict[int, int] = field(default_factory=dict)
    _since: dict[int, int] = field(default_factory=dict)
    _named: set[int] = field(default_factory=set)
    _working_named: set[int] = field(default_factory=set)

    def add(self, events: WatchEvents, named: Collection[int], moment: int) -> None:
        """Something more has happened; in the `named` folders more than the contents of files has changed."""
        for nid, names in events.items():
            known = self.events.get(nid, set())
            self.events[nid] = None if names is None or known is None else known | names
            self._first.setdefault(nid, moment)
        self._named.update(named)

    def take(self, nids: Iterable[int]) -> WatchEvents:
        """What happened in these folders, to be listed now."""
        self.working = {nid: self.events.pop(nid) for nid in nids}
        self._since = {nid: self._first.pop(nid) for nid in self.working}
        self._working_named = self._named & self.working.keys()
        self._named -= self._working_named
        return self.working

    def done(self) -> None:
        """What was taken shows now."""
        self.working, self._since = {}, {}
        self._working_named = set()

    def before(self, moment: int) -> set[int]:
        """The folders in which something happened up to a moment."""
        return {nid for first in (self._first, self._since) for nid, when in first.items() if when <= moment}

    def renamed(self) -> set[int]:
        """The folders in which names came or went, whenever."""
        return self._named | self._working_named
