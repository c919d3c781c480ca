"""Serve agents and browsers: the application, its token and control socket; alone, or behind a face."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from cmdr import __version__

if TYPE_CHECKING:
    import socket

    import uvicorn
    from starlette.applications import Starlette

    from cmdr.cli.launcher import Start
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.commander import Commander
    from cmdr.core.environment import Environment
    from cmdr.core.runtime.idle_shutdown import IdleShutdown
    from cmdr.core.runtime.instance import Instance
    from cmdr.http.authentication import Verifier
    from cmdr.http.request_limits import App


@asynccontextmanager
async def serve_agents(
    commander: Commander,
    listener: socket.socket,
    tokens: Tokens,
    instance: Instance,
    idle_shutdown: IdleShutdown | None = None,
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve agents on a socket until this is left; gives the task that ends when the person quits."""
    from cmdr.core import places
    from cmdr.core.runtime.control_socket import ControlSocket

    tokens.renew()
    commander.tokens = tokens
    try:
        port: int = listener.getsockname()[1]
        control = ControlSocket(commander, places.runtime(), idle_shutdown)
        await control.open()
        server = http_server(commander, tokens, port)
        ending = asyncio.create_task(_stop_on_quit(commander, server))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            # What is loaded by now stays; looking through all of it for garbage holds up everybody for 0.1 s each time.
            gc.freeze()
            instance.announce(port, __version__)
            yield serving
        finally:
            await control.close()
            ending.cancel()
            with suppress(asyncio.CancelledError):
                await ending
    finally:
        commander.tokens = None
        tokens.withdraw()


async def _stop_on_quit(commander: Commander, server: uvicorn.Server) -> None:
    await commander.quitting.wait()
    commander.end_agent_calls()
    server.should_exit = True


def application(commander: Commander, tokens: Verifier, port: int) -> App:
    """Every route of every web-facing face, behind authentication."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    from cmdr.core.admission.limits import MAX_MCP_BODY_BYTES
    from cmdr.http.authentication import Authentication
    from cmdr.http.browser_login import BrowserLogin
    from cmdr.mcp.face import McpFace
    from cmdr.web.face import WebFace
    from cmdr.web.replies import nothing_there

    commander.base_url = f"http://127.0.0.1:{port}"
    face = McpFace(commander)
    login = BrowserLogin()
    commander.new_login_link = lambda: f"{commander.base_url}/login?code={login.new_code()}"

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with face.running():
            yield

    web = WebFace(commander, login, port)
    routes = Starlette(
        routes=[*face.routes(), *web.routes()], lifespan=lifespan, exception_handlers={HTTPException: nothing_there}
    )
    return Authentication(routes, port=port, tokens=tokens, logins=login, body_limits={"/mcp": MAX_MCP_BODY_BYTES})


def http_server(commander: Commander, tokens: Verifier, port: int) -> uvicorn.Server:
    """The server of that application."""
    from cmdr.http.server import server_of

    return server_of(application(commander, tokens, port))


async def serve_headless(start: Start, environment: Environment, instance: Instance, listener: socket.socket) -> None:
    """Serve until asked to quit, by a command or a signal."""
    from cmdr.app.building import commander_at, editor_face, raise_file_limit
    from cmdr.core import places
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.runtime.idle_shutdown import IdleShutdown
    from cmdr.core.runtime.log_file import log_to

    raise_file_limit()
    with places.needed():
        log = log_to(places.state())
        tokens = Tokens(places.runtime(), places.state())
    async with commander_at(start, environment) as commander, editor_face(commander, start, environment, print):
        # Before anybody is told where we listen: a signal that comes right after must find its handler.
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, commander.quitting.set)
        idle_shutdown = IdleShutdown(commander, start.leave_after) if start.leave_after is not None else None
        if idle_shutdown is not None:
            idle_shutdown.start()
        instance.headless = True
        async with serve_agents(commander, listener, tokens, instance, idle_shutdown) as serving:
            gc.enable()
            print(f"cmdr {__version__} listens at {commander.base_url}/mcp", flush=True)
            print(f"token: {tokens.path}\nlog:   {log}", flush=True)
            if commander.policy.toolsets & {"fs", "shell"}:
                print(f"roots: {', '.join(map(str, commander.sandbox.roots))}", flush=True)
            for problem in (*commander.settings.problems, *commander.warnings.texts()):
                print(problem, flush=True)
                logging.getLogger(__name__).warning("%s", problem)
            await serving
        if idle_shutdown is not None:
            idle_shutdown.close()
