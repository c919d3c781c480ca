"""What is understood at a glance means the same to h11; whatever could mean anything else is left to it."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as some

from cmdr.web.plain_request import MOST_BODY, MOST_HEAD, plain_head

HOST = b"Host: 127.0.0.1:9224\r\n"


def read_by_h11(data):
    """The request and its body, as h11 reads them."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(data)
    request, body = connection.next_event(), b""
    assert isinstance(request, h11.Request)
    while isinstance(event := connection.next_event(), h11.Data):
        body += bytes(event.data)
    assert isinstance(event, h11.EndOfMessage)
    assert connection.trailing_data == (b"", False)
    assert not connection.they_are_waiting_for_100_continue
    assert connection.their_state is h11.DONE  # and not: must close
    return request, body


def check_against_h11(data):
    """Whether it is plain; if so, h11 must agree about all of it."""
    head = plain_head(data)
    if head is None or len(data) < len(head.raw) + head.body_length:
        return False
    data = data[: len(head.raw) + head.body_length]
    request, body = read_by_h11(data)
    query = b"?" + head.query if b"?" in request.target else b""
    assert (request.method, request.target) == (head.method.encode(), head.path.encode() + query)
    assert [(name, value) for name, value in request.headers] == list(head.headers)
    assert body == data[len(head.raw) :]
    return True


def test_the_usual_call_is_plain():
    data = (
        b"POST /mcp?toolsets=panes,ops HTTP/1.1\r\n" + HOST + b"Accept-Encoding: identity\r\nContent-Length: 2\r\n"
        b"accept: application/json, text/event-stream\r\nConnection: keep-alive\r\n\r\n{}"
    )
    assert check_against_h11(data)
    head = plain_head(data)
    assert (head.path, head.query, head.body_length) == ("/mcp", b"toolsets=panes,ops", 2)
    assert (b"host", b"127.0.0.1:9224") in head.headers


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"POST /mcp HTTP/1.1\r\n" + HOST,
        b"GET /mcp HTTP/1.0\r\n" + HOST + b"\r\n",
        b"get /mcp HTTP/1.1\r\n" + HOST + b"\r\n",
        b"HEAD /mcp HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET  /mcp HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /%6dcp HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET http://127.0.0.1/mcp HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /mcp HTTP/1.1\nHost: x\n\n",
        b"GET /mcp HTTP/1.1\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nAccept: x\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X : a\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X:a\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a \r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: \r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a\tb\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a\nb\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: a\rb\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"X: \xff\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + HOST + b"Upgrade: h2c\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: 1, 1\r\n\r\nx",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: +1\r\n\r\nx",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % (MOST_BODY + 1),
        b"POST /mcp HTTP/1.1\r\n" + HOST + b"X: " + b"y" * MOST_HEAD + b"\r\n\r\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_left_to_h11(data):
    assert plain_head(data) is None


LINES = some.sampled_from(
    [
        *(b"Host: localhost:1", b"host: x", b"Content-Length: 3", b"Content-Length: 0", b"content-length: 03"),
        *(b"Connection: keep-alive", b"Connection: Keep-Alive", b"Connection: close", b"Transfer-Encoding: chunked"),
        *(b"Accept: a, b", b"X-Y: 1", b"X: a  b", b"X:1", b"X: ", b" folded", b"Cookie: a=b", b"Te: x", b"A: b:c"),
    ]
)
TARGETS = some.sampled_from([b"/", b"/mcp", b"/mcp?toolsets=a", b"/a%20b", b"*", b"/x?", b"/x?a=%20", b"//y", b"/../z"])


@given(
    some.sampled_from([b"GET", b"POST", b"DELETE", b"PUT", b"get"]),
    TARGETS,
    some.lists(LINES, max_size=6),
    some.sampled_from([b"", b"abc", b"abcd"]),
)
def test_likely_requests_mean_the_same_to_both(method, target, lines, body):
    head = b"".join(line + b"\r\n" for line in [method + b" " + target + b" HTTP/1.1", b"Host: a:1", *lines])
    check_against_h11(head + b"\r\n" + body)


@given(some.integers(0, 200), some.binary(max_size=3))
def test_a_plain_request_with_any_damage_means_the_same_to_both_or_is_none(place, damage):
    whole = b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nAccept: application/json\r\n\r\n{}"
    check_against_h11(whole[:place] + damage + whole[place + 1 :])
