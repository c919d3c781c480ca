"""The usual call, answered without a detour: one plain tool call in, one JSON answer out.

The SDK sets up a connection or a stream, a dispatcher and several models for every request; for a call that needs none
of them that is most of the time it takes. Whatever is more than a plain call of a command that never waits goes on to
the SDK, untouched.
"""

import json
import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from cmdr import __version__
from cmdr.core.call import Call
from cmdr.core.commander import Commander
from cmdr.core.entrance.guard import MCP, PRINCIPAL
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.core.principals import Principal
from cmdr.core.registry import Command
from cmdr.mcp.body import read_again, read_body
from cmdr.mcp.plain_call import SESSION, PlainCall, PlainHead, plain_call, plain_head
from cmdr.mcp.sessions import Sessions

log = logging.getLogger(__name__)

MOST = 64 << 10
"""Bytes of a body; a longer one is better understood once."""
_SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "cmdr", "title": "cmdr", "version": __version__}}
_AS_JSON = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_FAILED = {"code": -32603, "message": "cmdr failed inside; its log says how."}


class FastLane:
    """Stands before the application with all its routes, right behind the guard."""

    def __init__(self, app: ASGIApp, commander: Commander, sessions: Sessions) -> None:
        self.app = app
        self._commander = commander
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = self._head(scope)
        if head is None:
            return await self.app(scope, receive, send)
        body, whole = await read_body(receive)
        call = plain_call(body, head) if whole and len(body) <= MOST else None
        command = None if call is None else self._quick(call.tool)
        if call is None or command is None:
            return await self.app(scope, read_again(body, whole, receive), send)
        answer, status = await self._answer(call, command, scope[PRINCIPAL], head)
        told = _AS_JSON.encode({"jsonrpc": "2.0", "id": call.id, **answer}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(told))]
        if head.session:
            headers.append((SESSION, head.session))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": told})

    def _head(self, scope: Scope) -> PlainHead | None:
        if scope["type"] != "http" or scope["path"] != MCP or scope["method"] != "POST":
            return None
        head = plain_head(scope["headers"])
        if head is None or (head.session and not self._sessions.use(scope[PRINCIPAL].id, head.session)):
            return None
        return head if head.session or self._quick(head.tool) is not None else None

    def _quick(self, tool: str) -> Command | None:
        """The command of a tool, unless it may wait for somebody."""
        try:
            command = self._commander.registry.find(tool)
        except UnknownCommand:
            return None
        return command if command.is_tool and not command.blocking else None

    async def _answer(
        self, asked: PlainCall, command: Command, principal: Principal, head: PlainHead
    ) -> tuple[dict[str, object], int]:
        """What is told beside the id, and the status."""
        call = Call(self._commander, principal, conversation=head.session.decode("latin-1"))
        try:
            answer = await self._commander.perform(command, asked.arguments, call)
            text, is_error = answer.text, answer.failed
        except UnknownCommand as error:
            return {"error": {"code": -32602, "message": str(error)[:200]}}, 200 if head.session else 400
        except CommandError as error:
            text, is_error = f"ERROR: {error}", True
        except Exception:
            log.exception("%s failed", asked.tool)
            return {"error": _FAILED}, 200
        result: dict[str, object] = {"content": [{"text": text, "type": "text"}], "isError": is_error}
        return {"result": result if head.session else {**result, "resultType": "complete", "_meta": _SERVER}}, 200
