"""One connection: requests in any pieces, heads within bounds, and answers that are never garbled."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from uvicorn.server import ServerState

from cmdr.http import connection
from cmdr.http.connection import Connection

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
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def read_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return await reader.readexactly(length)


def run(scene):
    asyncio.run(asyncio.wait_for(scene(), 60))


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


def test_a_connection_on_which_nothing_more_is_asked_is_closed():
    async def scene():
        async with served(echo, timeout_keep_alive=0.01) as (reader, writer, _):
            writer.write(post(b"only"))
            assert await read_answer(reader) == b"only"
            assert await reader.read() == b""

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
            while not ends[0].pipeline:
                await asyncio.sleep(0)
            may_end.set()
            assert [await read_answer(reader) for _ in range(3)] == [b"first", b"second", b"third"]
            writer.write(post(b"fourth"))
            assert await read_answer(reader) == b"fourth"

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


@pytest.mark.parametrize("value", [b"a\r\nSet-Cookie: b", b"a\nb", b"a\rb", b"a\0b"])
def test_no_header_can_bring_another_into_the_answer(value):
    async def scene():
        async with served(answering({"body": b"ok"}, headers=[(b"x-name", value)])) as (reader, writer, _):
            writer.write(GET)
            told = await reader.read()
            assert b"x-name" not in told.lower()
            assert b"set-cookie" not in told.lower()

    run(scene)


@pytest.mark.parametrize("body", [b"longer", b"s"])
def test_an_answer_of_another_length_than_told_ends_the_connection(body):
    async def scene():
        async with served(answering({"body": body}, headers=[(b"content-length", b"3")])) as (reader, writer, _):
            writer.write(GET)
            told = await reader.read()  # it ends
            assert len(told.partition(b"\r\n\r\n")[2]) < 3

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


def test_the_deadline_of_a_head_does_not_end_an_answer_that_takes_longer(monkeypatch):
    monkeypatch.setattr(connection, "HEAD_TIMEOUT_S", 0.02)

    async def slow(scope, receive, send):
        await asyncio.sleep(0.1)
        await echo(scope, receive, send)

    async def scene():
        async with served(slow) as (reader, writer, _):
            for body in (b"first", b"second"):
                writer.write(post(body))
                assert await read_answer(reader) == body

    run(scene)


CHUNKED = HEAD % (b"POST", b"Transfer-Encoding: chunked\r\n") + b"1\r\nx\r\n0\r\n"


@pytest.mark.parametrize(
    "begun", [b"GET /x HTTP/1.1\r\n", b"GET /x HTTP/1.1\r\nLong: ", CHUNKED, CHUNKED + b"Long: "], ids=range(4)
)
def test_a_head_without_end_is_refused(begun):
    """The parser would take it in for as long as there is memory."""

    async def never(scope, receive, send):
        await asyncio.sleep(60)

    async def scene():
        async with served(never) as (reader, writer, ends):
            writer.write(begun)
            while not ends or not ends[0].transport.is_closing():
                writer.write((b"x" if begun.endswith(b" ") else b"X: y\r\n") * 1000)
                await asyncio.sleep(0)
            assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
            await asyncio.sleep(0)
            for task in list(ends[0].tasks):
                task.cancel()

    run(scene)


def test_a_head_without_end_behind_half_an_answer_cuts_the_line():
    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await asyncio.sleep(60)

    async def scene():
        async with served(half) as (reader, writer, ends):
            writer.write(CHUNKED)
            assert (await reader.readuntil(b"\r\n\r\na")).startswith(b"HTTP/1.1 200 ")
            with suppress(ConnectionError):
                while not ends[0].transport.is_closing():
                    writer.write(b"X: y\r\n" * 1000)
                    await asyncio.sleep(0)
                assert await reader.read() == b""
            for task in list(ends[0].tasks):
                task.cancel()

    run(scene)


def test_what_follows_a_body_in_chunks_is_no_header():
    async def told(scope, receive, send):
        names = b" ".join(name for name, _ in scope["headers"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(names))]})
        await send({"type": "http.response.body", "body": names})

    async def scene():
        async with served(told) as (reader, writer, _):
            writer.write(CHUNKED + b"Authorization: x\r\n\r\n")
            assert await read_answer(reader) == b"host transfer-encoding"

    run(scene)
