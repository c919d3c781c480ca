"""JSON-RPC as it goes over the editor socket: one message a frame, ids kept exactly as they came."""

import json
from dataclasses import dataclass
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class NotAMessage(Exception):
    """A frame that is no JSON-RPC message."""

    def __init__(self, code: int, text: str, id: Any = None) -> None:
        super().__init__(text)
        self.code = code
        self.id = id


@dataclass(frozen=True, slots=True)
class Message:
    """One message: a request when it has an id and a method, an answer when it has no method."""

    method: str | None
    id: Any
    has_id: bool
    params: dict[str, Any]
    body: dict[str, Any]


def parse(frame: str | bytes) -> Message:
    """The message in a frame; raises `NotAMessage`."""
    try:
        body = json.loads(frame)
    except (ValueError, RecursionError):
        raise NotAMessage(PARSE_ERROR, "That is not JSON.") from None
    if not isinstance(body, dict):
        raise NotAMessage(INVALID_REQUEST, "One message a frame, as an object.")
    # The first id of a session is 0, so its presence counts and never its truth.
    has_id = "id" in body
    id = body.get("id")
    if isinstance(id, bool) or not (id is None or isinstance(id, str | int | float)):
        raise NotAMessage(INVALID_REQUEST, "An id is text or a number.")
    method = body.get("method")
    if method is None and not has_id:
        raise NotAMessage(INVALID_REQUEST, "A message has a method.")
    if method is not None and not isinstance(method, str):
        raise NotAMessage(INVALID_REQUEST, "A method is text.", id)
    params = body.get("params") or {}
    if not isinstance(params, dict):
        raise NotAMessage(INVALID_PARAMS, "Parameters are an object.", id)
    return Message(method, id, has_id, params, body)


def result(id: Any, value: Any) -> str:
    """An answer."""
    return _dumped({"jsonrpc": "2.0", "id": id, "result": value})


def failure(id: Any, code: int, text: str) -> str:
    """An answer that says what went wrong."""
    return _dumped({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})


def request(id: Any, method: str) -> str:
    """A question of ours."""
    return _dumped({"jsonrpc": "2.0", "id": id, "method": method})


def notification(method: str, params: dict[str, Any]) -> str:
    """Something the client may like to know."""
    return _dumped({"jsonrpc": "2.0", "method": method, "params": params})


def _dumped(value: dict[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair cannot be sent as UTF-8, but JSON has an escape for it.
    return text if _is_sendable(text) else json.dumps(value, separators=(",", ":"))


def _is_sendable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
