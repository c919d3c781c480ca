"""What is answered without a session: resources, for anybody with curl; and in one line what a session is needed for.

    curl http://127.0.0.1:9224/mcp -H 'content-type: application/json' \\
      -d '{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "cmdr://state"}}'
"""

import json
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cmdr.core.dispatch.principals import Principal
from cmdr.http.authentication import PRINCIPAL
from cmdr.mcp.caller import OLDER_VERSIONS
from cmdr.mcp.resources import Resources
from cmdr.mcp.sessions import SESSION_ID

_NO_SESSION = (
    'No session. POST "initialize" first and send the Mcp-Session-Id of its answer with every call; '
    "resources/list and resources/read need none."
)
_BATCH = "This is a batch. Send one message at a time."
_NO_MESSAGE = 'This is no JSON-RPC 2.0 message. Send {"jsonrpc": "2.0", "id": 1, "method": …, "params": {…}}.'


class Sessionless:
    """Stands before the transport, which knows nothing outside a session and complains at length."""

    def __init__(self, app: ASGIApp, resources: Resources) -> None:
        self._app = app
        self._resources = resources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            return await self._app(scope, receive, send)
        message = await receive()  # the request limits have read all of the body
        if (answer := await self._answer(scope, message.get("body", b""))) is not None:
            return await answer(scope, receive, send)
        unread = [message]

        async def receive_again() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, receive_again, send)

    async def _answer(self, scope: Scope, body: bytes) -> Response | None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return None
        if isinstance(message, list):
            return _error(None, types.INVALID_REQUEST, _BATCH)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, types.INVALID_REQUEST, _NO_MESSAGE)
        headers = dict(scope["headers"])
        method, id = message.get("method"), message.get("id")
        is_older = headers.get(b"mcp-protocol-version", b"").decode("latin-1") in OLDER_VERSIONS
        if not is_older or SESSION_ID in headers or method == "initialize":
            return None
        if isinstance(id, bool) or not isinstance(id, str | int):
            return None
        params = message.get("params") or {}
        return await self._resource(scope[PRINCIPAL], id, method, params if isinstance(params, dict) else {})

    async def _resource(
        self, principal: Principal, id: str | int, method: object, params: dict[str, Any]
    ) -> Response | None:
        result: BaseModel
        try:
            if method == "resources/list":
                result = await self._resources.list()
            elif method == "resources/templates/list":
                result = await self._resources.templates()
            elif method == "resources/read":
                result = await self._resources.of(principal, str(params.get("uri", "")), is_older=True)
            else:
                return _error(id, types.INVALID_REQUEST, _NO_SESSION)
        except MCPError as error:
            return _error(id, error.code, error.message, 200)
        body = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return JSONResponse({"jsonrpc": "2.0", "id": id, "result": body})


def _error(id: str | int | None, code: int, message: str, status: int = 400) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}, status)
