"""The index against the tools people use: one generated tree, one run, goals as ratios.

    python tests/bench/bench_index.py [--files 1000000] [--rows 10000000] [--dir /tmp/index-bench-…] [--rounds 3]

Needs gcc, find, fdfind, gdu, ncdu and plocate (Debian packages findutils, fd-find, gdu, ncdu, plocate); a peer that is
missing is left out. Absolute times depend on the machine: compare only within one run.
"""

import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from cmdr.index.library import Library
from cmdr.index.query.queries import IndexQueries
from cmdr.index.snapshots.assemble import assemble
from cmdr.index.snapshots.identity import PreviousNodes
from cmdr.index.snapshots.snapshot import SnapshotWriter, StoredColumns
from cmdr.index.snapshots.source import RowRuns, Source
from cmdr.index.snapshots.view import View, stored_view
from cmdr.model.filters.filter import Question, Text
from cmdr.model.filters.filter_text import from_text
from cmdr.model.names import to_wire

WORDS = (
    "report invoice photo holiday budget summary draft final project client server config index main test spec model "
    "view service handler parser token stream buffer cache queue worker socket request response schema user account "
    "order payment product image video audio album note letter contract policy manual readme license module vendor "
    "build release debug trace error access metrics chart table query export backup archive snapshot label feature "
    "weight epoch notebook result figure chapter meeting agenda plan ticket review survey logo icon font theme form"
).split()
EXTS = (
    "py js ts json md txt html css jpg png pdf docx csv log c h o so pyc map svg mp4 mp3 zip gz yaml xml java".split()
)
WALK_C = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
struct rec { uint64_t ino; int64_t off; unsigned short len; unsigned char type; char name[]; };
static char **stack; static size_t top, room, rows, bytes, kept; static char *keep;
static void push(char *path) {
  if (top == room) stack = realloc(stack, (room = room * 2 + 64) * sizeof *stack);
  stack[top++] = path;
}
static void take(int fd, const char *path, size_t length, const char *name) {
  struct statx x;
  if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &x)) return;
  if (rows == kept) keep = realloc(keep, (kept = kept * 2 + 65536) * 48);
  memcpy(keep + rows++ * 48, &x.stx_ino, 48);
  if (S_ISREG(x.stx_mode)) bytes += x.stx_size;
  if (!S_ISDIR(x.stx_mode)) return;
  size_t own = strlen(name); char *below = malloc(length + own + 2);
  memcpy(below, path, length); below[length] = '/'; memcpy(below + length + 1, name, own + 1);
  push(below);
}
int main(int n, char **v) {
  static char buf[1 << 16];
  push(strdup(v[1]));
  while (top) {
    char *path = stack[--top]; size_t length = strlen(path); long got;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (fd >= 0 && (got = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0)
      for (long at = 0; at < got;) {
        struct rec *r = (struct rec *)(buf + at); at += r->len;
        if (strcmp(r->name, ".") && strcmp(r->name, "..")) take(fd, path, length, r->name);
      }
    if (fd >= 0) close(fd);
    free(path);
  }
  printf("%zu %zu\n", rows, bytes);
  return 0;
}
"""
Row = tuple[str, str, str]


class Table(list[Row]):
    """Prints each row when it is known, so that a run that is stopped has told what it knew."""

    def append(self, row: Row) -> None:
        super().append(row)
        print(f"{row[0]:64}  {row[1]:>10}  {row[2]}", flush=True)


# -- the tree -------------------------------------------------------------------------------------------------------
def word(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.4:
        return chance.choice(WORDS)
    joined = chance.choice("_- ").join((chance.choice(WORDS), chance.choice(WORDS)))
    return joined if kind < 0.8 else joined.title()


def file_name(chance: random.Random) -> str:
    kind = chance.random()
    stem = word(chance)
    if kind < 0.08:
        stem = f"IMG_{chance.randint(2012, 2026)}{chance.randint(101, 1228):04d}_{chance.randint(0, 999999):06d}"
    elif kind < 0.12:
        stem = chance.choice(("café", "Übersicht", "данные", "資料")) + " " + stem
    if chance.random() < 0.5:
        stem += f"{chance.choice('_- ')}{chance.randint(1, 9999)}"
    return stem if chance.random() < 0.03 else f"{stem}.{chance.choice(EXTS)}"


def grow_branch(job: tuple[str, int, int, int]) -> int:
    """One top folder with its share of folders and files; sparse files, so that nothing is written."""
    root, seed, folders, files = job
    chance = random.Random(seed)
    os.mkdir(root)
    paths, depth = [root], [1]
    while len(paths) < folders:
        above = int(len(paths) * chance.random() ** 0.8)
        above = 0 if depth[above] > 20 else above
        path = f"{paths[above]}/{word(chance)}{chance.randint(0, 99) if chance.random() < 0.5 else ''}"
        try:
            os.mkdir(path)
        except FileExistsError:
            continue
        paths.append(path)
        depth.append(depth[above] + 1)
    weights = [math.exp(chance.gauss(0, 1.3)) for _ in paths]
    scale, made, wanted = files / sum(weights), 0, 0.0
    for path, weight in zip(paths, weights, strict=True):
        wanted += weight * scale
        here = os.open(path, os.O_RDONLY)
        when = 1_790_000_000 - int(chance.random() ** 2 * 150_000_000)
        while made < int(wanted + 1e-6):
            try:
                fd = os.open(file_name(chance), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644, dir_fd=here)
            except FileExistsError:
                continue
            os.ftruncate(fd, 0 if chance.random() < 0.02 else min(int(math.exp(chance.gauss(8.6, 2.4))), 1 << 34))
            stamp = (when - int(chance.expovariate(5e-7))) * 10**9 + chance.getrandbits(29)
            os.utime(fd, ns=(stamp, stamp))
            os.close(fd)
            made += 1
        os.close(here)
    return made


def grow(root: str, files: int) -> None:
    os.mkdir(root)
    jobs = [
        (f"{root}/{name}", seed, max(1, files // 16 // 8), files // 8)
        for seed, name in enumerate("home srv data work media archive projects backup".split())
    ]
    with ProcessPoolExecutor(2) as pool:
        print(f"tree of {sum(pool.map(grow_branch, jobs)):,} files", flush=True)


def multiply(view: View, home: str, rows: int) -> View:
    """An index of many rows: copies of a scanned tree side by side below one root."""
    times = max(1, rows // view.base_rows)
    own, dirs = view.base_rows - 1, view.base_dirs
    names = [b"vol%03d" % i for i in range(times)]
    front = 1 + times  # the root and the tops of the copies

    def tiled(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values[:1], np.repeat(values[:1], times), np.tile(values[1:], times)])

    def column(name: str, runs: RowRuns) -> np.ndarray:
        if name == "nid":
            return np.arange(front + own * times)
        if name == "uid":
            return runs.gather([tiled(view.base.owners[view.base["owner"]])])
        return runs.gather([tiled(view.base.devices[view.base["dev"]] if name == "device" else view.base[name])])

    head = np.frombuffer(b"\0" + b"".join(name + b"\0" for name in names), np.uint8)
    tops = np.cumsum([0, 1] + [len(name) + 1 for name in names])

    def blobs(runs: RowRuns) -> Iterator[np.ndarray]:
        for piece, first, last in runs.stretches((front, *[own] * times)):
            if piece:
                yield view.base.names[int(view.base.noff[1 + first]) : int(view.base.noff[1 + last])]
            else:
                yield head[tops[first] : tops[last]]

    shift = np.repeat(np.arange(times) * own, dirs)
    row = np.tile(view.dirs["drow"].astype(np.int64), times) + shift + front - 1
    row[::dirs] = 1 + np.arange(times)
    start = np.tile(view.dirs["dcs"].astype(np.int64), times) + shift + front - 1
    parent = np.tile(view.dirs["dpar"].astype(np.int64), times) + np.repeat(np.arange(times) * dirs, dirs) + 1
    parent[::dirs] = 0
    source = Source(
        front + own * times,
        column,
        blobs,
        np.concatenate([[0], row]),
        np.concatenate([[1], start]),
        np.concatenate([[times], np.tile(view.dirs["dcn"].astype(np.int64), times)]),
        np.concatenate([view.dirs["dstate"][:1], np.tile(view.dirs["dstate"], times)]),
        np.concatenate([view.dirs["dlisted"][:1], np.tile(view.dirs["dlisted"], times)]),
        np.concatenate([[0], parent]),
        has_ids=True,
    )
    writer = SnapshotWriter(home, "epoch-00000001")
    facts = assemble(source, writer, PreviousNodes())
    kept = {
        name: view.facts[name]
        for name in ("started_ns", "walk_seconds", "cancelled", "options", "problems", "problem_count")
    }
    writer.commit(facts | kept | {"epoch": 1, "root": view.root.hex()})
    return stored_view(StoredColumns(os.path.join(home, "epoch-00000001")))


# -- measuring --------------------------------------------------------------------------------------------------------
def clock(work: Callable[[], object], rounds: int = 5) -> float:
    """The best of some rounds, in seconds."""
    best = math.inf
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def tree_memory(pid: int) -> int:
    """Proportional memory of a process and its children, in bytes."""
    total, pids = 0, [pid]
    while pids:
        one = pids.pop()
        try:
            with open(f"/proc/{one}/smaps_rollup") as file:
                total += next((int(line.split()[1]) for line in file if line.startswith("Pss:")), 0) << 10
            with open(f"/proc/{one}/task/{one}/children") as file:
                pids += map(int, file.read().split())
        except OSError:
            continue
    return total


def run(command: list[str]) -> float:
    return run_measured(command)[0]


def run_measured(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock, and seconds of processor time with all children."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


SCAN = """
import sys, os, time
started = time.perf_counter()
from cmdr.index.scan.scan import scan
from cmdr.model.trees.indexes import WalkOptions
scan(os.fsencode(sys.argv[1]), sys.argv[2], WalkOptions(nice=0))
"""
OPEN = """
import sys, os
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import stored_view
from cmdr.index.query.name_search import names_containing
view = stored_view(StoredColumns(sys.argv[1]))
mode = sys.argv[2]
if mode == "list":
    view.names(__import__("numpy").arange(view.child_rows(5).start, view.child_rows(5).stop))
else:
    names_containing(view.base, b"agenda_9999", False, range(1, view.base_rows), lambda: False)
"""


def scans(root: str, work: str, rounds: int, table: list[Row]) -> None:
    binary = os.path.join(work, "walk")
    with open(binary + ".c", "w") as out:
        out.write(WALK_C)
    subprocess.run(["gcc", "-O2", "-w", "-o", binary, binary + ".c"], check=True)
    ours = [sys.executable, "-c", SCAN, root, os.path.join(work, "scan")]
    peers = {
        "cmdr scan+persist": ours,
        "C getdents+statx, 1 thread": [binary, root],
        "find -printf": ["find", root, "-printf", "%p %s %T@ %m\\n"],
        "fdfind with sizes": ["fdfind", "-u", "--size", "+0b", ".", root],
        "gdu": ["gdu", "-npc", root],
        "ncdu": ["ncdu", "-0", "-o", "/dev/null", root],
        "updatedb (names only)": ["updatedb", "-l", "0", "-U", root, "-o", os.path.join(work, "plocate.db")],
    }
    peers = {name: command for name, command in peers.items() if shutil.which(command[0])}
    best = dict.fromkeys(peers, (math.inf, math.inf))
    for _ in range(rounds):  # interleaved, so that a busy moment hits everybody
        for name, command in peers.items():
            best[name] = min(best[name], run_measured(command))
            shutil.rmtree(os.path.join(work, "scan"), ignore_errors=True)
    own = best["cmdr scan+persist"][0]
    for name, (seconds, processor) in best.items():
        table.append(
            (f"scan: {name}", f"{seconds:.2f} s", f"cmdr is {own / seconds:.2f}x; processor {processor:.2f} s")
        )
    process = subprocess.Popen(ours)
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_memory(process.pid))
        time.sleep(0.02)
    table.append(("memory of the scan, all processes", f"{peak / 1e6:.0f} MB", "goal 350 MB"))
    shutil.rmtree(os.path.join(work, "scan"), ignore_errors=True)
    cold_scans(root, work, {name: peers[name] for name in ("cmdr scan+persist", "find -printf")}, table)


def cold_scans(root: str, work: str, peers: dict[str, list[str]], table: list[Row]) -> None:
    """The tree is cold, the programs are not: cmdr runs already when somebody asks it to scan."""
    tiny = os.path.join(work, "tiny")
    os.makedirs(tiny, exist_ok=True)
    best = dict.fromkeys(peers, math.inf)
    for _ in range(2):
        for name, command in peers.items():
            try:
                subprocess.run(["sync"], check=True)
                with open("/proc/sys/vm/drop_caches", "w") as caches:
                    caches.write("3")
            except OSError:
                table.append(("scan with a cold cache", "not allowed here", "goal 0.6x find"))
                return
            run([tiny if word == root else word for word in command])
            shutil.rmtree(os.path.join(work, "scan"), ignore_errors=True)
            best[name] = min(best[name], run(command))
            shutil.rmtree(os.path.join(work, "scan"), ignore_errors=True)
    ours, find = best["cmdr scan+persist"], best["find -printf"]
    table.append(("scan with a cold cache", f"{ours:.2f} s", f"{ours / find:.2f}x find, goal 0.6x"))


def searches(name: str, answers: IndexQueries, table: list[Row], goal: int, database: str | None) -> None:
    for needle in ("zzqx", "agenda_99", "report", ".js", "on", "o"):
        count = 0

        def search(needle: str = needle) -> None:
            nonlocal count
            answers._found.clear()
            count = len(answers._evaluate(answers.view, Text("name", "contains", needle), 0, lambda: False).rows)

        seconds = clock(search)
        note = f"goal {goal} ms up to 1,000,000 hits"
        if database and shutil.which("plocate"):
            peer = min(run(["plocate", "-d", database, "-i", "-b", "-c", needle]) for _ in range(3))
            note += f"; plocate {peer * 1e3:.0f} ms, cmdr is {seconds / peer:.2f}x"
        table.append((f"substring {needle!r} over {name} ({count:,} hits)", f"{seconds * 1e3:.1f} ms", note))


def serving(answers: IndexQueries, table: list[Row]) -> None:
    view = answers.view
    chance = random.Random(3)
    deep = [view.path(chance.randrange(1, view.base_rows)) for _ in range(200)]
    handles = [answers.node(path).id for path in deep]
    folders = [os.path.dirname(path) for path in deep]
    rows = view.base_rows

    def each(work: Callable[[bytes | str], object], places: list[bytes] | list[str]) -> float:
        return clock(lambda: [work(place) for place in places], 3) / len(places)

    table.append((f"path lookup at {rows:,}", f"{each(view.find, deep) * 1e3:.3f} ms", "goal 0.2 ms"))
    table.append(("node by id", f"{each(answers.node, handles) * 1e3:.3f} ms", "goal 0.2 ms"))
    page = each(lambda place: answers.children(place, 20, sort="size", descending=True), folders)
    table.append(("children page of 20 by size", f"{page * 1e3:.3f} ms", "goal 0.2 ms"))
    page = each(lambda place: answers.children(place, 20), folders)
    table.append(("children page of 20 by name", f"{page * 1e3:.3f} ms", "goal 0.2 ms"))
    totals = clock(lambda: [view.totals(number) for number in range(1000)]) / 1000
    table.append(("subtree totals", f"{totals * 1e6:.1f} µs", "constant"))
    for line in (
        "ext:py,js size>10K mtime>2026-01-01",
        "report kind:file size>1M",
        "(ext:jpg or ext:png) size>1M not name:img",
    ):
        seconds = clock(lambda line=line: (answers._found.clear(), answers.ask(from_text(line))))
        table.append((f"filter {line} at {rows:,}", f"{seconds * 1e3:.1f} ms", "goal 100 ms"))
    seconds = clock(lambda: answers.page(Question(from_text("ext:py"), "size", True), limit=20))
    table.append(("first page by size, hits kept", f"{seconds * 1e3:.1f} ms", ""))
    for pattern in ("report.*\\.py$", "(a+)+$", "(x+x+)+y"):
        seconds = clock(
            lambda pattern=pattern: (answers._found.clear(), answers.ask(Text("name", "regex", pattern))), 3
        )
        table.append((f"regex {pattern} at {rows:,}", f"{seconds * 1e3:.0f} ms", "goal 200 ms"))


def restart(folder: str, table: list[Row]) -> None:
    bare = min(run([sys.executable, "-c", "import numpy, stringzilla"]) for _ in range(3))
    for mode in ("list", "search"):
        seconds = min(run([sys.executable, "-c", OPEN, folder, mode]) for _ in range(3))
        table.append(
            (
                f"fresh process to first answer ({mode})",
                f"{seconds * 1e3:.0f} ms",
                f"goal 300 ms; interpreter and imports {bare * 1e3:.0f} ms",
            )
        )


def refreshing(root: str, work: str, table: list[Row]) -> None:
    with Library.open(os.path.join(work, "state")) as library:
        info = library.index(os.fsencode(root))
        library.refresh(info.id)
        table.append(("check an unchanged tree", f"{clock(lambda: library.refresh(info.id), 3):.2f} s", "goal 0.3 s"))
        view = library.get(info.id).view
        chance = random.Random(5)
        chosen = chance.sample(range(1, view.base_dirs), min(100, view.base_dirs - 1))
        added = [view.directory_path(number) + b"/just added" for number in chosen]
        for path in added:
            with open(path, "wb"):
                pass
        started = time.perf_counter()
        changes = library.refresh(info.id)
        table.append(
            (f"refresh after {changes.added} changed files", f"{time.perf_counter() - started:.2f} s", "goal 0.5 s")
        )
        started = time.perf_counter()
        library.get(info.id).indexed.compact()
        table.append(("compaction", f"{time.perf_counter() - started:.2f} s", ""))
        for path in added:
            os.unlink(path)
        started = time.perf_counter()
        library.get(info.id).indexed.watch()
        table.append(
            (
                "watching all folders",
                f"{time.perf_counter() - started:.2f} s",
                str(library.get(info.id).indexed.watch_trouble or ""),
            )
        )


def through_mcp(root: str, work: str, view: View, table: list[Row]) -> None:
    """What an agent waits for a node and a page: its questions over HTTP to a server of its own, one at a time."""
    import bench_core

    home = Path(work) / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    chance = random.Random(7)
    deep = [view.path(chance.randrange(1, view.base_rows)) for _ in range(300)]
    program = os.path.join(os.path.dirname(sys.executable), "cmdr")
    with bench_core.serving(home, program, "serve", "--port", "0", "--root", root) as (_, port):
        client = bench_core.Client(port, (home / "run" / "cmdr" / "token").read_text().strip())
        job = re.search(r"jobId: (\S+)", client.call("index", root=root))
        assert job is not None
        while not client.call("await", job=job[1]).startswith("OK: done"):
            pass
        client.call("cd", path=root)  # who is asked first is checked and watched from then on
        for _ in range(2000):  # by now it is
            client.call("state", limit=0)
        for tool, places in (("inspect", deep), ("cd", [os.path.dirname(path) for path in deep])):
            asks = [client.prepared(tool, {"path": to_wire(place)}) for place in places]
            times = []
            for ask in asks:
                started = time.perf_counter()
                ask()
                times.append(time.perf_counter() - started)
            told = f"{statistics.median(times) * 1e3:.2f} ms"
            table.append((f"{tool} through MCP, {len(places)} places, median", told, "goal 3 ms"))
        client.close()


class Big:
    """Just enough of an index to be asked."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.record = type("Record", (), {"id": "bench", "tag": 1})
        self.catalogue = type("Catalogue", (), {"secret": b"x"})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=int, default=1_000_000)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--dir", default=None, help="where to work; kept when given, with the tree in it used again")
    chosen = options.parse_args()
    work = chosen.dir or tempfile.mkdtemp(prefix="index-bench-")
    os.makedirs(work, exist_ok=True)
    root, table = os.path.join(work, "tree"), Table()
    try:
        if not os.path.isdir(root):
            grow(root, chosen.files)
        table.append(("machine", f"{os.cpu_count()} cores", f"load {os.getloadavg()[0]:.1f} when it began"))
        scans(root, work, chosen.rounds, table)
        for name in ("small", "big"):
            shutil.rmtree(os.path.join(work, name), ignore_errors=True)
        from cmdr.index.scan.scan import scan

        small = scan(os.fsencode(root), os.path.join(work, "small"))
        os.sync()  # what was written must not be on its way to the disk while something else is timed
        searches(f"{small.base_rows:,}", IndexQueries(Big(small), None), table, 10, os.path.join(work, "plocate.db"))
        started = time.perf_counter()
        big = multiply(small, os.path.join(work, "big"), chosen.rows)
        table.append((f"build and persist {big.base_rows:,} rows", f"{time.perf_counter() - started:.1f} s", ""))
        os.sync()
        restart(big.stored.folder, table)
        answers = IndexQueries(Big(big), None)
        searches(f"{big.base_rows:,}", answers, table, 100, None)
        serving(answers, table)
        memory = serving_memory(big.stored.folder)
        table.append(
            (
                f"memory serving {big.base_rows:,}",
                f"{memory['total'] / 1e6:.0f} MB",
                f"goal 1,200 MB; {memory['own'] / 1e6:.0f} MB of it not page cache",
            )
        )
        refreshing(root, work, table)
        through_mcp(root, work, small, table)
    finally:
        if chosen.dir is None:
            shutil.rmtree(work, ignore_errors=True)
        else:
            shutil.rmtree(os.path.join(work, "state"), ignore_errors=True)


SERVE = """
import sys, json
sys.path.insert(0, sys.argv[2])
from bench_index import Big, IndexQueries
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import stored_view
from cmdr.model.filters.filter_text import from_text
answers = IndexQueries(Big(stored_view(StoredColumns(sys.argv[1]))), None)
for line in ("report", "ext:py size>10K mtime>2026-01-01", "name:zzqx", 'name:regex"report.*py$"'):
    answers.ask(from_text(line))
facts = dict(line.split(":") for line in open("/proc/self/status") if line.startswith(("VmRSS", "RssAnon")))
print(json.dumps({key: int(value.split()[0]) << 10 for key, value in facts.items()}))
"""


def serving_memory(folder: str) -> dict[str, int]:
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", SERVE, folder, here], capture_output=True, check=True)
    facts = json.loads(done.stdout)
    return {"total": facts["VmRSS"], "own": facts["RssAnon"]}


if __name__ == "__main__":
    main()
