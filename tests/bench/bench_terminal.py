"""The terminal face against mc, vifm, nnn and ranger, all in one run and in real pseudo-terminals: ratios, not times.

Measured: from the start to the first names, and until a key typed then is answered; entering a folder of 50,000 files;
keys at 50,000 and 1,000,000 rows; memory; keys while an agent hammers the server. Programs that are not installed are
left out. `--small` makes the largest folder 100,000 files, `--only start` (or enter, keys, agent) measures one thing.
"""

import argparse
import compileall
import http.client
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE

from commanders import CMDR, answered, commanders, shown

RUNS = 5
KEYS = 80
CALLS = 500


def files(folder, count):
    """A folder of empty files, made once."""
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY)
    for number in range(count):
        os.close(os.open(f"file_{number:07d}.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd))
    os.close(fd)
    return folder


def beside(folder):
    """A name that each of the programs shows in full, and that stands nowhere else."""
    (folder / "inside").mkdir(exist_ok=True)
    (folder / "inside" / "seen_inside.txt").touch()
    return folder


def measure_start(root, home):
    small = beside(files(root / "start", 12))
    print(f"start, median (best) of {RUNS}, and cmdr's share of each; processor time is of one run until the key")
    print(f"  {'':<7}{'first names':>20}{'processor':>14}{'a key typed then answered':>30}{'processor':>14}")
    measured = {}
    for one in commanders():
        names, names_cpu, key, key_cpu = [], [], [], []
        for number in range(RUNS + 1):
            with one.open(small, home) as it:
                first = shown(it, "file_0000003", it.started)
            alone = it.processor_seconds * 1000
            with one.open(small, home) as it:
                it.wait("file_0000003")
                answered(it, "seen_inside", *one.enter, again=one.drops_keys)
                whole = (it.read_at - it.started) * 1000
            if number:  # the first run only warms the caches
                names.append(first), names_cpu.append(alone), key.append(whole)
                key_cpu.append(it.processor_seconds * 1000)
        measured[one.name] = [names, names_cpu, key, key_cpu]
        cells = [
            f"{statistics.median(found):.0f} ({min(found):.0f}) ms"
            + (f" {statistics.median(measured['cmdr'][place]) / statistics.median(found):.1f}×" if one != CMDR else "")
            for place, found in enumerate(measured[one.name])
        ]
        print(f"  {one.name:<7}{cells[0]:>20}{cells[1]:>24}{cells[2]:>24}{cells[3]:>24}", flush=True)


def measure_enter(root, home):
    files(root / "enter" / "many", 50_000)
    print(f"enter a folder of 50,000 files, median (best) of {RUNS}")
    ours = 0.0
    for one in commanders():
        found, used = [], []
        for _ in range(RUNS):
            with one.open(root / "enter", home) as it:
                it.wait("many")
                rested(it)
                before = processor(it.pid)
                found.append(answered(it, "file_0000007.txt", *one.enter))
                used.append(processor(it.pid) - before)
        typical = statistics.median(found)
        ours = ours or typical
        ratio = f"   cmdr takes {ours / typical:.2f} of that" if one != CMDR else ""
        print(
            f"  {one.name:<7} {typical:7.0f} ({min(found):.0f}) ms, processor {statistics.median(used):.0f} ms{ratio}",
            flush=True,
        )


def measure_keys(root, home, large):
    huge = root / "huge"
    if not huge.exists():
        files(huge, large)
    print(f"one folder of {large:,} files")
    with CMDR.open(huge, home) as it:
        print(f"  first names after {shown(it, 'file_0000003', it.started):.0f} ms")
        it.wait(f"{large:,} entries", seconds=60)
        print(f"  all names after {(it.read_at - it.started) * 1000:.0f} ms")
        served(it, home)
        print(f"  {memory(it.pid)}")
        print("  down, inside and scrolling: " + told(latencies(it, 0, KEYS)))
        it.settle(0.3)
        print(f"  End: {answered(it, f'file_{large - 1:07d}.txt', 'end'):.0f} ms")
        it.settle(0.3)
        print(f"  Home: {answered(it, 'file_0000000.txt', 'home'):.0f} ms")


def measure_agent(root):
    files(root / "enter" / "many", 50_000)
    home = Path(tempfile.mkdtemp(prefix="home-", dir=root))  # where no earlier run has left its cursor
    with CMDR.open(root / "enter" / "many", home) as it:
        it.wait("50,000 entries")
        served(it, home)
        print(f"50,000 files: {memory(it.pid)}; {told(latencies(it, 0, KEYS))}")
        used = processor(it.pid)
        # In a process of its own: an agent that shares this one's interpreter would be slowed down by the reading.
        with subprocess.Popen(
            [sys.executable, __file__, "--hammer", home], stdin=PIPE, stdout=PIPE, text=True
        ) as agent:
            agent.stdout.readline()
            found = latencies(it, KEYS, KEYS * 3)
            told_by_agent, _ = agent.communicate("enough\n")
        calls, rate = told_by_agent.split()
        used = (processor(it.pid) - used) / int(calls)
        print(f"beside an agent that wants {CALLS} calls a second and gets {rate}: {told(found)}")
        print(f"  processor time for a call, the keys and their drawing included: {used:.2f} ms; {memory(it.pid)}")
        it.send("f10")
        print(f"quit: {it.wait_end()[1] * 1000:.0f} ms")


def served(it, home):
    """Wait until agents can connect and everything that is loaded behind the panes is there."""
    deadline = time.monotonic() + 30
    while not (home / "run" / "cmdr" / "instance.json").exists():
        assert time.monotonic() < deadline, "the server did not come up"
        it.read(0.05)
    rested(it)


def rested(it):
    """Wait until a program has nothing more to do."""
    used = -1.0
    while used != (used := processor(it.pid)):
        it.settle(0.4)


def latencies(it, first, keys):
    """Milliseconds from each Down until the status line names the next file."""
    found = []
    for number in range(first, first + keys):
        it.settle(0.02)
        wanted = f"file_{number + 1:07d}.txt"
        status = it.screen.lines[-2]
        assert f"file_{number:07d}.txt" in status, f"the cursor is not on file {number}: {status}"
        pressed = time.perf_counter()
        it.send("down")
        it.wait(lambda screen, wanted=wanted: wanted in screen.lines[-2], seconds=10)
        found.append((it.read_at - pressed) * 1000)
    return found


def told(found):
    ordered = sorted(found)
    return f"keys median {statistics.median(ordered):.1f} ms, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"


def memory(pid):
    """What the program holds: its own pages, and those it shares with other programs."""
    sizes = {"Rss": 0, "Private_Clean": 0, "Private_Dirty": 0}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size = line.split()[:2]
        if name.rstrip(":") in sizes:
            sizes[name.rstrip(":")] = int(size) / 1024
    own = sizes["Private_Clean"] + sizes["Private_Dirty"]
    return f"memory with the server loaded {sizes['Rss']:.0f} MB, {own:.0f} MB of them its own"


def processor(pid):
    """Milliseconds of processor time so far, to the kernel's ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")


def hammer(home):
    """An agent that calls as fast as it is asked to, until a line comes; tells how often, and at which rate."""
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
    print("calling", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, (answer.status, text)
        calls += 1
        ahead = calls / CALLS - (time.perf_counter() - begun)
        if ahead > 0:
            time.sleep(ahead)
    print(calls, f"{calls / (time.perf_counter() - begun):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="100,000 files instead of 1,000,000")
    parser.add_argument("--only", choices=["start", "enter", "keys", "agent"], help="measure one thing")
    parser.add_argument("--folder", type=Path, help="where the files are made, and kept for the next run")
    parser.add_argument("--hammer", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.hammer:
        hammer(chosen.hammer)
        return
    large = 100_000 if chosen.small else 1_000_000
    # As after an installation: whoever runs this may have told Python to keep no bytecode.
    compileall.compile_dir(Path(__file__).parents[2] / "src", quiet=1)
    root = chosen.folder or Path(tempfile.mkdtemp(prefix="cmdr-bench-"))
    home = root / "home"
    try:
        if chosen.only in (None, "start"):
            measure_start(root, home)
        if chosen.only in (None, "enter"):
            measure_enter(root, home)
        if chosen.only in (None, "keys"):
            measure_keys(root, home, large)
        if chosen.only in (None, "agent"):
            measure_agent(root)
    finally:
        if not chosen.folder:
            subprocess.run(["rm", "-rf", str(root)], check=False)


if __name__ == "__main__":
    main()
