"""The whole server over its connections: one that begins a request and never ends it is closed, and the like."""

import http.client
import json
import socket
import time

import pytest

from cmdr.core.admission.limits import Concurrency
from cmdr.http import connection
from cmdr.mcp import subscriptions

MODERN = "2026-07-28"


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(connection, "HEAD_TIMEOUT_S", 0.3)


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("said", [b"", b"G", b"GET /mcp/health HTTP/1.1\r\nHost: x\r\n"])
def test_half_a_request_is_not_waited_for_for_ever(server, said):
    with connected(server) as connection:
        connection.sendall(said)
        assert connection.recv(100) == b""


@pytest.mark.usefixtures("hasty")
def test_a_byte_now_and_then_does_not_help(server):
    with connected(server) as connection:
        started = time.monotonic()
        with pytest.raises((ConnectionError, BrokenPipeError)):
            while time.monotonic() - started < 10:
                connection.sendall(b"G")
                connection.settimeout(0.05)
                try:
                    if connection.recv(10) == b"":
                        raise ConnectionError
                except TimeoutError:
                    continue


@pytest.mark.usefixtures("hasty")
def test_one_that_has_asked_is_kept_open_between_its_requests(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for _ in range(2):
        client.request("GET", "/mcp/health")
        assert client.getresponse().read() == b'{"ok":true}'
        client.sock.settimeout(0.6)
        with pytest.raises(TimeoutError):
            client.sock.recv(1)
        client.sock.settimeout(10)
    client.close()


def test_a_list_of_a_million_numbers_is_refused_before_it_is_parsed(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"authorization": f"Bearer {server.token}", "content-type": "application/json"}
    client.request("POST", "/mcp", b"[" + b"1," * 1_000_000 + b"1]", headers)
    answer = client.getresponse()
    assert answer.status == 413
    assert b"more than 30000 values" in answer.read()
    client.close()


def test_whoever_leaves_in_the_middle_of_a_body_leaves_nothing_in_the_log(server, caplog):
    """Each one left a traceback, and a thousand of them washed everything else out of the log."""
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{" % (server.port, server.token.encode())
    )
    for _ in range(20):
        with connected(server) as connection:
            connection.sendall(head)
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    client.request("GET", "/mcp/health")
    assert client.getresponse().status == 200
    client.close()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_caller_listens_on_few_streams_side_by_side(serve, tree, monkeypatch):
    """One caller could hold every connection there is with streams that never end."""
    monkeypatch.setattr(subscriptions, "LISTEN_STREAMS", Concurrency(2, 512))
    server = serve(tree)
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"notifications": {"resourceSubscriptions": ["cmdr://state"]}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
    headers = {
        "authorization": f"Bearer {server.token}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "subscriptions/listen",
    }

    def listening():
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        client.request("POST", "/mcp", body, headers)
        answer = client.getresponse()
        while not (line := answer.readline()).lstrip(b"data: ").startswith(b"{"):
            assert line, answer.status
        return client, line

    streams = [listening() for _ in range(2)]
    refused, told = listening()
    assert b"2 streams are open already" in told
    for client, first in streams:
        assert b"error" not in first
        client.close()
    refused.close()
    while True:
        client, told = listening()
        client.close()
        if b"error" not in told:
            break  # those that were closed are counted no longer


@pytest.mark.parametrize("behind", [b"", b"  ", b"\t "])
def test_space_behind_a_header_is_no_part_of_it(server, behind):
    with connected(server) as connection:
        host = b"127.0.0.1:%d" % server.port
        connection.sendall(b"GET /mcp/health HTTP/1.1\r\nHost: " + host + behind + b"\r\nConnection: close\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
