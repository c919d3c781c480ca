"""The editor socket: who may connect is decided in the upgrade, before any frame is read."""

import asyncio
import hmac
import http
import logging
import socket
from collections.abc import Awaitable, Callable

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from cmdr.core.admission.limits import IDE_HANDSHAKES, IDE_MAX_FRAME_BYTES

log = logging.getLogger(__name__)

TOKEN_HEADER = "X-Claude-Code-Ide-Authorization"  # noqa: S105 - the name of the header, not a token
MCP = Subprotocol("mcp")
HANDSHAKE_TIMEOUT_S = 5.0


class _Connection(ServerConnection):
    """Counts the connections whose handshake is not over, and turns away those beyond the limit."""

    waiting = 0
    _counted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if _Connection.waiting >= IDE_HANDSHAKES:
            self.transport.abort()
            return
        self._counted = True
        _Connection.waiting += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.known()
        super().connection_lost(exc)

    def known(self) -> None:
        """The handshake is over."""
        if self._counted:
            self._counted = False
            _Connection.waiting -= 1


async def open_server(
    listener: socket.socket, token: str, attend: Callable[[ServerConnection], Awaitable[None]]
) -> Server:
    """Serve on a listening socket; each client that proves itself is attended to."""
    port = listener.getsockname()[1]
    hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})

    def check(connection: ServerConnection, request: Request) -> Response | None:
        refused = refusal(request.headers, token, hosts)
        if refused is None:
            if isinstance(connection, _Connection):
                connection.known()
            return None
        status, text = refused
        # Only to the log: printing on a bad token would let any local program disturb the person's screen.
        log.warning("refused an editor connection: %s", text)
        return connection.respond(status, text + "\n")

    return await serve(
        attend,
        sock=listener,
        process_request=check,
        subprotocols=[MCP],
        select_subprotocol=lambda _, offered: MCP if MCP in offered else None,
        create_connection=_Connection,
        max_size=IDE_MAX_FRAME_BYTES,
        max_queue=16,
        open_timeout=HANDSHAKE_TIMEOUT_S,
        close_timeout=1.0,
        ping_interval=30.0,
        ping_timeout=30.0,
        server_header=None,
        logger=logging.getLogger("cmdr.ide.websocket"),
    )


def refusal(headers: Headers, token: str, hosts: frozenset[str]) -> tuple[http.HTTPStatus, str] | None:
    """Why an upgrade is refused, or None."""
    try:
        host, given = headers.get("Host", ""), headers.get(TOKEN_HEADER)
    except MultipleValuesError:
        return http.HTTPStatus.BAD_REQUEST, "A header was given twice."
    # Every browser names its origin; no program that we serve does.
    if "Origin" in headers or any(name.lower().startswith("sec-fetch-") for name in headers):
        return http.HTTPStatus.FORBIDDEN, "Pages may not talk to cmdr."
    if host.lower() not in hosts:
        return http.HTTPStatus.MISDIRECTED_REQUEST, "This is not the host you asked for."
    if given is None or not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return http.HTTPStatus.UNAUTHORIZED, "The token in the lock file is needed."
    return None
