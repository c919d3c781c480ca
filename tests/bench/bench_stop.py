"""Stop is stop: milliseconds from the key to the first refused call of an agent, in every window and state.

A real cmdr in a real pseudo-terminal, and an agent that calls it over HTTP one call after the other: each figure holds
the way of the key, of the call that was under way then, and of the one that is refused.
"""

import http.client
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench_terminal import served
from commanders import CMDR

from cmdr.tui.windows.window import GRACE_S

RUNS = 3
ESCAPES = 3

STATES = {
    "panes": ((), ""),
    "quick search": (("f", "i"), ""),
    "F1 help": (("f1",), "Keys"),
    "F9 palette": (("f9", "c", "o"), ""),
    "Ctrl+F find, with text": (("ctrl+f", "a", "b"), "ind"),
    "Alt+S settings": (("alt+s",), "ettings"),
    "agents": (("alt+a",), "Agents"),
    "jobs": (("ctrl+j",), "Jobs"),
    "history": (("alt+z",), "History"),
    "viewer": (("f3",), "content"),
    "editor": (("f4",), "content"),
    "copy dialog": (("f5",), "Copy"),
    "trash dialog": (("f8",), "rash"),
    "new folder, with text": (("f7", "n", "e", "w"), "new"),
    "rename": (("f2",), "ename"),
    "rename many": (("alt+r",), "ename"),
    "attributes": (("alt+e",), "Attributes of"),
    "go to path": (("ctrl+g",), ""),
    "bookmarks": (("ctrl+d",), ""),
    "volumes": (("ctrl+v",), ""),
    "sort": (("ctrl+s",), "Sort"),
    "treemap": (("alt+g",), ""),
    "a proposal waits": (("ctrl+y",), "rash"),
    "question of a job": (("f5", "enter"), lambda screen: "is taken" in screen.text or "which asks you" in screen.text),
    "quick view": (("ctrl+x",), ""),
    "two hundred keys wait": (("down", "up") * 100, None),
}
"""The keys that lead to a state, and what is on the screen then; None: the stop comes right behind them.

Of a job that asks the next one waits behind it: from the second run on that is what is seen.
"""


class Agent:
    """Calls one tool after the other on one connection."""

    def __init__(self, home):
        record = json.loads((home / "run" / "cmdr" / "instance.json").read_text())
        token = (home / "run" / "cmdr" / "token").read_text().strip()
        self._connection = http.client.HTTPConnection("127.0.0.1", record["port"], timeout=30)
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {token}",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
        }

    def call(self, tool, **arguments):
        """What a tool answers."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        call = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        self._connection.request("POST", "/mcp", body, {**self._headers, "mcp-name": tool})
        return json.loads(self._connection.getresponse().read())["result"]["content"][0]["text"]

    def is_stopped(self):
        """Whether the next call is refused."""
        return "stopped all agents" in self.call("state", limit=1)


def stopped_after(it, agent, keys, seen):
    """Milliseconds from the key to the first refused call, and of a call before; then agents are allowed again."""
    if seen is None:
        it.send(*keys)
    else:
        for key in keys:
            if key == "enter":
                read_for(it, GRACE_S * 1.5)  # a window that has just come takes no answer yet
            it.send(key)
            it.settle()
        if seen:
            it.wait(seen)
    begun = time.perf_counter()
    assert not agent.is_stopped()
    usual = (time.perf_counter() - begun) * 1000
    with it.read_meanwhile():
        pressed = time.perf_counter()
        it.send("ctrl+k")
        while not agent.is_stopped():
            assert time.perf_counter() - pressed < 30, "agents were never stopped"
        taken = (time.perf_counter() - pressed) * 1000
        it.send("ctrl+k")
        assert agent.is_stopped(), "a second press allowed agents again"
    allow(it, agent)
    return taken, usual


def allow(it, agent):
    """Leave every window, and let agents call again in theirs."""
    for _ in range(ESCAPES):
        it.send("escape")
        it.settle()
    it.send("alt+a")
    it.wait("allows them again")
    while agent.is_stopped():  # a window that has just come hears no key for a moment
        read_for(it, GRACE_S * 1.5)
        it.send("s")
        read_for(it, GRACE_S)
    it.send("escape")
    it.settle()


def read_for(it, seconds):
    """Read what the program writes for a while; a window that shows time never falls silent."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        it.read(left)


def main():
    root = Path(tempfile.mkdtemp(prefix="cmdr-bench-stop-"))
    left, right, home = root / "left", root / "right", root / "home"
    for folder in (left, right):
        folder.mkdir()
        for name in ("first.txt", "second.txt"):
            (folder / name).write_text("content\n")
    worst = ("", 0.0)
    print(f"from Ctrl+K to the first refused call, the worst of {RUNS}, in ms; and what a call before it took")
    with replace(CMDR, after=(str(right),)).open(left, home) as it:
        it.wait("first.txt")
        served(it, home)
        agent = Agent(home)
        it.send("down")
        it.settle()
        for state, (keys, seen) in STATES.items():
            if sys.argv[1:] and state not in sys.argv[1:]:
                continue
            found = []
            for _ in range(RUNS):
                if state == "a proposal waits":
                    agent.call("delete", paths=[str(left / "second.txt")])
                    it.wait("waits: Ctrl+Y")
                found.append(stopped_after(it, agent, keys, seen))
            taken, usual = (max(figures) for figures in zip(*found, strict=True))
            print(f"  {state:<26}{taken:8.1f}{usual:24.1f}", flush=True)
            worst = max(worst, (state, taken), key=lambda one: one[1])
    print(f"worst: {worst[0]}, {worst[1]:.1f} ms")


if __name__ == "__main__":
    main()
