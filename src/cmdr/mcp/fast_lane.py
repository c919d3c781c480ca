"""The usual call, answered without a detour: one plain tool call of 2026-07-28 in, one JSON answer out.

The SDK sets up a connection, a dispatcher and several models for every stateless request; for a call that needs none
of them that is most of the time it takes. Whatever is not exactly such a call (another method, an older era, progress
asked for, a command that may wait, anything odd about headers or body) goes on to the SDK, untouched.
"""

import json
import logging
from typing import cast

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cmdr import __version__
from cmdr.core.commander import Commander
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.core.guard import PRINCIPAL
from cmdr.core.parameter import Arguments

log = logging.getLogger(__name__)

_ERA = "2026-07-28"
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_KNOWN_META = {_VERSION, _CAPABILITIES, _CLIENT}
_SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "cmdr", "title": "cmdr", "version": __version__}}
_FAILED = {"code": -32603, "message": "cmdr failed inside; its log says how."}


class FastLane:
    """Stands before the SDK's application on `/mcp`."""

    def __init__(self, app: ASGIApp, commander: Commander) -> None:
        self._app = app
        self._commander = commander

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = _called(scope)
        if name is None or not self._is_quick(name):
            return await self._app(scope, receive, send)
        body, whole = await _read(receive)
        call = _understood(body, name) if whole else None
        if call is None:
            return await self._app(scope, _again(body, whole, receive), send)
        id, arguments = call
        try:
            text, is_error = await self._commander.run(scope[PRINCIPAL], name, arguments), False
        except UnknownCommand as error:
            refused = {"code": -32602, "message": str(error)[:200]}
            return await _answer(send, {"jsonrpc": "2.0", "id": id, "error": refused}, status=400)
        except CommandError as error:
            text, is_error = f"ERROR: {error}", True
        except Exception:
            log.exception("%s failed", name)
            return await _answer(send, {"jsonrpc": "2.0", "id": id, "error": _FAILED})
        content = [{"text": text, "type": "text"}]
        result = {"content": content, "isError": is_error, "resultType": "complete", "_meta": _SERVER}
        await _answer(send, {"jsonrpc": "2.0", "id": id, "result": result})

    def _is_quick(self, name: str) -> bool:
        try:
            command = self._commander.registry.find(name)
        except UnknownCommand:
            return False
        return command.is_tool and not command.blocking


def _called(scope: Scope) -> str | None:
    """The tool that plain headers call, or None when they are not exactly those of such a call."""
    if scope["method"] != "POST":
        return None
    seen: dict[bytes, bytes] = {}
    for key, value in scope["headers"]:
        if key.startswith(b"mcp-"):
            if key in seen or key not in (b"mcp-protocol-version", b"mcp-method", b"mcp-name"):
                return None
            seen[key] = value
        elif key == b"accept":
            seen[key] = value
    accept = seen.get(b"accept", b"")
    if b"application/json" not in accept or b"text/event-stream" not in accept or b";" in accept:
        return None
    if seen.get(b"mcp-protocol-version") != _ERA.encode() or seen.get(b"mcp-method") != b"tools/call":
        return None
    name = seen.get(b"mcp-name", b"")
    return name.decode("ascii") if name.isascii() and name and not name.startswith(b"=?") else None


def _understood(body: bytes, name: str) -> tuple[str | int, Arguments] | None:
    """Id and arguments of a plain call, or None when there is anything more to it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or set(message) != {"jsonrpc", "id", "method", "params"}:
        return None
    id, params = message["id"], message["params"]
    if message["jsonrpc"] != "2.0" or message["method"] != "tools/call" or type(id) not in (str, int):
        return None
    if not isinstance(params, dict) or not {"name", "_meta"} <= set(params) <= {"name", "_meta", "arguments"}:
        return None
    meta, arguments = params["_meta"], params.get("arguments", {})
    if params["name"] != name or not isinstance(meta, dict) or not isinstance(arguments, dict):
        return None
    if meta.get(_VERSION) != _ERA or not isinstance(meta.get(_CAPABILITIES), dict) or not set(meta) <= _KNOWN_META:
        return None
    if meta.get(_CLIENT) is not None and not _is_client(meta[_CLIENT]):
        return None
    return id, cast("Arguments", arguments)


def _is_client(info: object) -> bool:
    return isinstance(info, dict) and all(isinstance(info.get(key), str) for key in ("name", "version"))


async def _read(receive: Receive) -> tuple[bytes, bool]:
    """The body, and whether all of it came."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts), False
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts), True


def _again(body: bytes, whole: bool, receive: Receive) -> Receive:
    """A body that was read, to be read once more."""
    told = False

    async def once_more() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False} if whole else {"type": "http.disconnect"}

    return once_more


async def _answer(send: Send, message: dict[str, object], *, status: int = 200) -> None:
    body = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
