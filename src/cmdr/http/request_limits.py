"""One request and its answer: the headers are read once, the body is counted and timed, every reply gets its headers.

What is checked of HTTP itself stands here; who may pass stands in `authentication`. Plain ASGI, standard library only.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from cmdr.core.admission.limits import MAX_HEADERS_BYTES, MAX_JSON_VALUES
from cmdr.http.admission import TooManyRequests

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[bytes, bytes]

UNAUTHENTICATED = -31001
"""JSON-RPC code for a missing or wrong token: outside the range that the protocol reserves."""

TOO_MANY = -31002
"""JSON-RPC code for a caller that sends too many requests; `retryAfterMs` says how long to wait."""

_ID_BYTES = 64 << 10

SAFE_METHODS = frozenset({"GET", "HEAD"})
_BODILESS = SAFE_METHODS | {"DELETE"}
# A second copy of one of these is how a request means one thing here and another to what stands behind it.
_ONCE = (
    b"host",
    b"origin",
    b"authorization",
    b"cookie",
    b"transfer-encoding",
    b"content-",
    b"sec-fetch-",
    b"mcp-",
    b"x-cmdr-",
)

SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Refused(Exception):
    """A request that goes no further; the sentence is safe to show to whoever sent it."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Exchange:
    """One request and its answer, within limits."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int, seconds: float) -> None:
        self.limit = limit
        self.answering: Callable[[], None] | None = None
        """Called when the answer begins."""
        self._scope = scope
        self._receive = receive
        self._send = send
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._read = 0
        self._complete = scope["type"] == "websocket"
        self._started = False
        self._closed = False
        self._ahead: list[Message] = []
        """What was read before the application asked for it."""

    async def read_ahead(self, headers: Headers) -> bool:
        """Take in the whole body, if there is one, and refuse one that would take too long to understand.

        False when its sender has left, or was sent away because it was too long or too slow.
        """
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return True
        body = bytearray()
        while not self._complete:
            message = await self.receive()
            if message["type"] != "http.request":
                return False
            body += message.get("body", b"")
        if has_too_many_values(bytes(body)):
            raise Refused(413, f"The JSON holds more than {MAX_JSON_VALUES} values. Send less at once.")
        self._ahead.append({"type": "http.request", "body": bytes(body), "more_body": False})
        return True

    async def run(self, app: App, scope: Scope) -> None:
        """Let the application answer."""
        try:
            await app(scope, self.receive, self.send)
        except Exception:
            if self._closed:
                return  # the application lost its request because we ended it
            # The server's own error page would lack the security headers; the error itself is for its log.
            if not self._started and self._scope["type"] == "http":
                await self.refuse(Refused(500, "cmdr failed to answer this; its log says why."))
            raise

    async def receive(self) -> Message:
        """The next message for the application; a body that is too long or too slow ends the exchange."""
        if self._closed:
            return {"type": "http.disconnect"}
        if self._ahead:
            return self._ahead.pop()
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            return await self._cut(Refused(408, "The body took too long to arrive."))
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._read > self.limit:
                return await self._cut(too_long(self.limit))
        return message

    async def send(self, message: Message) -> None:
        """Pass the application's reply on, with the security headers and without any that open it to other sites."""
        if self._closed:
            return
        if message["type"] in ("http.response.start", "websocket.http.response.start", "websocket.accept"):
            self._started = True
            if self.answering is not None:
                self.answering()
            message = {**message, "headers": with_security_headers(message.get("headers", ()))}
        await self._send(message)

    async def refuse(self, refused: Refused) -> None:
        """Answer with an error of one sentence."""
        body = json.dumps({"error": refused.why}).encode()
        if self._scope["type"] != "websocket":
            return await self._reply("http.response", refused.status, body)
        if "websocket.http.response" in (self._scope.get("extensions") or {}):
            return await self._reply("websocket.http.response", refused.status, body)
        await self._send({"type": "websocket.close", "code": 1008, "reason": refused.why})

    async def refuse_rpc(self, refused: Refused, headers: Headers) -> None:
        """Answer an agent's call in its own language: a 401 would send its client looking for an OAuth server."""
        error = {"code": UNAUTHENTICATED, "message": refused.why}
        answer = {"jsonrpc": "2.0", "id": await self._request_id(headers), "error": error}
        if not self._closed:  # by a body that was too long or too slow
            await self._reply("http.response", 200, json.dumps(answer).encode())

    async def refuse_rate(self, too_many: TooManyRequests, *, is_call: bool) -> None:
        """Answer one request too many without reading it, so the answer to an agent's call cannot name its id."""
        wait = too_many.retry_after_ms
        body: dict[str, Any] = {"error": str(too_many)}
        if is_call:
            error = {"code": TOO_MANY, "message": str(too_many), "data": {"retryAfterMs": wait}}
            body = {"jsonrpc": "2.0", "id": None, "error": error}
        if self._scope["type"] == "websocket":
            return await self.refuse(Refused(429, str(too_many)))
        seconds = str(-(-wait // 1000)).encode()
        await self._reply("http.response", 429, json.dumps(body).encode(), [(b"retry-after", seconds)])

    async def _request_id(self, headers: Headers) -> str | int | None:
        self.limit = min(self.limit, _ID_BYTES)
        if int(headers.get(b"content-length", b"0")) > self.limit:
            return None
        body = bytearray()
        while not self._complete:
            message = await self.receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
        try:
            found = json.loads(body)["id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        return found if isinstance(found, str | int) and not isinstance(found, bool) else None

    async def _cut(self, refused: Refused) -> Message:
        if not self._started:
            await self.refuse(refused)
        self._closed = True
        return {"type": "http.disconnect"}

    async def _reply(self, kind: str, status: int, body: bytes, more: Iterable[tuple[bytes, bytes]] = ()) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
        if kind == "http.response" and not self._complete:
            # What is left of an unread body must not be taken for the next request.
            headers.append((b"connection", b"close"))
        self._started = True
        await self._send({"type": f"{kind}.start", "status": status, "headers": with_security_headers(headers)})
        await self._send({"type": f"{kind}.body", "body": body})


def read_headers(raw: list[tuple[bytes, bytes]]) -> Headers:
    """The headers by lower-case name, once they are few and unambiguous."""
    headers: Headers = {}
    length = 0
    for original, value in raw:
        name = original.lower()
        length += len(name) + len(value) + 4
        if name in headers and name.startswith(_ONCE):
            raise Refused(400, f"The header {name.decode('latin-1')[:40]} came twice.")
        headers[name] = value
    if length > MAX_HEADERS_BYTES:
        raise Refused(431, "The headers are longer than 32 KiB.")
    if b"transfer-encoding" in headers and b"content-length" in headers:
        raise Refused(400, "A body has one length: Content-Length or Transfer-Encoding, not both.")
    return headers


def check_body(method: str, headers: Headers, limit: int) -> None:
    """Refuse a body that is not JSON, or that says itself that it is too long."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 15:
        raise Refused(400, "Content-Length is not a number.")
    if int(length) > limit:
        raise too_long(limit)
    is_empty = int(length) == 0 and b"transfer-encoding" not in headers
    # Nothing has no type; what claims one all the same is looked at like any other.
    if is_empty and (method in _BODILESS or b"content-type" not in headers):
        return
    # A form or plain text is what a page may send anywhere without being asked; JSON is not.
    kind, _, parameters = headers.get(b"content-type", b"").lower().partition(b";")
    charset = parameters.strip().removeprefix(b"charset=").strip(b'"')
    encoding = headers.get(b"content-encoding", b"identity").lower()
    if kind.strip() != b"application/json" or charset not in (b"", b"utf-8") or encoding != b"identity":
        raise Refused(415, "cmdr takes plain JSON only: send Content-Type: application/json.")


def too_long(limit: int) -> Refused:
    """The refusal of a body over its limit."""
    return Refused(413, f"The body is longer than {limit} bytes.")


def with_security_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """A reply's headers without CORS and with the security headers it does not set more narrowly itself."""
    kept = [(name, value) for name, value in headers if not name.lower().startswith(b"access-control-")]
    present = {name.lower() for name, _ in kept}
    return kept + [(name, value) for name, value in SECURITY_HEADERS if name not in present]


MIN_CHECKED_BYTES = 64 << 10
"""Bytes that cannot hold too many values."""

# What follows each comma or bracket is one value, however long, and strings hold such signs that mean nothing.
_STEP = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|([,\[{])', re.DOTALL)


def has_too_many_values(text: bytes, most: int = MAX_JSON_VALUES) -> bool:
    """Whether there are more values than anyone needs; stops at the first one too many."""
    if len(text) <= MIN_CHECKED_BYTES:
        return False
    steps = (step for step in _STEP.finditer(text) if step.lastindex)
    return any(count > most for count, _ in enumerate(steps, 1))
