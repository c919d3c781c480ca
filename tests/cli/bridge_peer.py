"""A real MCP server behind the guard, for the bridge to talk to; ends when its input is closed."""

import asyncio
import contextlib
import os
import socket
import sys
import threading

import mcp_types as t
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import Route

from cmdr.core import places
from cmdr.core.agents.tokens import Tokens
from cmdr.core.runtime.instance import AlreadyRunning, Instance
from cmdr.http.authentication import PRINCIPAL, Authentication

STATE = "cmdr://state"
YES = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}
bus = InMemorySubscriptionBus()
listen = ListenHandler(bus)
sessions: dict[str, set] = {}
events: list[str] = []
wakes: list[asyncio.Event] = []


def ok(text):
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)])


async def list_tools(ctx, params):
    if path := os.environ.get("PEER_HANGS"):
        await asyncio.to_thread(lambda: open(path, "w").close())  # a pipe: whoever reads it learns that we hang
        await asyncio.Event().wait()
    names = ["echo", "who", "slow", "wait", "wake", "ask", "touch", "events", "die"]
    tools = [t.Tool(name=name, input_schema={"type": "object"}) for name in names]
    looks = t.ToolAnnotations(read_only_hint=True)
    return t.ListToolsResult(tools=[*tools, t.Tool(name="watch", input_schema={"type": "object"}, annotations=looks)])


async def call_tool(ctx, params):
    given = params.arguments or {}
    match params.name:
        case "echo":
            return ok(given["text"])
        case "who":
            return ok(ctx.request.scope[PRINCIPAL].id)
        case "slow":
            for step in range(3):
                await ctx.session.report_progress(step + 1, 3, f"step {step + 1}")
            return ok("3 steps")
        case "wait" | "watch":
            wakes.append(asyncio.Event())
            events.append("waiting")
            try:
                await wakes[-1].wait()
            except asyncio.CancelledError:
                events.append("cancelled")
                raise
            return ok("woken")
        case "wake":
            for wake in wakes:
                wake.set()
            return ok("done")
        case "ask":
            return await ask(ctx, params)
        case "touch":
            await bus.publish(ResourceUpdated(uri=STATE))
            for session in sessions.get(STATE, set()):
                await session.send_resource_updated(STATE)
            return ok("touched")
        case "events":
            return ok(" ".join(events))
        case "die":
            os._exit(3)
    raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name}")


async def ask(ctx, params):
    if ctx.protocol_version != "2026-07-28":
        answer = await ctx.session.elicit_form("Sure?", YES, related_request_id=ctx.request_id)
    elif params.input_responses:
        answer = params.input_responses["sure"]
    else:
        form = t.ElicitRequest(params=t.ElicitRequestFormParams(message="Sure?", requested_schema=YES))
        return t.InputRequiredResult(input_requests={"sure": form}, request_state="x")
    return ok(f"{answer.action} {answer.content}")


async def list_resources(ctx, params):
    return t.ListResourcesResult(resources=[t.Resource(uri=STATE, name="state")])


async def read_resource(ctx, params):
    uri = str(params.uri)
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, text=f"read {uri}")])


async def subscribe(ctx, params):
    sessions.setdefault(str(params.uri), set()).add(ctx.session)
    return t.EmptyResult()


def application():
    server = Server(
        "peer",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_subscribe_resource=subscribe,
        on_subscriptions_listen=listen,
    )
    manager = StreamableHTTPSessionManager(server)

    @contextlib.asynccontextmanager
    async def life(_):
        async with manager.run():
            yield
        listen.close()

    class Watch(StreamableHTTPASGIApp):
        async def __call__(self, scope, receive, send):
            if scope["method"] == "DELETE":
                events.append("deleted")
                if path := os.environ.get("PEER_DELETED"):
                    places.write(path, b"deleted")
            await super().__call__(scope, receive, send)

    return Starlette(lifespan=life, routes=[Route("/mcp", Watch(manager))])


def main():
    try:
        held = Instance.claim()
    except AlreadyRunning:
        sys.exit(4)
    tokens = Tokens(places.runtime(), places.state())
    tokens.renew()
    listening = socket.create_server(("127.0.0.1", int(os.environ.get("PEER_PORT", "0"))))
    port = listening.getsockname()[1]
    guard = Authentication(application(), port=port, tokens=tokens, body_limits={"/mcp": 100_000})
    server = uvicorn.Server(uvicorn.Config(guard, log_level="critical", timeout_graceful_shutdown=1))

    def until_input_ends():
        sys.stdin.read()
        server.should_exit = True

    if "PEER_STAYS" not in os.environ:
        threading.Thread(target=until_input_ends, daemon=True).start()
    with held:
        held.announce(port, "test")
        print(port, flush=True)
        asyncio.run(server.serve(sockets=[listening]))
        tokens.withdraw()


if __name__ == "__main__":
    main()
