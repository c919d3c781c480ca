"""The walls at full length: raced links, commands that will not end, a thousand clients, one runaway among them.

Prints the figures that docs/security.md speaks of, and fails at the first one that is not kept. `WALLS_SCALE=0.01`
shortens every part; `WALLS_ONLY=race,commands` runs some.
"""

import asyncio
import itertools
import json
import os
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "core" / "agents")]

from crowd_ground import Client, Person, figures, flood, paced, percentile, served_with, settled  # noqa: E402
from evil_commands import EVIL, STORM, marked, survivors  # noqa: E402
from test_killed_commands import AS_NOBODY  # noqa: E402
from test_shell_commands import grant, stopped  # noqa: E402
from test_symlink_race import read_while  # noqa: E402
from walls_ground import NOBODY, Ground, Swapper, as_nobody, can_be_nobody  # noqa: E402

from cmdr.core.admission.limits import MCP_SESSIONS  # noqa: E402
from cmdr.files.process_sandbox.backend import BACKENDS, holds  # noqa: E402
from cmdr.files.process_sandbox.runner import SandboxedRun  # noqa: E402
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile  # noqa: E402

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
    for tier in BACKENDS:
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
                profile = SandboxProfile(root, write=(root,))
                ended = SandboxedRun([b"/bin/sh", b"-c", text], profile, tier, timeout_s=0.3).run()
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


