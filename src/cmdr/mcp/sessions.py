"""The sessions of older clients: each belongs to whoever opened it, and nobody can take the room of all others.

The SDK keeps a session until its client ends it or says nothing for half an hour. A client that opens one after the
other and ends none would fill the room; so the one that it used least recently is ended for it, as if it had asked.
"""

import time
from collections.abc import Callable

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cmdr.core.entrance.guard import PRINCIPAL
from cmdr.core.principals import Principal

EACH = 100
"""Sessions of one caller."""
TOGETHER = 1000
"""Sessions of all callers; when there are more, the caller with the most loses one."""
UNSEEN = 300.0
"""Seconds after which the SDK sees the next call of a session, so that it does not take the session for left."""
_ID = b"mcp-session-id"


class Sessions:
    """Stands before the SDK's application."""

    def __init__(
        self,
        app: ASGIApp,
        each: int = EACH,
        together: int = TOGETHER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._each = each
        self._together = together
        self._clock = clock
        self._held: dict[str, dict[bytes, float]] = {}
        """Of each caller, the sessions in the order of use, and when the SDK last saw each."""
        self.on_end: Callable[[bytes], None] = _unheard_of
        """Learns of each session that has ended."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope[PRINCIPAL]
        caller = principal.id
        named = next((value for key, value in scope["headers"] if key == _ID), None)
        opened: bytes | None = None

        async def send_and_note(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start":
                told = next((value for key, value in message["headers"] if key.lower() == _ID), named)
                is_over = message["status"] == 404 or scope["method"] == "DELETE"
                if told is not None and is_over:
                    self._forget(caller, told)
                elif told is not None and message["status"] < 400:
                    opened = told if self._note(caller, told) else None
            await send(message)

        await self._app(_as_user(scope, caller), receive, send_and_note)
        if opened is not None:
            await self._make_room(caller)

    def use(self, caller: str, id: bytes) -> bool:
        """Whether a call in this session can be answered without the SDK; then it was used."""
        held = self._held.get(caller, {})
        seen = held.get(id)
        if seen is None or self._clock() - seen > UNSEEN:
            return False
        held[id] = held.pop(id)
        return True

    def _note(self, caller: str, id: bytes) -> bool:
        """Remember a session as the one used last; whether it is a new one."""
        held = self._held.setdefault(caller, {})
        is_new = id not in held
        held.pop(id, None)
        held[id] = self._clock()
        return is_new

    def _forget(self, caller: str, id: bytes) -> None:
        held = self._held.get(caller, {})
        if held.pop(id, None) is not None:
            self.on_end(id)
        if not held:
            self._held.pop(caller, None)

    async def _make_room(self, caller: str) -> None:
        if len(self._held.get(caller, ())) > self._each:
            await self._end_one_of(caller)
        if sum(map(len, self._held.values())) > self._together:
            await self._end_one_of(max(self._held, key=lambda each: len(self._held[each])))

    async def _end_one_of(self, caller: str) -> None:
        oldest = next(iter(self._held[caller]))
        self._forget(caller, oldest)
        scope: Scope = {
            "type": "http",
            "method": "DELETE",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(_ID, oldest)],
        }
        await self._app(_as_user(scope, caller), _nothing_more, _unheard)


def _as_user(scope: Scope, caller: str) -> Scope:
    """The request as the SDK knows its sender: a session answers only to the one who opened it."""
    return {**scope, "user": AuthenticatedUser(AccessToken(token="", client_id=caller, scopes=[]))}


async def _nothing_more() -> Message:
    return {"type": "http.disconnect"}


async def _unheard(message: Message) -> None:
    """Nobody asked, so nobody is told."""


def _unheard_of(session: bytes) -> None:
    """Nobody wants to know."""
