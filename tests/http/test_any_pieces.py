"""However a stream of requests is cut into pieces, the answers are those that the server alone would have given."""

import asyncio
import json

import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as some
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from cmdr.http.connection import Connection

REQUESTS = some.sampled_from(
    [
        b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        b"DELETE /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost:x\r\ncontent-length:  4\r\n\r\nfour",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"PUT /%20 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n!",
        b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /old HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
    ]
)


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self):
        super().__init__()
        self.written, self._closing = b"", False

    def write(self, data):
        assert not self._closing
        self.written += data

    def close(self):
        self._closing = True

    def is_closing(self):
        return self._closing

    def pause_reading(self):
        """Everything comes from us."""

    resume_reading = pause_reading


async def tell(scope, receive, send):
    """Answers with everything it was asked."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await asyncio.sleep(0)
    told = {name: repr(scope[name]) for name in ("method", "path", "raw_path", "query_string", "headers")}
    answer = json.dumps({**told, "body": repr(body)}).encode()
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


async def answers(protocol, pieces):
    """All that comes back, and whether the connection was ended."""
    config = uvicorn.Config(tell, lifespan="off", log_config=None, http=protocol, ws="none")
    config.load()
    wire, state = Wire(), ServerState()
    end = protocol(config, state, {})
    end.connection_made(wire)
    for piece, patience in pieces:
        if not wire.is_closing():
            end.data_received(piece)
        for _ in range(patience):
            await asyncio.sleep(0)
    for _ in range(200):
        await asyncio.sleep(0)
    closing = wire.is_closing()
    end.connection_lost(None)
    for task in list(state.tasks):
        task.cancel()
    await asyncio.gather(*state.tasks, return_exceptions=True)
    # Of a refusal only that it comes and ends the connection: uvicorn leaves out its text when the request before it is
    # still being answered.
    answered, refusal, _ = wire.written.partition(b"HTTP/1.1 400 Bad Request\r\n")
    return answered, refusal, closing


@settings(deadline=None)
@given(some.lists(REQUESTS, min_size=1, max_size=5), some.data())
def test_the_answers_are_the_same(requests, data):
    stream = b"".join(requests)
    cuts = sorted(data.draw(some.sets(some.integers(1, len(stream)), max_size=8)))
    if data.draw(some.booleans()):  # each request whole, as clients send them
        cuts = [sum(map(len, requests[: place + 1])) for place in range(len(requests))]
    pieces = [
        (stream[start:stop], data.draw(some.sampled_from([0, 1, 20])))
        for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)
        if start < stop
    ]
    ours, theirs = (asyncio.run(answers(protocol, pieces)) for protocol in (Connection, HttpToolsProtocol))
    assert ours == theirs
