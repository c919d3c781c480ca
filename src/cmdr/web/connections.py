"""Connections that must say what they want: one that begins a request and never ends it is closed after a while."""

import asyncio
import functools
import resource
from enum import Enum

import h11
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from cmdr.core.entrance.exchange import WHOLE
from cmdr.core.entrance.guard import PEER
from cmdr.web.plain_answer import PlainAnswer
from cmdr.web.plain_request import PlainHead, plain_head

SECONDS = 20.0
"""How long the head of a request may take, from the first byte, or from the opening of the connection."""
STALLED = 30.0
"""How long a client may take nothing of an answer that is more than its line holds; then it is cut off."""
RESERVE = 256
"""Descriptors that connections leave to the person's own socket, to files and to databases."""
FEWEST = 32
TOGETHER = 0.25
"""How long the body of a plain request may take to follow its head; then h11 and the guard wait for it in their way."""


class _Awaited(Enum):
    NOTHING = 0
    HEAD = 1
    BODY = 2
    ANOTHER_REQUEST = 3


class Connection(H11Protocol):
    """One client at the other end; bodies have a deadline of their own in the guard."""

    cycle: RequestResponseCycle | None  # type: ignore[assignment] # None until the first request
    _awaited = _Awaited.NOTHING
    _due = 0.0
    """When that must have come."""
    _timer: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    """When a client that takes nothing is cut off."""
    _head: PlainHead | None = None
    """The head of the last plain request; most clients send the same one again and again."""
    _held = b""
    """A plain head and what has come of its body, or what came while a plain request is being answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come; where all places are taken, the one that has been idle for longest gives up its own."""
        super().connection_made(transport)
        # Copied into every request of this connection, with one and the same note of who is at the other end.
        self.app_state = {**self.app_state, PEER: {}}
        if len(self.connections) > most_connections() and not self._makes_room():
            transport.abort()
            return
        self._await(_Awaited.HEAD, SECONDS)

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request: a plain one is understood here, any other by h11."""
        if self._held:
            data, self._held = self._held + data, b""
        if not self._is_idle and isinstance(self.cycle, PlainAnswer):
            self._held = data  # its turn comes after the answer
            if len(data) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            return
        head = self._plain_head(data) if self._is_idle and self._h11_rests else None
        missing = -1 if head is None else len(head.raw) + head.body_length - len(data)
        if head is None or missing < 0:
            self._to_h11(data)
        elif missing:
            self._held = data
            if self._awaited is not _Awaited.BODY:
                self._unset_keepalive_if_required()
                self._await(_Awaited.BODY, TOGETHER)
        else:
            self._answer(head, data[len(head.raw) :])

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._awaited, self._held = _Awaited.NOTHING, b""
        for timer in (self._timer, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take what it asked for."""
        super().pause_writing()
        self._expect_flow()

    def resume_writing(self) -> None:
        """The client takes it again."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def timeout_keep_alive_handler(self) -> None:
        """Enough waited: close, also when the client never takes what was sent last."""
        super().timeout_keep_alive_handler()
        self._expect_flow()

    def _expect_flow(self) -> None:
        if self._stall is None:
            self._stall = self.loop.call_later(STALLED, self.transport.abort)

    def _makes_room(self) -> bool:
        """Close the connection that has waited longest for a request; False when all are being answered."""
        idle = [other for other in self.connections if isinstance(other, Connection) and other.is_waiting]
        if idle:
            min(idle, key=lambda other: other.waiting_until).give_up()
        return bool(idle)

    def give_up(self) -> None:
        """Close at once; until the loop has done so, nobody else may count on this place."""
        self._awaited = _Awaited.NOTHING
        self.transport.abort()

    @property
    def is_waiting(self) -> bool:
        """Whether nothing has been asked here that is not answered."""
        return self._awaited in (_Awaited.HEAD, _Awaited.ANOTHER_REQUEST)

    @property
    def waiting_until(self) -> float:
        """When a request must have come."""
        return self._due

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _h11_rests(self) -> bool:
        """Whether h11 is between two requests, without a piece of the next."""
        return self.conn.our_state is self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]

    def _plain_head(self, data: bytes) -> PlainHead | None:
        if self._head is None or not data.startswith(self._head.raw):
            self._head = plain_head(data)
        return self._head

    def _to_h11(self, data: bytes) -> None:
        if self._is_idle and self._awaited is not _Awaited.HEAD:
            self._await(_Awaited.HEAD, SECONDS)
        super().data_received(data)
        if not self._is_idle:
            self._awaited = _Awaited.NOTHING

    def _answer(self, head: PlainHead, body: bytes) -> None:
        self._awaited = _Awaited.NOTHING
        self._unset_keepalive_if_required()
        self.scope = {
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": "1.1",
            "server": self.server,
            "client": self.client,
            "scheme": "http",
            "method": head.method,
            "root_path": self.root_path,
            "path": head.path,
            "raw_path": head.path.encode("ascii"),
            "query_string": head.query,
            "headers": list(head.headers),
            "state": self.app_state.copy(),
            WHOLE: True,  # type: ignore[misc]
        }
        self.cycle = PlainAnswer(
            scope=self.scope,
            conn=self.conn,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            on_response=self._answered,
        )
        self.cycle.body += body
        self.cycle.more_body = False
        self.cycle.message_event.set()
        task = self.loop.create_task(self.cycle.run_asgi(self.app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def _answered(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        self._await(_Awaited.ANOTHER_REQUEST, self.timeout_keep_alive)
        if self._held:
            self.data_received(b"")

    def _await(self, what: _Awaited, seconds: float) -> None:
        """Expect something in time. One timer serves for all of it: setting another for each request would cost more
        than reading the request."""
        self._awaited, self._due = what, self.loop.time() + seconds
        if self._timer is None or self._timer.when() > self._due:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self.loop.call_at(self._due, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._awaited is _Awaited.NOTHING:
            return
        if self._due > self.loop.time():
            self._timer = self.loop.call_at(self._due, self._ring)
        elif self._awaited is _Awaited.BODY:
            data, self._held = self._held, b""
            self._to_h11(data)
        else:
            self.timeout_keep_alive_handler()


@functools.cache
def most_connections() -> int:
    """So many connections are open at once, by the descriptors this process may have."""
    return max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVE, FEWEST)
