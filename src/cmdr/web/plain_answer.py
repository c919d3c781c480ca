"""The answer to a plain request: head and body leave together, and wake the client once."""

from typing import Any

from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, RequestResponseCycle

_WITHOUT_BODY = frozenset({204, 304})


class PlainAnswer(RequestResponseCycle):
    """One request that h11 never saw, and its answer; everything but the writing is uvicorn's."""

    _head = b""
    """What is written before the next part of the body."""
    _left: int | None = None
    """Bytes of the body that are still to come, where the head told their number."""
    _closes = False
    _has_body = True

    async def send(self, message: Any) -> None:
        """Write a part of the answer. A head that tells the length of its body waits for that body's beginning."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        expected = "http.response.body" if self.response_started else "http.response.start"
        if self.response_complete or message["type"] != expected:
            raise RuntimeError(f"Unexpected ASGI message {message['type']!r}.")
        if self.response_started:
            self._write_body(message.get("body", b""), is_last=not message.get("more_body", False))
        else:
            self._begin(message)

    def _begin(self, message: Any) -> None:
        status, headers = message["status"], [*self.default_headers, *message.get("headers", ())]
        length, closes = None, False
        for name, value in headers:
            if name.lower() == b"content-length":
                length = int(value)
            elif name.lower() == b"connection" and value.lower() == b"close":
                closes = True
        has_body = status not in _WITHOUT_BODY
        if has_body and length is None:
            headers.append((b"transfer-encoding", b"chunked"))
        lines = [name + b": " + value for name, value in headers]
        head = b"\r\n".join([b"HTTP/1.1 %d %b" % (status, STATUS_PHRASES[status]), *lines])
        if not head.count(b"\r") == head.count(b"\n") == len(lines) or b"\0" in head:
            raise RuntimeError("A header of the answer has a line break in it.")
        self.response_started = True
        self._head, self._left, self._closes, self._has_body = head + b"\r\n\r\n", length, closes, has_body
        if length is None:
            self._write(b"")  # a stream begins at once, whenever its first event comes

    def _write_body(self, body: bytes, *, is_last: bool) -> None:
        if not self._has_body:
            self._write(b"")
        elif self._left is None:
            framed = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            self._write(framed + b"0\r\n\r\n" if is_last else framed)
        else:
            self._left -= len(body)
            if self._left < 0 or (is_last and self._left):
                raise RuntimeError("The answer is not as long as its head told.")
            self._write(body)
        if is_last:
            self._complete()

    def _write(self, data: bytes) -> None:
        head, self._head = self._head, b""
        if head or data:
            self.transport.write(head + data)

    def _complete(self) -> None:
        self.response_complete = True
        self.message_event.set()
        if self._closes or not self.keep_alive:
            self.transport.close()
        self.on_response()
