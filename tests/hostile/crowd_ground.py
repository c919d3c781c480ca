"""A thousand clients and a person beside them: who they are, how they call, and how long each of them waits."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]

from cmdr.core import places  # noqa: E402
from cmdr.core.agents.tokens import Tokens  # noqa: E402
from conftest import MODERN, Served, plant  # noqa: E402

_META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
_OLDER = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "mad", "version": "1"}}


class Client:
    """One keep-alive connection that speaks the protocol."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.session = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def call(self, tool, arguments):
        """A tool's answer as text."""
        if self.session:
            _, told = await self.send("tools/call", {"name": tool, "arguments": arguments}, older=True)
        else:
            _, told = await self.send("tools/call", {"name": tool, "arguments": arguments, "_meta": _META}, name=tool)
        return told["result"]["content"][0]["text"] if "result" in told else f"ERROR: {told['error']['message']}"

    async def list_tools(self):
        """The status of an answer that the SDK makes."""
        return (await self.send("tools/list", {"_meta": _META}))[0]

    async def open_session(self):
        """The status of an opened session of the older era, which is never ended; later calls are made in it."""
        self.session = None
        return (await self.send("initialize", _OLDER, older=True))[0]

    async def send(self, method, params, *, name=None, older=False):
        """One message; the status and the JSON of its answer."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        )
        if not older:
            head += f"Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n"
        if self.session:
            head += f"Mcp-Session-Id: {self.session}\r\n"
        if name is not None:
            head += f"Mcp-Name: {name}\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await self.writer.drain()
        status, answer, closes = await self._answer()
        if closes:
            self.writer.close()
            await self.open()
        return status, json.loads(answer)

    async def _answer(self):
        """The JSON of an answer: at once, or as the last event of a stream when the server took its time."""
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).lower().strip().split(b"\r\n")
        headers = dict(line.split(b": ", 1) for line in lines)
        self.session = headers.get(b"mcp-session-id", b"").decode() or self.session
        status, closes = int(first.split()[1]), headers.get(b"connection") == b"close"
        if b"content-length" in headers:
            return status, await self.reader.readexactly(int(headers[b"content-length"])), closes
        body = b""
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readexactly(2)
        return status, [line[5:] for line in body.splitlines() if line.startswith(b"data:")][-1], closes

    async def close(self):
        self.writer.close()
        await self.writer.wait_closed()


def served_with(home, names, **variables):
    """A real server with named clients; it and their tokens."""
    planted = plant(Path(home) / "tree")
    for above in ("run", "state"):
        (Path(home) / above).mkdir(mode=0o700, exist_ok=True)
    state, runtime = places.own(f"{home}/state/cmdr"), places.own(f"{home}/run/cmdr")
    tokens = [Tokens(runtime, state).issue(name) for name in names]
    return Served(home, planted.left, planted.right, **{"CMDR_MCP_TOOLSETS": "panes,ops,fs", **variables}), tokens


def figures(pid):
    """Open descriptors and resident KiB of a process."""
    with open(f"/proc/{pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), memory


def settled(pid):
    """The same, once closed connections are gone."""
    seen = figures(pid)
    for _ in range(60):
        time.sleep(0.5)
        seen, last = figures(pid), seen
        if seen[0] == last[0]:
            break
    return seen


# The person's line only answers a process at a terminal, so the person is one with a terminal of its own.
_PERSON = """
import json, sys, time
from cmdr.core import places
from cmdr.core.runtime.control_socket import ControlClient
caller = ControlClient(places.runtime())
caller.ask("context_get_focused_pane", {})
print("there", flush=True)
waits = []
while time.monotonic() < float(sys.argv[1]):
    started = time.monotonic()
    caller.ask("context_get_focused_pane", {})
    waits.append((started, (time.monotonic() - started) * 1000))
    time.sleep(0.02)
print(json.dumps(waits))
"""


class Person:
    """Asks for something fifty times a second, as fast keys would, and notes how long each answer takes."""

    def __init__(self, served, until):
        self._terminal = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PERSON, str(until)],
            env=served.environment,
            stdin=self._terminal[1],
            stdout=subprocess.PIPE,
            text=True,
        )
        # What a program with connections of agents starts is no person: this one comes before there are any.
        if self._process.stdout.readline() != "there\n":
            raise AssertionError("the person was not let in")

    def waits(self):
        """When each question was asked, and the milliseconds until its answer."""
        printed, _ = self._process.communicate(timeout=120)
        for end in self._terminal:
            os.close(end)
        return json.loads(printed)


async def paced(port, token, until, answers):
    """Call ten times a second until `until[0]`; when, how long and whether it went well is noted."""
    client = Client(port, token)
    await client.open()
    due = time.monotonic()
    while (started := time.monotonic()) < until[0]:
        answer = await client.call("fs_read", {"path": "readme.md"})
        answers.append((started, (time.monotonic() - started) * 1000, answer.startswith("OK: ")))
        due += 0.1
        await asyncio.sleep(max(0, due - time.monotonic()))
    await client.close()


async def flood(port, token, seconds, kind, connections=32):
    """Send as fast as answers come, over many connections at once: how many were answered with which status."""
    until, statuses = time.monotonic() + seconds, {}

    async def mad():
        client = Client(port, token)
        await client.open()
        while time.monotonic() < until:
            if kind == "calls":
                await client.call("fs_list", {"path": "."})
                status = 200
            else:
                status = await (client.list_tools() if kind == "lists" else client.open_session())
            statuses[status] = statuses.get(status, 0) + 1
        await client.close()

    await asyncio.gather(*(mad() for _ in range(connections)))
    return statuses


def percentile(values, share):
    """The value below which so many of a hundred lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))]
