"""A shell that an agent opened does not decide for the person: real processes, real terminals, a real server."""

import contextlib
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cmdr.core.agents import agent_detection
from cmdr.core.agents.agent_detection import MARKS, agent_above, marked
from cmdr.core.runtime.peer import client_sockets

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)

CMDR = str(Path(sys.executable).with_name("cmdr"))
BRIDGE = str(Path(sys.executable).with_name("cmdr-mcp-stdio"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the family of a process is read from /proc")


@pytest.fixture(scope="module")
def served(start_shared_server):
    """One server for all: whoever is refused leaves nothing behind but a proposal."""
    return start_shared_server()


@pytest.fixture(scope="module")
def proposal(served):
    """What nobody here may decide about, so that it still waits for the next test."""
    return proposed(served, "wanted")


def proposed(served, name):
    return re.search(r"proposal: (\S+)", served.call("mkdir", name=name))[1]


def printed(served, *words, **variables):
    """What a program that this test starts in a terminal prints, and its exit code."""
    with pty_terminal.PtyTerminal([*words], columns=240, rows=20, **served.environment, **variables) as terminal:
        code, _ = terminal.wait_end()
        return code, " ".join(terminal.screen.text.split())


def waiting(served):
    return served.call("state").count("confirmation")


def still_waits(served, proposal):
    return "pending" in served.call("command", id="proposal.state", args={"proposal": proposal})


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: mark.variable)
def test_each_mark_of_an_agents_shell_is_known(mark):
    assert mark.agent in marked({"HOME": "/", mark.variable: "1"})
    assert marked({mark.variable: ""}) is None
    assert mark.source


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_the_shell_of_an_agent_does_not_decide(served, proposal, verb):
    """`(sleep 2; echo y) | script -qc "cmdr approve ID"` in an agent's shell approved."""
    code, told = printed(served, CMDR, verb, proposal, CLAUDECODE="1")
    assert code == 1
    assert "CLAUDECODE is set, as Claude Code does" in told
    assert "Decide in cmdr's panes, or type it in a terminal of your own." in told
    assert still_waits(served, proposal)
    assert not (served.tree.left / "wanted").exists()


def test_a_shell_that_hides_its_mark_is_known_by_the_shell_above_it(served, proposal):
    line = f"env -u GEMINI_CLI {CMDR} approve {proposal}; true"
    _, told = printed(served, "/bin/sh", "-c", line, GEMINI_CLI="1")
    assert "GEMINI_CLI is set" in told
    assert still_waits(served, proposal)


def test_no_login_link_is_printed_in_the_shell_of_an_agent(served):
    code, told = printed(served, CMDR, "web", CODEX_SANDBOX="seatbelt")
    assert code == 1
    assert "/login?" not in told and "CODEX_SANDBOX is set" in told


def test_undo_in_the_shell_of_an_agent_stages_nothing(served):
    before = waiting(served)
    code, told = printed(served, CMDR, "undo", CURSOR_AGENT="1")
    assert code == 1 and "CURSOR_AGENT is set" in told
    assert waiting(served) == before


@pytest.mark.parametrize("where", ["agent port", "editor socket"])
def test_below_a_process_that_is_connected_as_an_agent_nobody_decides(served, proposal, where):
    port = served.port if where == "agent port" else editor_port(served)
    with socket.create_connection(("127.0.0.1", port)):
        code, told = printed(served, CMDR, "approve", proposal)
    assert code == 1
    assert f"process {os.getpid()} above it is connected to cmdr as an agent" in told
    assert still_waits(served, proposal)


def editor_port(served):
    (lock,) = (served.home / ".claude" / "ide").glob("*.lock")
    return int(lock.stem)


def test_below_whoever_runs_the_bridge_nobody_decides(served, proposal):
    bridge = subprocess.Popen(
        [BRIDGE], env=served.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with bridge:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        bridge.stdin.write(json.dumps(ping) + "\n")
        bridge.stdin.flush()
        bridge.stdout.readline()
        code, told = printed(served, CMDR, "approve", proposal)
        bridge.stdin.close()
    assert code == 1
    assert f"process {os.getpid()} above it runs cmdr's bridge for agents" in told


def test_a_terminal_beside_the_agent_is_the_persons(served):
    proposal = proposed(served, "granted")
    with (
        socket.create_connection(("127.0.0.1", served.port)),
        pty_terminal.PtyTerminal(
            pty_terminal.own_terminal(CMDR, "approve", proposal), columns=180, rows=20, **served.environment
        ) as prompt,
    ):
        prompt.wait("Do it? [y/N]")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.left / "granted").is_dir()


def test_the_shell_of_an_agent_may_still_look(served):
    code, told = printed(served, CMDR, "find", "readme", "--in", str(served.tree.left), CLAUDECODE="1")
    assert code == 0, told
    assert "readme.md" in told


def test_without_a_running_cmdr_the_same_holds(start_server):
    served = start_server()
    served.close()
    code, told = printed(served, CMDR, "approve", "p_x", OPENCODE="1")
    assert code == 1 and "OPENCODE is set" in told


def test_what_was_started_in_cmdrs_own_terminal_is_not_judged_by_what_is_above_cmdr():
    """The face may run below an agent, as when the person opens it in a terminal of their editor's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with (
            socket.create_connection(("127.0.0.1", port)),
            subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child,
        ):
            assert "connected to cmdr" in agent_above(child.pid, [port])
            assert agent_above(child.pid, [port], below=os.getpid()) is None
            child.communicate(b"\n")


def test_only_clients_of_the_port_count_and_the_server_itself_does_not():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            server, _ = listener.accept()
            with server:
                assert client_sockets([port]) == {os.fstat(client.fileno()).st_ino}
        with contextlib.closing(socket.socket(socket.AF_INET6)) as mapped:
            mapped.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            try:
                mapped.connect(("::ffff:127.0.0.1", port))
            except OSError:
                pytest.skip("no IPv6 here")
            assert os.fstat(mapped.fileno()).st_ino in client_sockets([port])


def test_a_process_that_is_gone_is_nobodys():
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert agent_detection._parent(gone.pid) == 0
    assert list(agent_detection._sockets(gone.pid)) == []
