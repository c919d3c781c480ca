"""The kernel says whose process is at the other end, and only a connection that a process still holds counts."""

import os
import socket
import subprocess
import sys

import pytest

from cmdr.core.runtime import peer
from cmdr.core.runtime.peer import kernel_knows_peers, peer_uid

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose socket it is")

CONNECT_AS = """
import encodings.idna, os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
    s.recv(1)
"""

WAYS = [pytest.param(peer._ask_kernel, id="netlink"), pytest.param(peer._read_table, id="table")]


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        yield listening


@pytest.fixture
def pair(server):
    with socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            yield client, accepted


def ends(accepted):
    return accepted.getpeername(), accepted.getsockname()


@pytest.mark.parametrize("ask", [*WAYS, pytest.param(peer_uid, id="both")])
def test_our_own_connection_is_ours(pair, ask):
    assert ask(*ends(pair[1])) == os.geteuid()


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
@pytest.mark.parametrize("ask", WAYS)
@pytest.mark.parametrize("uid", [65534, 1000, 12345])
def test_another_users_connection_is_theirs(server, ask, uid):
    port = server.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", CONNECT_AS, str(port), str(uid)]) as child:
        accepted, _ = server.accept()
        with accepted:
            assert ask(*ends(accepted)) == uid
            accepted.sendall(b".")
        assert child.wait(60) == 0


@pytest.mark.parametrize("ask", WAYS)
def test_a_client_that_ended_its_own_half_is_still_who_it_is(pair, ask):
    client, accepted = pair
    client.shutdown(socket.SHUT_WR)
    assert accepted.recv(1) == b""
    assert ask(*ends(accepted)) == os.geteuid()


@pytest.mark.parametrize("ask", [*WAYS, pytest.param(peer_uid, id="both")])
def test_a_closed_connection_is_nobody_and_not_root(server, ask):
    client = socket.create_connection(server.getsockname())
    accepted, _ = server.accept()
    with accepted:
        addresses = ends(accepted)
        client.close()
        assert accepted.recv(1) == b""
        assert ask(*addresses) is None


def test_a_connection_that_never_was_is_nobody(server):
    assert peer_uid(("127.0.0.1", 1), server.getsockname()) is None


def test_the_wrong_end_of_the_right_connection_is_nobody(pair):
    theirs, ours = ends(pair[1])
    assert peer_uid(theirs, (ours[0], ours[1] ^ 1)) is None


@pytest.mark.parametrize(
    "address", [("127.0.0.2", 5), ("10.0.0.1", 5), ("localhost", 5), ("", 5), ("127.0.0.1", 0), ("127.0.0.1", 70000)]
)
def test_an_address_that_is_not_plain_loopback_is_nobody(address):
    assert peer_uid(address, ("127.0.0.1", 9224)) is None
    assert peer_uid(("127.0.0.1", 9224), address) is None


def test_without_netlink_the_table_answers(pair, monkeypatch):
    def forbidden(theirs, ours):
        raise PermissionError

    monkeypatch.setattr(peer, "_ask_kernel", forbidden)
    assert peer_uid(*ends(pair[1])) == os.geteuid()


@pytest.mark.parametrize("text", ["", "garbage\n", "a b c\n", "  sl local rem st\n   0: x y z\n"])
def test_a_table_that_makes_no_sense_is_nobody(pair, tmp_path, text):
    table = tmp_path / "tcp"
    table.write_text(text)
    assert peer._read_table(*ends(pair[1]), table=str(table)) is None


def test_an_unreadable_table_is_nobody(pair):
    assert peer._read_table(*ends(pair[1]), table="/nonexistent") is None


def test_elsewhere_than_on_linux_nobody_is_known(pair, monkeypatch):
    assert kernel_knows_peers.__wrapped__() is True
    monkeypatch.setattr(peer.sys, "platform", "darwin")
    assert peer_uid(*ends(pair[1])) is None
    assert kernel_knows_peers.__wrapped__() is False


def test_where_no_connection_can_be_tried_the_kernel_tells_nothing(monkeypatch):
    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(peer.socket, "create_server", refused)
    assert kernel_knows_peers.__wrapped__() is False


def test_a_row_that_changes_between_two_looks_is_nobody(pair, monkeypatch):
    rows = iter([(0, 17), (0, 0)])
    monkeypatch.setattr(peer, "_row", lambda *_: next(rows))
    assert peer._read_table(*ends(pair[1])) is None


def test_listing_many_connections_leaks_no_descriptor(pair):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        peer_uid(*ends(pair[1]))
    assert len(os.listdir("/proc/self/fd")) == before
