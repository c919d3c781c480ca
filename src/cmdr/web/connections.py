"""Connections that must say what they want: one that begins a request and never ends it is closed after a while."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

SECONDS = 20.0
"""How long the head of a request may take, from the first byte, or from the opening of the connection."""


class Connection(H11Protocol):
    """One client at the other end; bodies have a deadline of their own in the guard."""

    cycle: RequestResponseCycle | None  # type: ignore[assignment] # None until the first request
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self._expect_a_request()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request."""
        if self._is_idle and self._deadline is None:
            self._expect_a_request()
        super().data_received(data)
        if not self._is_idle:
            self._expect_nothing()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._expect_nothing()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_a_request(self) -> None:
        self._deadline = self.loop.call_later(SECONDS, self.timeout_keep_alive_handler)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
