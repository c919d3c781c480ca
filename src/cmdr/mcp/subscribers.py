"""Who wants to hear of what: the sessions of older clients and the resources that each subscribed to.

The SDK makes a new object of a session for every request, so a session is known by its id.
"""

from collections import defaultdict
from typing import Generic, TypeVar

from cmdr.core.admission.limits import SUBSCRIPTIONS_PER_SESSION

MAX_SESSIONS = 2000
"""Sessions; when there are more, the one that came first is forgotten. One that ended is not always told."""

S = TypeVar("S")


class Subscribers(Generic[S]):
    """Sessions by what they subscribed to; nothing stays of one that wants nothing any more."""

    def __init__(self, per_session: int = SUBSCRIPTIONS_PER_SESSION, sessions: int = MAX_SESSIONS) -> None:
        self._per_session = per_session
        self._sessions = sessions
        self._wanted: dict[str, dict[str, S]] = {}
        """Of each session, what it wants to hear of, and how to tell it."""
        self._hearing: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
        """Of each resource, the sessions with the very address that each asked for."""

    def __len__(self) -> int:
        return sum(map(len, self._wanted.values()))

    def add(self, session: str, uri: str, way: S) -> bool:
        """Remember a wish; whether there was room for it."""
        wanted = self._wanted.setdefault(session, {})
        if uri not in wanted and len(wanted) >= self._per_session:
            return False
        wanted[uri] = way
        self._hearing[_resource(uri)][session, uri] = None
        if len(self._wanted) > self._sessions:
            self.forget(next(iter(self._wanted)))
        return True

    def remove(self, session: str, uri: str) -> None:
        """Forget one wish."""
        wanted = self._wanted.get(session, {})
        if wanted.pop(uri, None) is None:
            return
        if not wanted:
            del self._wanted[session]
        hearing = self._hearing[_resource(uri)]
        del hearing[session, uri]
        if not hearing:
            del self._hearing[_resource(uri)]

    def forget(self, session: str) -> None:
        """Forget all that a session wanted."""
        for uri in list(self._wanted.get(session, ())):
            self.remove(session, uri)

    def of(self, uri: str) -> list[tuple[str, str, S]]:
        """The sessions that hear of a resource: each with the address it asked for, which may name a part of it."""
        return [(session, asked, self._wanted[session][asked]) for session, asked in self._hearing.get(uri, ())]


def _resource(uri: str) -> str:
    return uri.partition("?")[0]
