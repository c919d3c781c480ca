"""The conformance suite's fixtures on cmdr's own transport stack: the same guard, session manager, routes and server.

Run as a program: it prints the address it listens at, and serves until its standard input ends.
"""

import asyncio
import socket
import sys
from contextlib import asynccontextmanager

import fixture_content
import fixture_tools
import mcp_types as types
from fixture_changes import Changes
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from starlette.applications import Starlette

from cmdr.core.admission.limits import MAX_MCP_BODY_BYTES
from cmdr.http.authentication import Authentication
from cmdr.http.server import server_of
from cmdr.mcp.face import manager_of, mcp_routes, sessions_of


class NoTokens:
    """The suite sends no token; the guard lets it in as a program of the same user."""

    path = "/nowhere"

    def verify(self, token):
        return None


def fixture_server(changes, listen):
    """The suite's fixtures on the low-level server that cmdr's agent face uses too."""

    async def accept(ctx, params):
        return types.EmptyResult()

    server = Server(
        "cmdr-conformance-fixtures",
        version="1",
        get_tool_input_schema=fixture_tools.schema_of,
        on_list_tools=fixture_tools.lister(changes),
        on_call_tool=fixture_tools.caller(changes),
        on_list_resources=fixture_content.list_resources,
        on_list_resource_templates=fixture_content.list_templates,
        on_read_resource=fixture_content.read_resource,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_subscriptions_listen=listen,
        on_list_prompts=fixture_content.prompt_lister(changes),
        on_get_prompt=fixture_content.get_prompt,
        on_completion=fixture_content.complete,
        on_set_logging_level=accept,
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))
    return server


def application(port):
    """What uvicorn serves."""
    bus = InMemorySubscriptionBus()
    listen = ListenHandler(bus)
    manager = manager_of(fixture_server(Changes(bus), listen))

    @asynccontextmanager
    async def lifespan(_):
        async with manager.run():
            yield
            listen.close()

    routes = Starlette(routes=mcp_routes(sessions_of(manager), asyncio.Event()), lifespan=lifespan)
    return Authentication(routes, port=port, tokens=NoTokens(), body_limits={"/mcp": MAX_MCP_BODY_BYTES})


async def serve():
    """Listen on a free port until the standard input ends."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = server_of(application(port))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving


if __name__ == "__main__":
    asyncio.run(serve())