def switch():
    """The kill switch while a command sleeps, in the strongest sandbox that works here."""
    took = []
    for number in range(max(3, RUNS // 5)):
        with tempfile.TemporaryDirectory(prefix="walls-switch-") as folder, Ground(folder, shell=True) as ground:
            grant(ground)
            took.append(ground.run(stopped(ground, f"{7000 + os.getpid() % 1000}.{number:05}1")) * 1000)
            tier = ground.commander.shells.backend
    print(f"  {tier}: {len(took)} times, gone after {statistics.median(took):.0f} ms, at most {max(took):.0f} ms")
    assert percentile(took, 90) <= 200


def crowd():
    """A thousand clients at once, each a hundred rounds, without any warm-up; descriptors and memory all along."""
    with tempfile.TemporaryDirectory(prefix="walls-crowd-") as home:
        served, tokens = served_with(home, [f"client{number}" for number in range(20)])
        pid = served.process.pid
        try:
            start = figures(pid)
            _, errors = asyncio.run(_rounds(served.port, tokens, CLIENTS, 1))
            first = settled(pid)
            started = time.monotonic()
            calls, more = asyncio.run(_rounds(served.port, tokens, CLIENTS, ROUNDS))
            seconds = time.monotonic() - started
            last = settled(pid)
        finally:
            served.close()
    errors += more
    growth = (last[1] - first[1]) / first[1] * 100
    print(
        f"  {CLIENTS} clients x {ROUNDS} rounds: {calls:,} calls, {errors} errors, {calls / seconds:.0f} a second; "
        f"descriptors {start[0]} at the start, {last[0]} at the end; memory {start[1] >> 10} MiB idle, "
        f"{first[1] >> 10} after the first round, {last[1] >> 10} after the last: {growth:+.1f} %"
    )
    assert errors == 0
    assert last[0] <= start[0]
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


UNCLOSED = 50
"""Sessions that each round opens and leaves open."""
ROUND_OF_MOST = MCP_SESSIONS.total // UNCLOSED + 1
"""From this round on no more sessions can be open."""


def unclosed():
    """Clients of both eras that work and leave without a word, round after round: memory after each, in MiB."""
    with tempfile.TemporaryDirectory(prefix="walls-unclosed-") as home:
        served, tokens = served_with(
            home, [f"client{number}" for number in range(20)], CMDR_MCP_TOOLSETS="panes,ops,fs,index"
        )
        calls, errors, memory = 0, [], [figures(served.process.pid)[1]]
        try:
            for _ in range(max(ROUND_OF_MOST + 4, int(20 * SCALE))):
                more, wrong = asyncio.run(_left_open(served.port, tokens, home))
                calls, errors = calls + more, errors + wrong
                memory.append(settled(served.process.pid)[1])
        finally:
            served.close()
    growth = (memory[-1] - memory[ROUND_OF_MOST]) / memory[ROUND_OF_MOST] * 100
    print(
        f"  {calls:,} calls, {len(errors)} errors, {UNCLOSED} sessions left open in each of {len(memory) - 1} rounds: "
        f"{', '.join(str(kib >> 10) for kib in memory)}; {growth:+.1f} % since no more can be open"
    )
    assert not errors, errors[0]
    assert growth <= 5


async def _left_open(port, tokens, home):
    """As many clients of either era, each with a little of everything; how many calls, and what went wrong."""
    work = [
        ("state", {}),
        ("fs_read", {"path": "readme.md"}),
        ("cd", {"path": f"{home}/tree"}),
        ("select", {"pane": "left", "count": "all"}),
        ("query_run", {"root": f"{home}/tree", "ext": ["md"]}),
        ("copy", {"pane": "left"}),
    ]
    calls, errors = 0, []

    async def one(number, client):
        nonlocal calls
        await client.open()
        if number % 2:
            await client.open_session()
        for tool, arguments in work * 3:
            answer = await client.call(tool, arguments)
            calls += 1
            if tool == "copy" and (proposal := re.search(r"p_[\w-]{12}", answer)):
                close = {"action": "close", "type": "confirmation", "proposal": proposal[0]}
                answer = await client.call("dialog", close)
                calls += 1
            if answer.startswith("ERROR: "):
                errors.append(answer)
        await client.close()

    crowd = [Client(port, tokens[number // 2 % len(tokens)]) for number in range(2 * UNCLOSED)]
    for some in range(0, len(crowd), 20):  # of one caller no more than five proposals wait at once
        await asyncio.gather(*(one(some + number, client) for number, client in enumerate(crowd[some : some + 20])))
    return calls, errors


BURSTS = 5


def fairness():
    """Opening bursts of runaways over 32 connections each, beside four clients at an ordinary pace and a person."""
    for kind in ("calls", "lists", "sessions"):
        with tempfile.TemporaryDirectory(prefix="walls-fair-") as home:
            names = ["a", "b", "c", "d", *(f"mad{number}" for number in range(BURSTS))]
            served, tokens = served_with(home, names, CMDR_MCP_RATE_SCALE="1")
            try:
                person = Person(served, time.monotonic() + 5 + BURSTS * 2.5)
                alone, beside, openings, statuses = asyncio.run(
                    _beside_runaways(served.port, tokens[:4], tokens[4:], kind)
                )
                waits = person.waits()
            finally:
                served.close()
        during = [wait for at, wait in waits if any(begin <= at < begin + 1 for begin in openings)]
        share = beside.rate / alone.rate * 100
        print(
            f"  {kind}: others keep {share:.0f} % of their rate, median {beside.median:.0f} ms, "
            f"alone {alone.median:.0f} ms; the person waits {statistics.median(during):.0f} ms, "
            f"95th percentile {percentile(during, 95):.0f} ms, "
            f"at most {max(during):.0f} ms; the runaways got {statuses}"
        )
        assert share >= 95
        assert percentile(during, 95) <= 100


@dataclass
class _Pace:
    """How the ordinary clients fared in a span of time."""

    begin: float
    end: float
    answers: list

    @property
    def _here(self):
        return [answer for answer in self.answers if self.begin <= answer[0] < self.end]

    @property
    def rate(self):
        return sum(well for *_, well in self._here) / (self.end - self.begin)

    @property
    def median(self):
        return statistics.median(took for _, took, _ in self._here)


async def _beside_runaways(port, ordinary, runaways, kind):
    """Let them call alone for three seconds, then beside one fresh runaway after the other, a second each."""
    answers, until, statuses = [], [time.monotonic() + 600], {}
    calling = [asyncio.create_task(paced(port, token, until, answers)) for token in ordinary]
    await asyncio.sleep(1)
    quiet = time.monotonic()
    await asyncio.sleep(3)
    openings = []
    for token in runaways:
        openings.append(time.monotonic())
        for status, count in (await flood(port, token, 1, kind)).items():
            statuses[status] = statuses.get(status, 0) + count
    over = until[0] = time.monotonic()
    await asyncio.gather(*calling)
    return _Pace(quiet, openings[0], answers), _Pace(openings[0], over, answers), openings, statuses


PARTS = (race, commands, switch, crowd, unclosed, fairness)


def main():
    chosen = os.environ.get("WALLS_ONLY", "")
    for part in PARTS:
        if not chosen or part.__name__ in chosen.split(","):
            print(f"{part.__name__}: {part.__doc__}", flush=True)
            part()


if __name__ == "__main__":
    main()
