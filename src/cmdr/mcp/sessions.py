"""The sessions of older clients: each belongs to whoever opened it, and nobody can take the place of all others.

The SDK keeps a session, some forty kilobytes, until its client ends it or says nothing for half an hour, and many
clients never end theirs. So there are only so many: the one used least recently is ended for its client, as if it had
asked. A client whose session has ended opens another, as the protocol tells it to.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cmdr.core.admission.limits import MCP_SESSION_IDLE_S, MCP_SESSIONS, Concurrency
from cmdr.core.dispatch.principals import Principal
from cmdr.http.authentication import PRINCIPAL

SESSION_ID = b"mcp-session-id"

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(slots=True, eq=False)
class _Held:
    """A session that is open."""

    used: float
    under_way: int = 0
    """Requests that the SDK has not answered yet: a standing stream, or a call that waits for somebody."""


class Sessions:
    """Stands before the SDK's application."""

    def __init__(
        self,
        app: ASGIApp,
        limit: Concurrency = MCP_SESSIONS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._limit = limit
        self._clock = clock
        self._held: dict[str, dict[bytes, _Held]] = {}
        """Of each caller, its sessions in the order of use."""
        self.on_end: Callable[[bytes], None] = _unheard_of
        """Learns of each session that has ended."""
        self.on_gone: Callable[[str], None] = _nobody
        """Learns of each caller whose last session has ended."""

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope[PRINCIPAL]
        caller = principal.id
        named = next((value for key, value in scope["headers"] if key == SESSION_ID), None)
        is_end = scope["method"] == "DELETE"
        opened = False

        def note(status: int, headers: Headers) -> None:
            nonlocal opened
            session = next((value for key, value in headers if key.lower() == SESSION_ID), named)
            if session is not None and (status == 404 or is_end):
                self._forget(caller, session)
            elif session is not None and status < 400:
                opened = self._note(caller, session)

        line = _Line(receive, send, note)
        held = None if named is None else self._held.get(caller, {}).get(named)
        try:
            if held is not None:
                held.under_way += 1
            await self._app(_as_user(scope, caller), line.receive, line.send)
        finally:
            if held is not None:
                held.under_way -= 1
            line.cut()
        if opened:
            await self._make_room(caller)

    def _note(self, caller: str, id: bytes) -> bool:
        """Remember a session as the one used last; whether it is a new one."""
        held, now = self._held.setdefault(caller, {}), self._clock()
        one = held.pop(id, None)
        held[id] = one or _Held(now)
        held[id].used = now
        return one is None

    def _forget(self, caller: str, id: bytes) -> None:
        held = self._held.get(caller, {})
        was_open = held.pop(id, None) is not None
        if was_open:
            self.on_end(id)
        if not held:
            self._held.pop(caller, None)
            if was_open:
                self.on_gone(caller)

    async def _make_room(self, caller: str) -> None:
        """A session was opened: others end that nobody uses, or that are too many."""
        for each, id in self._left():
            await self._end(each, id)
        if len(self._held.get(caller, ())) > self._limit.per_caller:
            await self._end(*self._least_missed([caller]))
        if len(self) > self._limit.total:
            await self._end(*self._least_missed(self._held))

    def _left(self) -> list[tuple[str, bytes]]:
        now = self._clock()
        return [
            (caller, id)
            for caller, held in self._held.items()
            for id, one in held.items()
            if not one.under_way and now - one.used > MCP_SESSION_IDLE_S
        ]

    def _least_missed(self, callers: Iterable[str]) -> tuple[str, bytes]:
        """The session unused for longest; if possible not its caller's last, and none that waits for an answer."""

        def missed(found: tuple[str, bytes]) -> tuple[bool, bool, float]:
            caller, id = found
            one = self._held[caller][id]
            return id == next(reversed(self._held[caller])), one.under_way > 0, one.used

        return min(((caller, id) for caller in callers for id in self._held[caller]), key=missed)

    async def _end(self, caller: str, id: bytes) -> None:
        self._forget(caller, id)
        scope: Scope = {
            "type": "http",
            "method": "DELETE",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(SESSION_ID, id)],
        }
        await self._app(_as_user(scope, caller), _nothing_more, _unheard)


class _Line:
    """Both directions of a request, until it is answered.

    The SDK keeps the last request of each session for as long as the session lives; one whose line was cut holds on to
    nothing of its connection.
    """

    __slots__ = ("_note", "_receive", "_send")

    def __init__(self, receive: Receive, send: Send, note: Callable[[int, Headers], None]) -> None:
        self._receive: Receive | None = receive
        self._send: Send | None = send
        self._note: Callable[[int, Headers], None] | None = note

    async def receive(self) -> Message:
        """What the client sends; once the line is cut, that it is gone."""
        return await _nothing_more() if self._receive is None else await self._receive()

    async def send(self, message: Message) -> None:
        """Send on, and note what the head of the answer says."""
        if self._note is not None and message["type"] == "http.response.start":
            self._note(message["status"], message["headers"])
        if self._send is not None:
            await self._send(message)

    def cut(self) -> None:
        """The request is answered."""
        self._receive = self._send = self._note = None


def _as_user(scope: Scope, caller: str) -> Scope:
    """The request as the SDK knows its sender: a session answers only to the one who opened it."""
    return {**scope, "user": _user(caller)}


@lru_cache(MCP_SESSIONS.total)
def _user(caller: str) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=caller, scopes=[]))


async def _nothing_more() -> Message:
    return {"type": "http.disconnect"}


async def _unheard(message: Message) -> None:
    """Nobody asked, so nobody is told."""


def _nobody(caller: str) -> None:
    """Until somebody wants to know."""


def _unheard_of(session: bytes) -> None:
    """Nobody wants to know."""
