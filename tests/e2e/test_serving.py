"""`cmdr serve` as a process: when it is ready, that it is alone, and how it ends."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cmdr.core.environment import Environment
from cmdr.http import server

pytestmark = pytest.mark.cold_start


def test_the_address_answers_from_the_moment_it_is_announced(start_server):
    # It used to be announced while the port was bound but nobody listened yet: the first client was turned away.
    assert start_server().exchange("GET", "/mcp/health").status == 200


def test_answers_on_a_kept_connection_are_not_held_back():
    # asyncio switches Nagle's delay off only for sockets that say they are TCP. With it, every answer that is written
    # in two pieces waits 40 ms for the client's acknowledgement.
    with server.listening(0, Environment()) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_second_start_says_where_the_first_one_listens(server):
    program = [str(Path(sys.executable).with_name("cmdr")), "serve", "--port", "0"]
    second = subprocess.run(program, env=server.environment, capture_output=True, text=True, check=False, timeout=60)
    assert second.returncode == 1
    assert second.stdout == ""
    assert f"http://127.0.0.1:{server.port}" in second.stderr
    assert str(server.process.pid) in second.stderr
    assert server.exchange("GET", "/mcp/health").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_as_quit_does(start_server, number):
    served = start_server()
    served.process.send_signal(number)
    assert served.process.wait(60) == 0
    assert "Traceback" not in served.errors() + served.log()
    assert not (served.home / "run" / "cmdr" / "instance.json").exists()
