"""The terminal face against mc, vifm, nnn and ranger, all in one run and in real pseudo-terminals: ratios, not times.

Measured: start to first paint, entering a folder of 50,000 files, key latency at 50,000 and 1,000,000 rows, memory,
and key latency while an agent hammers the server. Programs that are not installed are left out.
"""

import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))
OTHERS = {
    "mc": lambda folder: ["mc", "-x", folder, "/"],
    "vifm": lambda folder: ["vifm", folder, "/"],
    "nnn": lambda folder: ["nnn", folder],
    "ranger": lambda folder: ["ranger", folder],
}
RUNS = 3
_INTO = {"mc": ("\x1bOB", "enter"), "vifm": ("j", "enter"), "nnn": ("", "\x1bOC"), "ranger": ("", "l")}
"""How each goes into the first folder: some stand on the row of the folder above at first."""


def environment(home, **more):
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_PORT": "0",
        "CMDR_MCP_RATE_SCALE": "1000",
        **more,
    }


def files(folder, count):
    """A folder of empty files, made once."""
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY)
    for number in range(count):
        os.close(os.open(f"file_{number:07d}.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd))
    os.close(fd)


def first_paint(argv, home, marker):
    with PtyTerminal(argv, columns=120, rows=40, **environment(home)) as it:
        return it.wait(marker)


def enter_time(argv, home, *, before, after):
    """From the key that enters the folder until its first names are sent to the terminal."""
    # Without the repeat sequence of xterm, so that a name is sent letter by letter.
    with PtyTerminal(argv, columns=120, rows=40, **environment(home, TERM="screen-256color")) as it:
        it.wait(before)
        it.settle(0.4)
        first, then = _INTO.get(argv[0], ("", "enter"))
        if first:
            it.send(first)
            it.settle(0.1)
        it.raw.clear()
        it.send(then)
        return it.wait(lambda screen: after.encode() in it.raw, seconds=8)


def resident(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def latencies(it, keys, expect):
    """Milliseconds from each key until what it must change is on the screen."""
    found = []
    for number in range(keys):
        time.sleep(0.02)
        it.send("down")
        found.append(it.wait(lambda screen, number=number: expect(number) in screen.lines[-2], seconds=10) * 1000)
        it.settle(0.01)
    return found


def told(found):
    ordered = sorted(found)
    return f"median {statistics.median(ordered):.1f} ms, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"


def best(work):
    return min(work() for _ in range(RUNS))


def hammer(home, stop, rate=500):
    """An agent that calls as fast as it is asked to."""
    record = json.loads((home / "run" / "cmdr" / "instance.json").read_text())
    token = (home / "run" / "cmdr" / "token").read_text().strip()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    call = {"name": "state", "arguments": {"limit": 20}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {token}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "state",
    }
    connection = http.client.HTTPConnection("127.0.0.1", record["port"], timeout=30)
    calls, begun = 0, time.perf_counter()
    while not stop.is_set():
        connection.request("POST", "/mcp", body, headers)
        connection.getresponse().read()
        calls += 1
        ahead = calls / rate - (time.perf_counter() - begun)
        if ahead > 0:
            time.sleep(ahead)
    return calls / (time.perf_counter() - begun)


def main():
    large = 1_000_000 if "--small" not in sys.argv else 100_000
    root = Path(tempfile.mkdtemp(prefix="cmdr-bench-"))
    try:
        small, middle = root / "start", root / "enter"
        files(small, 12)
        (root / "empty").mkdir()
        files(middle / "many", 50_000)
        home = root / "home"
        installed = {name: argv for name, argv in OTHERS.items() if shutil.which(name)}

        print("start to first paint, best of", RUNS)
        cmdr = best(lambda: first_paint([CMDR, str(small), str(small)], home, "file_0000003"))
        print(f"  cmdr    {cmdr * 1000:7.0f} ms")
        for name, argv in installed.items():
            other = best(lambda argv=argv: first_paint(argv(str(small)), home, "file_0000003"))
            print(f"  {name:<7} {other * 1000:7.0f} ms   cmdr is {cmdr / other:.1f} times that")

        print("enter a folder of 50,000 files, best of", RUNS)
        cmdr = best(
            lambda: enter_time([CMDR, str(middle), str(root / "empty")], home, before="many", after="0000007.txt")
        )
        print(f"  cmdr    {cmdr * 1000:7.0f} ms")
        for name, argv in installed.items():
            try:
                other = best(lambda argv=argv: enter_time(argv(str(middle)), home, before="many", after="0000007.txt"))
            except AssertionError:
                print(f"  {name:<7} did not show it")
                continue
            print(f"  {name:<7} {other * 1000:7.0f} ms   cmdr takes {cmdr / other:.2f} of that")

        print(f"one folder of {large:,} files")
        files(root / "huge", large)
        with PtyTerminal([CMDR, str(root / "huge"), str(small)], columns=120, rows=40, **environment(home)) as it:
            print(f"  first names after {it.wait('file_0000003') * 1000:.0f} ms")
            it.wait(f"{large:,} entries", seconds=60)
            it.settle(1.5)
            print(f"  memory with the server loaded: {resident(it.pid):.0f} MB")
            print("  down, inside and scrolling: " + told(latencies(it, 80, lambda n: f"file_{n + 1:07d}.txt")))
            it.send("end")
            print(f"  End: {it.wait(f'file_{large - 1:07d}.txt') * 1000:.0f} ms")

        with PtyTerminal([CMDR, str(middle / "many"), str(small)], columns=120, rows=40, **environment(home)) as it:
            it.wait("50,000 entries")
            deadline = time.monotonic() + 20
            while not (home / "run" / "cmdr" / "instance.json").exists() and time.monotonic() < deadline:
                it.read(0.05)
            it.settle(0.5)
            print(
                f"50,000 files: memory {resident(it.pid):.0f} MB; "
                + told(latencies(it, 60, lambda n: f"file_{n + 1:07d}"))
            )
            stop, rates = threading.Event(), []
            agent = threading.Thread(target=lambda: rates.append(hammer(home, stop)))
            agent.start()
            found = latencies(it, 60, lambda n: f"file_{n + 61:07d}")
            stop.set()
            agent.join()
            print(f"the same under {rates[0]:.0f} calls a second: {told(found)}")
            it.send("f10")
            print(f"quit: {it.wait_end()[1] * 1000:.0f} ms")
    finally:
        subprocess.run(["rm", "-rf", str(root)], check=False)


if __name__ == "__main__":
    main()
