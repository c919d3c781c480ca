"""A cmdr that runs for agents only locks nobody out: it gives way, can be quit, and ends by itself when left alone."""

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from cmdr.core.runtime import instance

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[1] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)

CMDR = str(Path(sys.executable).with_name("cmdr"))
BRIDGE = str(Path(sys.executable).with_name("cmdr-mcp-stdio"))


@pytest.fixture
def served(start_server):
    return start_server()


@contextlib.contextmanager
def at_terminal(served, *words, **size):
    argv = pty_terminal.own_terminal(CMDR, *words)
    with pty_terminal.PtyTerminal(argv, **{"columns": 160, "rows": 30, **size}, **served.environment) as terminal:
        yield terminal


def said(served, *words):
    with at_terminal(served, *words) as terminal:
        code, _ = terminal.wait_end()
        return code, " ".join(terminal.screen.text.split())


@contextlib.contextmanager
def bridge(environment, **more):
    process = subprocess.Popen(
        [BRIDGE],
        env={**environment, **more},
        cwd=environment["HOME"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:

        def ask(tool, **arguments):
            meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            params = {"name": tool, "arguments": arguments, "_meta": meta}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())["result"]["content"][0]["text"]

        try:
            yield ask
        finally:
            process.stdin.close()


def running(environment):
    return instance.running(os.path.join(environment["XDG_RUNTIME_DIR"], "cmdr"))


def test_the_terminal_takes_the_place_of_a_cmdr_that_runs_for_agents_only(served):
    """`cmdr` said that one is running already, and there was no word to end or reach it."""
    with bridge(served.environment) as agent:
        assert "focused" in agent("state")
        with at_terminal(served, str(served.tree.left), "--port", "0") as terminal:
            terminal.wait("readme.md")
            assert served.process.wait(60) == 0
            # The agent's bridge finds the new one, whose panes the person sees.
            assert str(served.tree.left) in agent("state")
            assert not running(served.environment).headless
            terminal.send("f10")
            assert terminal.wait_end()[0] == 0


def test_a_cmdr_with_a_proposal_that_waits_stays_and_says_what_to_type(served):
    served.call("mkdir", name="wanted")
    code, told = said(served, str(served.tree.left))
    assert code == 1
    assert "1 proposal waiting for an answer" in told
    assert "`cmdr pending` shows what waits for you, `cmdr quit` ends it anyway; then type `cmdr` again." in told
    assert served.process.poll() is None


def test_quit_ends_a_cmdr_without_a_terminal(served):
    code, told = said(served, "quit")
    assert (code, told) == (0, f"cmdr (process {served.process.pid}) has quit.")
    assert served.process.wait(60) == 0
    assert said(served, "quit") == (0, "cmdr is not running.")


def test_quitting_hangs_up_on_bridges_without_a_complaint(served):
    with bridge(served.environment) as agent:
        agent("state")
        assert said(served, "quit")[0] == 0
        assert served.process.wait(60) == 0
        assert '"level": "error"' not in served.log()


def test_quit_asks_while_something_waits(served):
    served.call("mkdir", name="wanted")
    with at_terminal(served, "quit") as prompt:
        prompt.wait("Not finished: 1 proposal waiting for an answer.")
        prompt.send("enter")
        assert prompt.wait_end()[0] == 1
    assert served.process.poll() is None
    with at_terminal(served, "quit") as prompt:
        prompt.wait("Quit anyway?")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
    assert served.process.wait(60) == 0


def test_quit_is_the_persons_alone(served):
    done = subprocess.run(
        [CMDR, "quit"], env=served.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "Only a person" in done.stderr
    with pty_terminal.PtyTerminal([CMDR, "quit"], columns=160, **served.environment, CLAUDECODE="1") as prompt:
        assert prompt.wait_end()[0] == 1
        assert "CLAUDECODE" in prompt.screen.text
    assert served.process.poll() is None


@pytest.fixture
def alone(served):
    """The places of a cmdr that does not run."""
    served.close()
    return served.environment


def lingering(environment, seconds):
    """A cmdr that ends by itself, as a bridge starts it."""
    process = subprocess.Popen(
        [CMDR, "serve", "--port", "0", "--leave-after", str(seconds)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "listens at" in process.stdout.readline()
    return process


def test_a_cmdr_that_nobody_uses_ends_by_itself(alone):
    """A server that a bridge had started stayed for ever."""
    with lingering(alone, 0.2) as process:
        assert process.wait(60) == 0


def test_the_bridge_starts_one_that_ends_by_itself(alone):
    with bridge(alone, CMDR_MCP_PORT="0") as agent:
        agent("state")
        record = running(alone)
        assert record.headless
        words = psutil.Process(record.pid).cmdline()
        assert words[words.index("--leave-after") + 1] == "600"
    psutil.Process(record.pid).terminate()


def test_an_errand_waits_for_a_cmdr_that_is_just_starting(alone):
    """`cmdr serve & cmdr history` printed a traceback."""
    server = subprocess.Popen(
        [CMDR, "serve", "--port", "0"], env=alone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    with server:
        errands = [
            subprocess.Popen([CMDR, "history"], env=alone, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        for errand in errands:
            _, errors = errand.communicate(timeout=60)
            assert (errand.returncode, errors) == (0, "")
        server.terminate()
