"""The sessions of callers: where each stands, as in a shell."""

import secrets

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotThere
from cmdr.model.names import printable
from cmdr.model.shell_session import ShellSession

MAX_SESSIONS_PER_CALLER = 100
"""Sessions of one caller; the one it used least recently makes room."""
MAX_SESSIONS = 1000
"""Sessions of all callers; one of the caller that has used none for longest makes room."""
MAX_NAME_CHARS = 64
_ID = "sh_"


class ShellSessions:
    """A caller has one for each conversation, and more under names of its own; nobody else can reach them."""

    def __init__(self, each: int = MAX_SESSIONS_PER_CALLER, together: int = MAX_SESSIONS) -> None:
        self._each = each
        self._together = together
        self._held: dict[str, dict[str, ShellSession]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    def get(self, named: str | None, principal: Principal, conversation: str, start: bytes) -> ShellSession:
        """A caller's session: the conversation's own, or one by id or name. A new one begins at `start`."""
        if named is not None and named.startswith(_ID):
            return self.find(named, principal)
        if named is not None and len(named) > MAX_NAME_CHARS:
            raise CommandError(f"A sessionId has at most {MAX_NAME_CHARS} characters.")
        held = self._held[principal.id] = self._held.pop(principal.id, {})
        key = f"named:{named}" if named else f"of:{conversation}"
        session = held.pop(key, None)
        if session is None:
            session = ShellSession(f"{_ID}{secrets.token_urlsafe(9)}", principal.id, start, start)
            if len(held) >= self._each:
                del held[next(iter(held))]
        held[key] = session  # the last one is the one used last
        if len(self) > self._together:
            caller, oldest = next(iter(self._held.items()))
            del oldest[next(iter(oldest))]
            if not oldest:
                del self._held[caller]
        return session

    def current(self, principal: Principal, conversation: str) -> ShellSession | None:
        """The conversation's own session, if it has begun."""
        return self._held.get(principal.id, {}).get(f"of:{conversation}")

    def find(self, named: str, principal: Principal) -> ShellSession:
        """A session that exists, by its id or the name its caller gave it."""
        held = self._held.get(principal.id, {})
        found = next((key for key, one in held.items() if one.id == named or key == f"named:{named}"), None)
        if found is None:
            raise NotThere(
                f"No session {printable(named, 40)}. Leave sessionId out for your own, or give a new one any name."
            )
        held[found] = held.pop(found)
        return held[found]
