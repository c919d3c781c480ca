"""The walls at full length: raced links, commands that will not end, a thousand clients, one runaway among them.

Prints the figures that docs/security.md speaks of, and fails at the first one that is not kept. `WALLS_SCALE=0.01`
shortens every part; `WALLS_ONLY=race,commands` runs some.
"""

import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from evil_commands import EVIL, STORM, marked, survivors  # noqa: E402
from test_killed_commands import AS_NOBODY  # noqa: E402
from test_symlink_race import read_while  # noqa: E402
from walls_ground import NOBODY, Ground, Swapper, as_nobody, can_be_nobody  # noqa: E402

from cmdr.core import places  # noqa: E402
from cmdr.core.tokens import Tokens  # noqa: E402
from cmdr.files.shell.running import Running  # noqa: E402
from cmdr.files.shell.tiers import LADDER, holds  # noqa: E402
from cmdr.files.shell.walls import Walls  # noqa: E402
from conftest import MODERN, Served, plant  # noqa: E402

SCALE = float(os.environ.get("WALLS_SCALE", "1"))
SWAPS = int(1_000_000 * SCALE)
RUNS = max(len(EVIL), int(100 * SCALE))
CLIENTS = max(10, int(1000 * min(1, SCALE * 10)))
ROUNDS = max(5, int(100 * SCALE))


def race():
    """A folder swapped with a link to the outside, a million times, while it is read through."""
    for kernel in (True, False):
        with tempfile.TemporaryDirectory(prefix="walls-race-") as home:
            ground = Ground(home)
            (ground.root / "sub" / "secret.txt").write_text("inside")
            swapper = Swapper(ground.root / "sub", ground.outside)
            swapper.start()
            started = time.monotonic()
            try:
                opened, refused = read_while(ground, swapper, SWAPS, kernel=kernel)
            finally:
                swaps = swapper.stop()
                ground.sandbox.close()
            way = "openat2" if kernel else "walked by hand"
            print(
                f"  {way}: {swaps:,} swaps, {opened:,} opened, {refused:,} refused, 0 escapes, "
                f"{time.monotonic() - started:.0f} s"
            )
            assert opened
            assert refused


