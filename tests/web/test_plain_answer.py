"""Answers to plain requests: in one piece where they can be, streamed where they must be, and never garbled."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import uvicorn
from uvicorn.server import ServerState

from cmdr.web import connections
from cmdr.web.connections import Connection
from cmdr.web.plain_answer import PlainAnswer

HEAD = b"%s /x HTTP/1.1\r\nHost: a\r\n%s\r\n"
GET = HEAD % (b"GET", b"")


def post(body, sent=None):
    return HEAD % (b"POST", b"Content-Length: %d\r\n" % len(body)) + (body if sent is None else sent)


@asynccontextmanager
async def served(app, **how):
    """A connection to an application of a test's own; yields its reader, its writer and our end of it."""
    config = uvicorn.Config(app, lifespan="off", log_config=None, http=Connection, ws="none", **how)
    config.load()
    ends, state = [], ServerState()

    def connection():
        ends.append(Connection(config, state, {}))
        return ends[-1]

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    try:
        yield reader, writer, ends
    finally:
        writer.close()
        server.close()
        await asyncio.gather(*state.tasks, return_exceptions=True)


def answering(*messages, status=200, headers=()):
    async def app(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        for message in messages:
            await send({"type": "http.response.body", **message})

    return app


async def echo(scope, receive, send):
    body = (await receive())["body"]
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def read_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return await reader.readexactly(length)


def run(scene):
    asyncio.run(asyncio.wait_for(scene(), 60))


def test_head_and_body_leave_together():
    async def scene():
        async with served(echo) as (reader, writer, ends):
            writer.write(GET)
            await read_answer(reader)
            written = []
            real, ends[0].transport = ends[0].transport, _Watched(ends[0].transport, written)
            writer.write(post(b"hello"))
            assert await read_answer(reader) == b"hello"
            assert len(written) == 1
            assert isinstance(ends[0].cycle, PlainAnswer)
            ends[0].transport = real

    run(scene)


class _Watched:
    def __init__(self, transport, written):
        self._transport, self._written = transport, written

    def write(self, data):
        self._written.append(data)
        self._transport.write(data)

    def __getattr__(self, name):
        return getattr(self._transport, name)


def test_a_body_may_follow_its_head():
    async def scene():
        async with served(echo) as (reader, writer, _):
            whole = post(b"hello")
            for part in (whole[:-5], b"he", b"llo"):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)
            assert await read_answer(reader) == b"hello"

    run(scene)


def test_a_body_that_does_not_follow_soon_is_waited_for_by_h11(monkeypatch):
    monkeypatch.setattr(connections, "TOGETHER", 0.01)

    async def early(scope, receive, send):
        await echo(scope, told_at_once, send)

    async def told_at_once():
        return {"body": b"begun"}

    async def scene():
        async with served(early) as (reader, writer, ends):
            writer.write(post(b"hello", sent=b"he"))
            assert await read_answer(reader) == b"begun"
            assert not isinstance(ends[0].cycle, PlainAnswer)

    run(scene)


def test_a_connection_on_which_nothing_more_is_asked_is_closed():
    async def scene():
        async with served(echo, timeout_keep_alive=0.01) as (reader, writer, _):
            writer.write(post(b"only"))
            assert await read_answer(reader) == b"only"
            assert await reader.read() == b""

    run(scene)


def test_a_deadline_of_an_earlier_request_does_not_end_a_later_one(monkeypatch):
    """One timer serves for all: it may ring while an answer is being made, and for what came in time long ago."""
    monkeypatch.setattr(connections, "SECONDS", 0.02)

    async def scene():
        rang, real = asyncio.Event(), Connection._ring

        def ring(self):
            real(self)
            rang.set()

        monkeypatch.setattr(Connection, "_ring", ring)

        async def slow(scope, receive, send):
            await rang.wait()
            await echo(scope, receive, send)

        async with served(slow) as (reader, writer, _):
            writer.write(post(b"first"))
            assert await read_answer(reader) == b"first"
            writer.write(post(b"second"))
            assert await read_answer(reader) == b"second"

    run(scene)


def test_what_comes_during_an_answer_waits_for_its_turn():
    async def scene():
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def slow(scope, receive, send):
            begun.set()
            await may_end.wait()
            await echo(scope, receive, send)

        async with served(slow) as (reader, writer, ends):
            writer.write(post(b"first"))
            await begun.wait()
            writer.write(post(b"second") + post(b"third"))
            while not ends[0]._held:
                await asyncio.sleep(0)
            may_end.set()
            assert [await read_answer(reader) for _ in range(3)] == [b"first", b"second", b"third"]
            writer.write(post(b"fourth"))
            assert await read_answer(reader) == b"fourth"

    run(scene)


