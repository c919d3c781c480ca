"""Bad terminals and bad luck: it starts anywhere, says what is wrong, and ends in good order."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def home(tmp_path):
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "left" / "docs").mkdir(parents=True)
    (tmp_path / "right").mkdir()
    for number in range(30):
        (tmp_path / "left" / f"file{number:02}.txt").write_text("x")
    return tmp_path


def environment(home, **variables):
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_PORT": "0",
        **variables,
    }


def start(home, *, columns=80, rows=24, **variables):
    argv = [CMDR, str(home / "left"), str(home / "right")]
    return PtyTerminal(argv, columns=columns, rows=rows, **environment(home, **variables))


def record(home, seconds=60.0):
    """Where the server behind the panes listens, once it does."""
    path = home / "run" / "cmdr" / "instance.json"
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, "the server did not come up"
        time.sleep(0.02)
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    "variables",
    [
        {"TERM": "linux", "COLORTERM": ""},
        {"TERM": "xterm", "COLORTERM": ""},
        {"TERM": "vt100", "COLORTERM": ""},
        {"NO_COLOR": "1"},
        {"TERM": "screen-256color", "COLORTERM": ""},
    ],
    ids=str,
)
def test_every_terminal_shows_the_panes_and_takes_keys(home, variables):
    with start(home, CMDR_MCP_ENABLED="false", **variables) as it:
        it.wait("file05.txt")
        it.settle()
        it.send("down", "insert")
        it.wait("1 of 31 selected")
        it.wait("» file00.txt")
        it.send("f10")
        assert it.wait_end()[0] == 0
        assert not it.screen.strange


def test_it_follows_the_size_of_the_window(home):
    with start(home, CMDR_MCP_ENABLED="false") as it:
        it.wait("file05.txt")
        for columns, rows in ((40, 12), (200, 50), (80, 24)):
            it.settle()
            it.resize(columns, rows)
            it.wait(lambda screen: screen.lines[0].startswith("┌") and screen.lines[-1].lstrip().startswith("1"))
        it.send("f10")
        assert it.wait_end()[0] == 0


def test_without_a_terminal_it_says_what_to_do(home):
    done = subprocess.run([CMDR], env={**os.environ, **environment(home)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cmdr serve" in done.stderr


def test_a_second_one_says_where_the_first_listens(home):
    with start(home) as it:
        it.wait("file05.txt")
        port = record(home)["port"]
        with start(home) as second:
            code, _ = second.wait_end()
            assert code == 1
            assert f"127.0.0.1:{port}" in second.screen.text.replace("\n", "")
        it.send("f10")
        assert it.wait_end()[0] == 0


def test_a_taken_port_is_told_and_the_panes_work(home):
    with socket.create_server(("127.0.0.1", 0)) as other, start(home, CMDR_MCP_PORT=str(other.getsockname()[1])) as it:
        it.wait("Agents cannot connect")
        it.send("f10")
        assert it.wait_end()[0] == 0


def test_agents_are_served_and_quitting_with_open_streams_is_quick(home):
    with start(home) as it:
        it.wait("file05.txt")
        port = record(home)["port"]
        token = (home / "run" / "cmdr" / "token").read_text().strip()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            call = {"name": "await", "arguments": {"rev": 10**9, "timeout": 60}, "_meta": meta}
            connection.request(
                "POST",
                "/mcp",
                json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
                {
                    "content-type": "application/json",
                    "accept": "application/json, text/event-stream",
                    "authorization": f"Bearer {token}",
                    "mcp-protocol-version": "2026-07-28",
                    "mcp-method": "tools/call",
                    "mcp-name": "await",
                },
            )
            it.wait("await")
            it.send("f10")
            code, seconds = it.wait_end()
        assert code == 0
        assert seconds < 30  # it did not wait for the call, which would have taken a minute
        assert not (home / "run" / "cmdr" / "token").exists()


def test_a_hang_up_ends_it_in_good_order(home):
    with start(home) as it:
        it.wait("file05.txt")
        os.kill(it.pid, signal.SIGTERM)
        assert it.wait_end()[0] == 0


def test_a_folder_that_cannot_be_read_and_one_that_vanishes_are_told(home):
    locked = home / "left" / "docs"
    locked.chmod(0)
    with start(home, CMDR_MCP_ENABLED="false") as it:
        it.wait("docs")
        it.settle()
        if os.geteuid() != 0:
            it.send("home", "down", "enter")
            it.wait("ermission")
        locked.chmod(0o755)
        it.send("home", "down", "enter")
        it.wait("─ ~/left/docs ─")
        it.wait("file05.txt", gone=True)
        locked.rmdir()
        it.wait("Path not found")
        it.send("backspace")
        it.wait("file05.txt")
        it.send("f10")
        assert it.wait_end()[0] == 0
