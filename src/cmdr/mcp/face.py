"""The agent face: one endpoint that speaks both eras of the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cmdr import __version__
from cmdr.core.admission.limits import MAX_MCP_BODY_BYTES, MCP_SESSIONS
from cmdr.core.agents.activity import Activity
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.http.authentication import PRINCIPAL
from cmdr.mcp.resources import Resources
from cmdr.mcp.sessionless import Sessionless
from cmdr.mcp.sessions import Sessions
from cmdr.mcp.subscriptions import Subscriptions
from cmdr.mcp.tools import Tools

INSTRUCTIONS = """\
cmdr is a two-pane file commander that you share with a person: what you do shows on their screen, and they decide.
Find: query_run (names, sizes, dates, contents), cd, report. They answer with counts, samples and a set. Read: fs_read.
Propose: copy, move, delete, rename, mkdir, replace, open_diff, on paths or a set. Nothing has happened until the person
accepts: `await` the proposal to learn the outcome. Close its confirmation dialog to withdraw it.
Answers begin with OK: (it has happened) or ERROR: (what, why, what to do next).
Where you have `state`, it shows both panes: path, rows as `i:INDEX KIND NAME`, [cur] cursor, [sel] selected. `pane` is
left, right, focused or other. Rows carry a `rev`; pass it back when you count rows.
Names with spaces or odd characters are JSON-quoted; give them back as the string they stand for."""

_LISTS = CacheHint(ttl_ms=60_000, scope="public")


class McpFace:
    """Everything of the agent face that the application mounts."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        tools = Tools(commander)
        self._resources = resources = Resources(commander)
        self._subscriptions = Subscriptions(commander)
        server = Server(
            "cmdr",
            version=__version__,
            title="cmdr",
            instructions=INSTRUCTIONS,
            cache_hints={
                "tools/list": _LISTS,
                "resources/list": _LISTS,
                "resources/templates/list": _LISTS,
                "server/discover": _LISTS,
            },
            get_tool_input_schema=tools.schema,
            on_list_tools=tools.list,
            on_call_tool=tools.call,
            on_list_resources=resources.list,
            on_list_resource_templates=resources.templates,
            on_read_resource=resources.read,
            on_subscribe_resource=self._subscriptions.subscribe,
            on_unsubscribe_resource=self._subscriptions.unsubscribe,
            on_subscriptions_listen=self._subscriptions.listen,
        )
        server.middleware.clear()  # spans that nobody collects, at 7 % of each call
        self._manager = manager_of(server)
        self._sessions = sessions_of(self._manager)
        self._sessions.on_end = self._subscriptions.forget
        self._sessions.on_gone = commander.agent_tabs.gone

    def routes(self) -> list[BaseRoute]:
        """`/mcp` for every verb, and a sign of life."""
        app = StandingStreams(Sessionless(self._sessions, self._resources), self._commander.activity)
        return [*mcp_routes(app, self._commander.quitting)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while this is entered."""
        async with self._manager.run():
            self._subscriptions.start()
            try:
                yield
            finally:
                await self._subscriptions.close()


def manager_of(server: Server) -> StreamableHTTPSessionManager:
    """The transport of both eras for a server; Host and Origin are checked by authentication."""
    # Sessions are counted and ended before the SDK's own limit, which would turn away whoever comes next.
    return StreamableHTTPSessionManager(
        server, max_request_body_size=MAX_MCP_BODY_BYTES, max_sessions=2 * (MCP_SESSIONS.total or 0)
    )


def sessions_of(manager: StreamableHTTPSessionManager) -> Sessions:
    """The transport behind the rules for sessions."""
    return Sessions(StreamableHTTPASGIApp(manager))


def mcp_routes(app: ASGIApp, ending: asyncio.Event) -> list[Route]:
    """The routes of a transport that ends when `ending` is set."""
    return [Route("/mcp", _EndingStreams(app, ending)), Route("/mcp/health", _health, methods=["GET"])]


async def _health(request: Request) -> Response:
    return JSONResponse({"ok": True})


class StandingStreams:
    """Notes which clients hold a stream open: those are connected."""

    def __init__(self, app: ASGIApp, activity: Activity) -> None:
        self._app = app
        self._activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            return await self._app(scope, receive, send)
        principal: Principal = scope[PRINCIPAL]
        with self._activity.connected(principal.name):
            await self._app(scope, receive, send)


class _EndingStreams:
    """Ends the standing streams of older clients with the program, which would wait for them otherwise."""

    def __init__(self, app: ASGIApp, ending: asyncio.Event) -> None:
        self._app = app
        self._ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            return await self._app(scope, receive, send)
        is_open = False

        async def receive_or_end() -> Message:
            message = asyncio.ensure_future(receive())
            ended = asyncio.ensure_future(self._ending.wait())
            try:
                await asyncio.wait({message, ended}, return_when=asyncio.FIRST_COMPLETED)
                return message.result() if message.done() else {"type": "http.disconnect"}
            finally:
                message.cancel()
                ended.cancel()

        async def send_and_note(message: Message) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or message.get("more_body", False)
            await send(message)

        await self._app(scope, receive_or_end, send_and_note)
        if is_open and self._ending.is_set():
            await send({"type": "http.response.body", "body": b""})
