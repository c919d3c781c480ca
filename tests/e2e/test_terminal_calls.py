"""The person is called, and what agents opened comes to them: in a real terminal, with real calls over HTTP."""

import json
import urllib.request

import pytest
from tests.e2e.test_terminal_day import eventually, home, quit_well, start

__all__ = ["home"]
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Agent:
    """Calls tools of the cmdr that runs in a terminal, as the same user without a token."""

    def __init__(self, it, home):
        self._it, instance = it, home / "run" / "cmdr" / "instance.json"
        eventually(it, lambda: instance.exists() and json.loads(instance.read_text()).get("port"), 30)
        self._port = json.loads(instance.read_text())["port"]

    def call(self, tool, **arguments):
        told = {"name": tool, "arguments": arguments, "_meta": META}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": told}).encode()
        headers = {**HEADERS, "mcp-name": tool}
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/mcp", body, headers)
        with self._it.read_meanwhile(), urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()


def settings(home, **chosen):
    folder = home / "config" / "cmdr"
    folder.mkdir(parents=True)
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in chosen.items())
    (folder / "settings.toml").write_text(f"[agents]\n{lines}")


TERMINALS = {
    "777;notify;cmdr, 1 waiting;same-user: Create folder ": {"TERM": "foot"},
    "9;cmdr, 1 waiting: same-user: Create folder ": {"TERM_PROGRAM": "WezTerm"},
    "99;i=cmdr:d=0:p=title;cmdr, 1 waiting": {"KITTY_WINDOW_ID": "1"},
}


@pytest.mark.parametrize("begins", TERMINALS)
def test_a_proposal_rings_notifies_and_stands_in_the_title_until_it_is_answered(home, begins):
    settings(home, notify="always", windows="never")
    with start(home, **TERMINALS[begins]) as it:
        it.wait("report5.txt")
        agent = Agent(it, home)
        evil = "new\\x1b]0;mine\\x07"
        agent.call("mkdir", path=str(home / "left"), name=evil)
        it.wait("1 waits: Ctrl+Y")
        eventually(it, lambda: any(told.startswith(begins) for told in it.screen.told))
        assert it.screen.bells == 1
        assert "2;cmdr (1 waiting)" in it.screen.told
        assert b"\x1b[22;2t" in it.raw and b"\x1b[23;2t" not in it.raw
        it.send("ctrl+y")
        it.wait("Waiting for you: 1")
        it.settle(0.8)
        it.send("n")
        it.wait("Nothing waits for you any more")
        eventually(it, lambda: b"\x1b[23;2t" in it.raw)
        it.settle(0.8)
        it.send("n")
        it.wait("Nothing waits", gone=True)
        quit_well(it)
        assert not any("mine" in told.partition(";")[2] for told in it.screen.told if told.startswith("2;"))


def test_the_title_is_given_back_at_the_end(home):
    settings(home, notify="never", windows="never")
    with start(home) as it:
        it.wait("report5.txt")
        Agent(it, home).call("mkdir", path=str(home / "left"), name="new")
        it.wait("1 waits: Ctrl+Y")
        eventually(it, lambda: "2;cmdr (1 waiting)" in it.screen.told)
        quit_well(it)
        assert it.screen.bells == 0
        assert it.raw.count(b"\x1b[22;2t") == it.raw.count(b"\x1b[23;2t") == 1


def test_what_an_agent_proposes_comes_to_the_front_and_ten_are_decided_with_eleven_keys(home):
    settings(home, notify="never", windows="at once")
    with start(home, CMDR_MCP_RATE_SCALE="1000") as it:
        it.wait("report5.txt")
        agent, decided = Agent(it, home), 0
        for batch in range(2):
            for number in range(5):
                agent.call("mkdir", path=str(home / "left"), name=f"new{batch}{number}")
            it.wait("Waiting for you: 5")  # over the panes, by itself: nobody pressed a key
            it.settle(0.8)
            for left in reversed(range(5)):
                it.send("y")
                decided += 1
                it.wait(f"Waiting for you: {left}" if left else "Nothing waits for you any more")
                it.settle(0.4)
            eventually(it, lambda batch=batch: (home / "left" / f"new{batch}4").is_dir())
        assert decided == 10
        assert len([path for path in (home / "left").iterdir() if path.name.startswith("new")]) == 10
        it.settle(0.8)
        it.send("escape")
        it.wait("Nothing waits", gone=True)
        quit_well(it)