def commands():
    """Commands that double-fork, ignore signals, flood and storm, a hundred runs in each sandbox."""
    for tier in LADDER:
        if not holds(tier):
            print(f"  {tier}: does not work here")
            continue
        late, left = [], 0
        with tempfile.TemporaryDirectory(prefix="walls-kill-") as folder:
            os.chmod(folder, 0o777)
            root = os.fsencode(folder)
            for number, name in zip(range(RUNS), itertools.cycle(EVIL)):
                mark = f"{5000 + os.getpid() % 1000}.{number:05}1"
                text = marked(EVIL[name], mark).encode()
                ended = Running([b"/bin/sh", b"-c", text], Walls(root, write=(root,)), tier, seconds=0.3).run()
                late.append(ended.seconds - 0.3)
                left += len(survivors(mark))
            storms = 0
            if can_be_nobody():
                os.chown(folder, NOBODY, NOBODY)
                for number in range(max(1, RUNS // 10)):
                    mark = f"{6000 + os.getpid() % 1000}.{number:05}1"
                    seconds, _ = json.loads(as_nobody(AS_NOBODY, folder, tier.value, marked(STORM, mark)))
                    late.append(seconds - 1)
                    left += len(survivors(mark))
                    storms += 1
        print(
            f"  {tier}: {RUNS} runs, {storms} fork storms, {left} survivors, "
            f"at most {max(late):.2f} s after the deadline"
        )
        assert left == 0
        assert max(late) <= 1


class Client:
    """One keep-alive connection that speaks the newer era of the protocol."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def call(self, tool, arguments):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": tool, "arguments": arguments, "_meta": meta},
            }
        ).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        await self.writer.drain()
        told = json.loads(await self._body())
        return told["result"]["content"][0]["text"] if "result" in told else f"ERROR: {told['error']['message']}"

    async def _body(self):
        """The JSON of an answer: at once, or as the last event of a stream when the server took its time."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        headers = dict(line.split(b": ", 1) for line in head.strip().split(b"\r\n")[1:])
        if b"content-length" in headers:
            return await self.reader.readexactly(int(headers[b"content-length"]))
        body = b""
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readexactly(2)
        return [line[5:] for line in body.splitlines() if line.startswith(b"data:")][-1]

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
    return Served(home, planted.left, planted.right, CMDR_MCP_TOOLSETS="panes,ops,fs", **variables), tokens


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


def crowd():
    """A thousand clients at once, each a hundred rounds; descriptors and memory before and after."""
    with tempfile.TemporaryDirectory(prefix="walls-crowd-") as home:
        served, tokens = served_with(home, [f"client{number}" for number in range(20)])
        pid = served.process.pid
        try:
            asyncio.run(_rounds(served.port, tokens, CLIENTS, max(2, ROUNDS // 5)))  # room for so many at once is made
            before = settled(pid)
            started = time.monotonic()
            calls, errors = asyncio.run(_rounds(served.port, tokens, CLIENTS, ROUNDS))
            seconds = time.monotonic() - started
            after = settled(pid)
        finally:
            served.close()
    growth = (after[1] - before[1]) / before[1] * 100
    print(
        f"  {CLIENTS} clients x {ROUNDS} rounds: {calls:,} calls, {errors} errors, {calls / seconds:.0f} a second; "
        f"descriptors {before[0]} before, {after[0]} after; memory {growth:+.1f} %"
    )
    assert errors == 0
    assert after[0] <= before[0]
    assert growth <= 5


async def _rounds(port, tokens, clients, rounds):
    crowd = [Client(port, tokens[number % len(tokens)]) for number in range(clients)]
    calls = errors = 0

    async def one(number, client):
        nonlocal calls, errors
        await client.open()
        for turn in range(rounds):
            tool, arguments = (("fs_exists", {"path": "readme.md"}), ("fs_read", {"path": "readme.md"}))[
                (number + turn) % 2
            ]
            answer = await client.call(tool, arguments)
            calls += 1
            errors += not answer.startswith("OK: ")

    await asyncio.gather(*(one(number, client) for number, client in enumerate(crowd)))
    await asyncio.gather(*(client.close() for client in crowd))
    return calls, errors


def fairness():
    """Four clients at an ordinary pace beside one that calls as fast as it can over 32 connections."""
    with tempfile.TemporaryDirectory(prefix="walls-fair-") as home:
        names = ["runaway", "a", "b", "c", "d"]
        served, tokens = served_with(home, names, CMDR_MCP_RATE_SCALE="1")
        try:
            alone = asyncio.run(_paced(served.port, tokens[1:], None))
            person = _person_beside(served)
            beside = asyncio.run(_paced(served.port, tokens[1:], tokens[0]))
            waits = _answers_of(*person)
        finally:
            served.close()
    share = beside[0] / alone[0] * 100
    print(
        f"  others beside a runaway client: {share:.0f} % of their rate, "
        f"median answer {beside[1]:.0f} ms, alone {alone[1]:.0f} ms"
    )
    late = waits[-len(waits) // 20]
    print(f"  the person beside it: median {statistics.median(waits):.0f} ms, 95th percentile {late:.0f} ms")
    assert share >= 95


# The person's line only answers a process at a terminal, so the person is one with a terminal of its own.
PERSON = """
import sys, time
from cmdr.core.person_line import PersonCaller
from cmdr.core import places
caller = PersonCaller(places.runtime())
waits = []
for _ in range(60):
    started = time.monotonic()
    caller.ask("context_get_focused_pane", {})
    waits.append(round((time.monotonic() - started) * 1000, 1))
    time.sleep(0.1)
print(*sorted(waits))
"""


def _person_beside(served):
    ours, theirs = os.openpty()
    return subprocess.Popen(
        [sys.executable, "-c", PERSON], env=served.environment, stdin=theirs, stdout=subprocess.PIPE, text=True
    ), (ours, theirs)


def _answers_of(process, terminal):
    printed, _ = process.communicate(timeout=60)
    for end in terminal:
        os.close(end)
    return [float(wait) for wait in printed.split()]


async def _paced(port, tokens, runaway):
    """How many calls the paced clients got answered in five seconds, and the median time of an answer."""
    done, times = 0, []
    until = time.monotonic() + max(2.0, 10 * min(1, SCALE * 5))

    async def paced(token):
        nonlocal done
        client = Client(port, token)
        await client.open()
        due = time.monotonic()
        while (started := time.monotonic()) < until:
            answer = await client.call("fs_read", {"path": "readme.md"})
            times.append((time.monotonic() - started) * 1000)
            done += answer.startswith("OK: ")
            due += 0.1
            await asyncio.sleep(max(0, due - time.monotonic()))
        await client.close()

    async def mad(token):
        client = Client(port, token)
        await client.open()
        while time.monotonic() < until:
            await client.call("fs_list", {"path": "."})
        await client.close()

    others = [] if runaway is None else [mad(runaway) for _ in range(32)]
    await asyncio.gather(*(paced(token) for token in tokens), *others)
    return done, statistics.median(times)


PARTS = (race, commands, crowd, fairness)


def main():
    chosen = os.environ.get("WALLS_ONLY", "")
    for part in PARTS:
        if not chosen or part.__name__ in chosen.split(","):
            print(f"{part.__name__}: {part.__doc__}", flush=True)
            part()


if __name__ == "__main__":
    main()