def test_much_that_comes_during_an_answer_is_not_read_yet():
    async def scene():
        may_end = asyncio.Event()

        async def slow(scope, receive, send):
            await may_end.wait()
            await echo(scope, receive, send)

        async with served(slow) as (reader, writer, ends):
            writer.write(post(b"first"))
            many = 40_000
            writer.write(post(b"x") * many)
            while not (ends and ends[0].flow.read_paused):
                await asyncio.sleep(0)
            assert len(ends[0]._held) < 1 << 20
            may_end.set()
            assert await read_answer(reader) == b"first"
            assert await read_answer(reader) == b"x"

    run(scene)


@pytest.mark.parametrize("odd", [b"X:no space\r\n", b"Accept:  two spaces\r\n"])
def test_plain_and_odd_requests_take_turns_on_one_connection(odd):
    async def scene():
        async with served(echo) as (reader, writer, _):
            for _ in range(3):
                writer.write(post(b"plain"))
                assert await read_answer(reader) == b"plain"
                writer.write(HEAD % (b"POST", odd + b"Content-Length: 3\r\n") + b"odd")
                assert await read_answer(reader) == b"odd"

    run(scene)


def test_a_stream_begins_before_its_first_event_and_comes_in_chunks():
    async def scene():
        may_go = asyncio.Event()

        async def app(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await may_go.wait()
            await send({"type": "http.response.body", "body": b"one", "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            await send({"type": "http.response.body", "body": b"two"})

        async with served(app) as (reader, writer, _):
            for _ in range(2):
                may_go.clear()
                writer.write(GET)
                head = await reader.readuntil(b"\r\n\r\n")
                assert b"transfer-encoding: chunked" in head
                may_go.set()
                assert await reader.readuntil(b"0\r\n\r\n") == b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"

    run(scene)


def test_an_answer_without_a_body_has_none():
    async def scene():
        async with served(answering({"body": b""}, status=204)) as (reader, writer, _):
            for _ in range(2):
                writer.write(GET)
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 204 No Content\r\n")
                assert b"chunked" not in head

    run(scene)


def test_an_answer_that_says_so_is_the_last():
    async def scene():
        headers = [(b"content-length", b"2"), (b"connection", b"close")]
        async with served(answering({"body": b"ok"}, headers=headers)) as (reader, writer, _):
            writer.write(GET)
            assert (await reader.read()).endswith(b"\r\n\r\nok")

    run(scene)


@pytest.mark.parametrize("value", [b"a\r\nSet-Cookie: b", b"a\nb", b"a\rb", b"a\0b"])
def test_no_header_can_bring_another_into_the_answer(value):
    async def scene():
        async with served(answering({"body": b"ok"}, headers=[(b"x-name", value)])) as (reader, writer, _):
            writer.write(GET)
            told = await reader.read()
            assert told.startswith(b"HTTP/1.1 500 ")
            assert b"x-name" not in told.lower()
            assert b"set-cookie" not in told.lower()

    run(scene)


@pytest.mark.parametrize("body", [b"longer", b"s"])
def test_an_answer_of_another_length_than_told_ends_the_connection(body):
    async def scene():
        async with served(answering({"body": body}, headers=[(b"content-length", b"3")])) as (reader, writer, _):
            writer.write(GET)
            assert body not in await reader.read()

    run(scene)


@pytest.mark.parametrize("messages", [[{}], [{"body": b"a"}, {"body": b"b"}]], ids=["twice begun", "twice ended"])
def test_messages_out_of_order_are_an_error_inside(messages):
    async def app(scope, receive, send):
        await answering(*messages, headers=[(b"content-length", b"1")])(scope, receive, send)

    async def begun_twice(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def scene():
        async with served(begun_twice if messages == [{}] else app) as (reader, writer, _):
            writer.write(GET)
            told = await reader.read()
            assert told.count(b"HTTP/1.1") == 1

    run(scene)


def test_whoever_leaves_before_the_answer_is_written_to_no_more():
    async def scene():
        begun, gone, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def app(scope, receive, send):
            await receive()
            begun.set()
            assert (await receive())["type"] == "http.disconnect"
            gone.set()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            ended.set()

        async with served(app) as (_, writer, _):
            writer.write(post(b"hello"))
            await begun.wait()
            writer.close()
            await gone.wait()
            await ended.wait()

    run(scene)
