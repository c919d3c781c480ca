"""The HTTP server: every web-facing face behind the one guard, on the loopback only."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from cmdr.core.admission.limits import KEEP_ALIVE_S, MAX_MCP_BODY_BYTES

if TYPE_CHECKING:
    import uvicorn

    from cmdr.core.commander import Commander
    from cmdr.core.entrance.exchange import App
    from cmdr.core.entrance.guard import Verifier
    from cmdr.core.environment import Environment

WAITING = 2048
"""Connections that the kernel keeps for us until we take them."""
TAKEN_AT_ONCE = 16
"""Connections taken at each turn of the loop; with more of them a storm would hold up the person's keys."""
GRACE = 1
"""Seconds that open connections get when the program ends."""


class PortTaken(Exception):
    """Another program listens where cmdr should."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} on 127.0.0.1 is taken by another program. Choose another with --port or CMDR_MCP_PORT."
        )


def listening(port: int | None, environment: Environment) -> socket.socket:
    """The socket that agents connect to, or `PortTaken`."""
    wanted = environment.port if port is None else port
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", wanted))
        # From here on clients wait for the first answer instead of being turned away; two that bound alike find out.
        listener.listen(WAITING)
    except (OSError, OverflowError):
        listener.close()
        raise PortTaken(wanted) from None
    return listener


def application(commander: Commander, tokens: Verifier, port: int) -> App:
    """Every route of every web-facing face, behind the one guard."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    from cmdr.core.entrance.browser_login import BrowserLogin
    from cmdr.core.entrance.guard import Guard
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
    return Guard(routes, port=port, tokens=tokens, logins=login, body_limits={"/mcp": MAX_MCP_BODY_BYTES})


def http_server(commander: Commander, tokens: Verifier, port: int) -> uvicorn.Server:
    """The HTTP server; it leaves signals, the terminal and the log to the program around it."""
    import uvicorn

    from cmdr.web.connections import Connection

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for listener in sockets or ():
                listener.listen(WAITING)  # asyncio takes its own number for both
                # Inherited by every connection: with Nagle's delay the body of an answer waits 40 ms for an ACK.
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    return Server(
        uvicorn.Config(
            application(commander, tokens, port),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=KEEP_ALIVE_S,
            ws="none",
            http=Connection,
            backlog=TAKEN_AT_ONCE,
        )
    )
