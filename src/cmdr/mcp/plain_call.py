"""A plain tool call: a name and arguments, in either era of the protocol, and nothing else that would matter.

Whatever is not exactly such a call (another method, anything odd about headers or body) is none.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from cmdr.core.parameter import Arguments

NEWER = "2026-07-28"
OLDER = frozenset({b"", b"2024-11-05", b"2025-03-26", b"2025-06-18", b"2025-11-25"})
"""The versions that open a session; clients of the first two do not name theirs."""
SESSION = b"mcp-session-id"

_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_KNOWN_META = {_VERSION, _CAPABILITIES, _CLIENT}
_RESERVED = "io.modelcontextprotocol/"


@dataclass(frozen=True, slots=True)
class PlainHead:
    """What the headers of a plain call say: the tool in the newer era, the session in the older one."""

    tool: str = ""
    session: bytes = b""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """The call itself."""

    id: str | int
    tool: str
    arguments: Arguments


def plain_head(headers: Iterable[tuple[bytes, bytes]]) -> PlainHead | None:
    """The head of a plain call, or None when the headers are not exactly those of one."""
    seen: dict[bytes, bytes] = {}
    for key, value in headers:
        if key.startswith(b"mcp-") or key == b"accept":
            if key in seen:
                return None
            seen[key] = value
    accept = seen.pop(b"accept", b"")
    if b"application/json" not in accept or b"text/event-stream" not in accept or b";" in accept:
        return None
    version = seen.pop(b"mcp-protocol-version", b"")
    if version in OLDER:
        return PlainHead(session=seen[SESSION]) if seen.keys() == {SESSION} else None
    if version != NEWER.encode() or seen.keys() != {b"mcp-method", b"mcp-name"}:
        return None
    name = seen[b"mcp-name"]
    if seen[b"mcp-method"] != b"tools/call" or not name or not name.isascii() or name.startswith(b"=?"):
        return None
    return PlainHead(tool=name.decode("ascii"))


def plain_call(body: bytes, head: PlainHead) -> PlainCall | None:
    """The call that a body holds, or None when there is anything more to it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    id, params = message["id"], message["params"]
    if message["jsonrpc"] != "2.0" or message["method"] != "tools/call" or type(id) not in (str, int):
        return None
    if not isinstance(params, dict) or not params.keys() <= {"name", "arguments", "_meta"}:
        return None
    name, arguments, meta = params.get("name"), params.get("arguments", {}), params.get("_meta", {})
    if not isinstance(name, str) or not isinstance(arguments, dict) or not isinstance(meta, dict):
        return None
    if not (_is_older_meta(meta) if head.session else name == head.tool and _is_newer_meta(meta)):
        return None
    return PlainCall(id, name, cast("Arguments", arguments))


def _is_newer_meta(meta: dict[str, object]) -> bool:
    if meta.get(_VERSION) != NEWER or not isinstance(meta.get(_CAPABILITIES), dict) or not meta.keys() <= _KNOWN_META:
        return False
    return meta.get(_CLIENT) is None or _is_client(meta[_CLIENT])


def _is_older_meta(meta: dict[str, object]) -> bool:
    """Clients put notes of their own there; a wish for progress is no matter where nothing waits."""
    return not any(key.startswith(_RESERVED) for key in meta)


def _is_client(info: object) -> bool:
    return isinstance(info, dict) and all(isinstance(info.get(key), str) for key in ("name", "version"))
