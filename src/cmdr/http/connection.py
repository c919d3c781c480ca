"""One connection of the HTTP server: a slow or silent client, an endless head and a full house end it."""

import asyncio
import functools
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from cmdr.core.admission.limits import HEAD_TIMEOUT_S, MAX_OVERHEAD_BYTES, STALL_TIMEOUT_S
from cmdr.http.authentication import PEER

RESERVED_DESCRIPTORS = 256
"""Descriptors that connections leave to the person's own socket, to files and to databases."""
MIN_CONNECTIONS = 32


class Connection(HttpToolsProtocol):
    """One client at the other end; bodies have a deadline of their own in the request limits."""

    cycle: RequestResponseCycle | None  # type: ignore[assignment] # None until the first request
    _head_timer: asyncio.TimerHandle | None = None
    """Runs while a request must be begun and its head completed."""
    _stall_timer: asyncio.TimerHandle | None = None
    _overhead_bytes = 0
    _is_in_head = False

    @property
    def idle_until(self) -> float | None:
        """When this connection is closed unless a request comes; None while one is being answered."""
        timer = self._head_timer or self.timeout_keep_alive_task
        return None if timer is None else timer.when()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come; where all places are taken, the one that has been idle for longest is closed."""
        super().connection_made(transport)
        # Copied into every request of this connection, with one and the same note of who is at the other end.
        self.app_state = {**self.app_state, PEER: {}}
        if len(self.connections) > max_connections() and not self._evict_idle():
            transport.abort()
            return
        self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request."""
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self.timeout_keep_alive_handler)
        self._overhead_bytes += len(data)
        super().data_received(data)
        if self._overhead_bytes > MAX_OVERHEAD_BYTES and not self.transport.is_closing():
            if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
                self.transport.abort()  # an answer stands half written
            else:
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A request begins, perhaps while the one before it is being answered."""
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; what follows a body in chunks is none. Space behind the value is cut: the parser leaves it."""
        if self._is_in_head:
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """The head is here; one that names another server than this connection leads to is refused."""
        if not self.url.startswith(b"/"):
            raise ValueError("The target of a request is a path.")
        self._is_in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some bytes of the body."""
        self._overhead_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is here."""
        self._overhead_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        for timer in (self._head_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take what it asked for."""
        super().pause_writing()
        self._cut_if_stalled()

    def resume_writing(self) -> None:
        """The client takes it again."""
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def timeout_keep_alive_handler(self) -> None:
        """Enough waited: close, also when the client never takes what was sent last."""
        super().timeout_keep_alive_handler()
        self._cut_if_stalled()

    def evict(self) -> None:
        """Close at once; until the loop has done so, nobody else may count on this place."""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        self._unset_keepalive_if_required()
        self.transport.abort()

    def _evict_idle(self) -> bool:
        """Close the connection that has waited longest for a request; False when all are being answered."""
        idle = [
            (other.idle_until, id(other), other)
            for other in self.connections
            if isinstance(other, Connection) and other.idle_until is not None
        ]
        if idle:
            min(idle)[2].evict()
        return bool(idle)

    def _cut_if_stalled(self) -> None:
        if self._stall_timer is None:
            self._stall_timer = self.loop.call_later(STALL_TIMEOUT_S, self.transport.abort)


@functools.cache
def max_connections() -> int:
    """So many connections are open at once, by the descriptors this process may have."""
    return max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_DESCRIPTORS, MIN_CONNECTIONS)
