"""One message of an agent on its way to cmdr over HTTP, what comes back, and the session of the older era.

A message says itself which era of the protocol it is of: since 2026-07-28 every request carries the version, and its
headers repeat what it asks for; before that, one handshake opens a session that later messages name.
"""

import base64
import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from cmdr.cli.bridge_endpoint import Endpoint, EndpointFinder, Unreachable

_CONNECT_SECONDS = 5.0
_ACCEPT = "application/json, text/event-stream"
_VERSION = "io.modelcontextprotocol/protocolVersion"
# Requests whose target the protocol repeats in a header, and the parameter that names it.
_NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}

Json = dict[str, Any]
_ID = "mcp-session-id"


class RequestRefused(Exception):
    """cmdr refused a message before reading it; the message says why."""


class Call:
    """One message on its way to cmdr."""

    def __init__(self, message: Json, line: bytes) -> None:
        params = message.get("params")
        self.line = line
        self.method: str | None = message.get("method")
        self.params: Json = params if isinstance(params, dict) else {}
        self.id: Any = message.get("id") if self.method is not None else None
        meta = self.params.get("_meta")
        version = meta.get(_VERSION) if isinstance(meta, dict) else None
        self.version: str | None = version if isinstance(version, str) else None
        self._connection: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self.cancelled = False
        self.is_sent = False
        """Whether cmdr may have all of it, and so may have done it; half a message is never acted on."""

    @property
    def ordered(self) -> bool:
        """Whether later messages wait for this one: the handshake, notifications and answers to the server."""
        return self.method == "initialize" or self.id is None

    def cancel(self) -> None:
        """Close the stream, which since 2026-07-28 is how a request is cancelled."""
        self.cancelled = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def again(self) -> "Call":
        """The same message, to be sent once more."""
        return Call(json.loads(self.line), self.line)

    def post(self, finder: EndpointFinder, session: Mapping[str, str]) -> http.client.HTTPResponse:
        """Send the message and wait for the head of the reply; `session` ties it to the older era's handshake.

        Raises `Unreachable` when there is nobody to send it to, and `OSError` or `HTTPException` when no reply came.
        """
        self.is_sent = False
        target = finder.find()
        try:
            self._connection = connect(target)
        except OSError:
            target = finder.find()  # it may have moved between the look and the call
            try:
                self._connection = connect(target)
            except OSError as error:
                raise Unreachable(f"cmdr is not reachable at {target.address}: {error.strerror or error}.") from error
        self._socket = self._connection.sock
        if self.cancelled:
            raise ConnectionAbortedError
        headers = target.headers({"content-type": "application/json", "accept": _ACCEPT, **self._headers(session)})
        # A message that is too long is refused while it is still being sent: the answer says so.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._connection.request("POST", target.path, self.line, headers)
            self.is_sent = True
        return self._connection.getresponse()

    def close(self) -> None:
        """Give the connection back."""
        if self._connection is not None:
            self._connection.close()

    def _headers(self, session: Mapping[str, str]) -> Mapping[str, str]:
        if self.version is None:
            return {} if self.method == "initialize" else session
        headers = {"mcp-protocol-version": self.version, "mcp-method": _header_text(self.method or "")}
        name = self.params.get(_NAMED_BY.get(self.method or "", ""))
        if isinstance(name, str):
            headers["mcp-name"] = _header_text(name)
        return headers


def connect(target: Endpoint) -> http.client.HTTPConnection:
    """Open a connection that waits for its answer without limit: a person may be thinking about it."""
    connection = http.client.HTTPConnection(target.host, target.port, timeout=_CONNECT_SECONDS)
    connection.connect()
    connection.sock.settimeout(None)
    return connection


def _header_text(value: str) -> str:
    """A value as the protocol puts it into a header: as it is, or in base64 when a header could not carry it."""
    plain = all(" " <= char <= "~" for char in value) and value == value.strip()
    if plain and not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def answers(response: http.client.HTTPResponse) -> Iterator[tuple[bytes, Json]]:
    """Every JSON-RPC message in a reply, as it came and as it reads."""
    streamed = (response.getheader("content-type") or "").startswith("text/event-stream")
    for text in _events(response) if streamed else [response.read()]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue  # an empty event, or a refusal in plain words: the caller says that there was no answer
        if isinstance(found, dict) and "jsonrpc" in found:
            yield text, found
        elif isinstance(found, dict) and isinstance(found.get("error"), str):
            raise RequestRefused(f"cmdr refused this: {found['error']}")


def _events(response: http.client.HTTPResponse) -> Iterator[bytes]:
    data: list[bytes] = []
    for raw in response:
        line = raw.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


class Session:
    """What ties the agent's messages of the older era together."""

    def __init__(self, finder: EndpointFinder) -> None:
        self._finder = finder
        self._lock = threading.Lock()
        self._headers: dict[str, str] = {}
        self._opening: Call | None = None
        self._ready: Call | None = None
        self._subscribed: dict[str, Call] = {}

    def headers(self) -> dict[str, str]:
        """What later messages carry; waits while the session is being opened again."""
        with self._lock:
            return self._headers

    def note(self, call: Call, answer: Json, response: http.client.HTTPResponse) -> None:
        """Keep what is needed to open the session again."""
        if call.version is not None or response.status >= 400:
            return
        uri = str(call.params.get("uri"))
        if call.method == "initialize":
            with self._lock:
                self._opened(call, answer, response)
        elif call.method == "notifications/initialized":
            self._ready = call
        elif call.method == "resources/subscribe" and "result" in answer:
            self._subscribed[uri] = call
        elif call.method == "resources/unsubscribe":
            self._subscribed.pop(uri, None)

    def renew(self, lost: dict[str, str]) -> list[str]:
        """Open the session again at a cmdr that does not know it; returns what may have changed meanwhile."""
        with self._lock:
            if self._headers is not lost or self._opening is None:
                return []  # done already for another call
            with contextlib.closing(self._opening.again()) as again:
                response = again.post(self._finder, {})
                for _, answer in answers(response):
                    self._opened(self._opening, answer, response)
            for call in [self._ready, *self._subscribed.values()]:
                if call is not None:
                    with contextlib.closing(call.again()) as again:
                        again.post(self._finder, self._headers).read()
            return list(self._subscribed)

    def _opened(self, call: Call, answer: Json, response: http.client.HTTPResponse) -> None:
        result, identifier = answer.get("result"), response.getheader(_ID)
        if isinstance(result, dict) and identifier is not None:
            self._opening = call
            self._headers = {_ID: identifier, "mcp-protocol-version": str(result.get("protocolVersion", ""))}
