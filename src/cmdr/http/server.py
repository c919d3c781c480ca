"""The HTTP server, on the loopback only."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cmdr.core.admission.limits import KEEP_ALIVE_S

if TYPE_CHECKING:
    import uvicorn

    from cmdr.core.environment import Environment
    from cmdr.http.request_limits import App

BACKLOG = 2048
"""Connections that the kernel keeps for us until we take them."""
ACCEPTS_PER_TURN = 16
"""Connections taken at each turn of the loop; with more of them a storm would hold up the person's keys."""
SHUTDOWN_TIMEOUT_S = 1
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
    # asyncio switches Nagle's delay off only for sockets that say they are TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", wanted))
        # From here on clients wait for the first answer instead of being turned away; two that bound alike find out.
        listener.listen(BACKLOG)
    except (OSError, OverflowError):
        listener.close()
        raise PortTaken(wanted) from None
    return listener


def server_of(app: App) -> uvicorn.Server:
    """The HTTP server for an application; it leaves signals, the terminal and the log to the program around it."""
    import uvicorn  # noqa: PLC0415

    from cmdr.http.connection import Connection  # noqa: PLC0415

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for listener in sockets or ():
                listener.listen(BACKLOG)  # asyncio takes its own number for both

    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
            timeout_keep_alive=KEEP_ALIVE_S,
            ws="none",
            http=Connection,
            backlog=ACCEPTS_PER_TURN,
        )
    )
