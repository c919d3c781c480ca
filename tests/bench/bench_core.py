"""How fast and how small the core is, as ratios against plain programs measured in the same run.

Run by `make bench`. Folders of 50,000 and 1,000,000 files are taken from `CMDR_BENCH_FOLDERS` (default /tmp/big, as
`k50` and `m1`) or made for the run and removed again.
"""

import asyncio
import contextlib
import http.client
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

SIZES = {"k50": 50_000, "m1": 1_000_000}
MODERN, LEGACY = "2026-07-28", "2025-11-25"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


def say(what, value, goal="", met=None):
    """One line of the report."""
    verdict = "" if met is None else ("ok" if met else "MISSED")
    print(f"{what:<58} {value:>22}   {goal:<14} {verdict}".rstrip(), flush=True)


class Client:
    """One connection that is kept open."""

    def __init__(self, port, token):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = {**JSON, "authorization": f"Bearer {token}"}

    def post(self, body, headers, path="/mcp"):
        """One exchange."""
        self._connection.request("POST", path, body, {**self._headers, **headers})
        response = self._connection.getresponse()
        return response, response.read()

    def call(self, tool, **arguments):
        """A tool call of the newer era."""
        return self.prepared(tool, arguments)()

    def prepared(self, tool, arguments):
        """A tool call of the newer era, ready to be sent again and again."""
        params = {"name": tool, "arguments": arguments, "_meta": META}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": tool}

        def send():
            response, answer = self.post(body, headers)
            assert response.status == 200, answer
            # After some seconds of silence the answer comes as an event of a stream.
            message = answer if answer.startswith(b"{") else answer.rpartition(b"data: ")[2]
            text = json.loads(message)["result"]["content"][0]["text"]
            assert not text.startswith("ERROR"), text
            return text

        return send

    def prepared_legacy(self, tool, arguments):
        """A tool call of the older era, in a session of its own."""
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        opening = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode()
        opened, _ = self.post(opening, {})
        session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": LEGACY}
        self.post(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(), session)
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()

        def send():
            response, answer = self.post(body, session)
            assert response.status == 200, answer

        return send

    def close(self):
        """Hang up."""
        self._connection.close()


@contextlib.contextmanager
def serving(home, *arguments):
    """A server process in a private home; yields the process and its port."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("CMDR_", "XDG_"))}
    variables |= {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "CMDR_MCP_RATE_SCALE": "1000000",
    }
    with subprocess.Popen(arguments, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
            yield process, port
        finally:
            process.terminate()
            process.wait(30)


@contextlib.contextmanager
def cmdr(home, left):
    """A real `cmdr serve`; yields its process, its port and its token."""
    program = Path(sys.executable).with_name("cmdr")
    with serving(home, program, "serve", "--left", left, "--right", left, "--port", "0") as (process, port):
        token = (home / "run" / "cmdr" / "token").read_text().strip()
        yield process, port, token


@contextlib.contextmanager
def folders(scratch):
    """The two large folders."""
    kept = Path(os.environ.get("CMDR_BENCH_FOLDERS", "/tmp/big"))
    found = {}
    for name, size in SIZES.items():
        if (kept / name).is_dir() and len(os.listdir(kept / name)) >= size:
            found[name] = kept / name
        else:
            print(f"making a folder of {size:,} files …", flush=True)
            found[name] = scratch / name
            found[name].mkdir()
            for number in range(size):
                os.close(os.open(found[name] / f"file-{number:07d}.dat", os.O_CREAT | os.O_WRONLY, 0o644))
    yield found


def timed(work):
    """Seconds that something takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def listing_time(*command):
    """Seconds of a listing program, with its output thrown away; the better of two."""
    return min(timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)) for _ in range(2))


def opening_time(port, token, folder, elsewhere):
    """Seconds until the first page of a folder shows, and until all of it is sorted."""
    walker, watcher = Client(port, token), Client(port, token)
    try:
        walker.call("nav_to_path", pane="left", path=str(elsewhere))
        look = watcher.prepared("state", {"pane": "left"})
        wanted = f"\n  path: {folder}\n"
        first = []
        started = time.perf_counter()

        def watch():
            while wanted not in look():
                pass
            first.append(time.perf_counter() - started)

        watching = threading.Thread(target=watch)
        watching.start()
        walker.call("nav_to_path", pane="left", path=str(folder))
        complete = time.perf_counter() - started
        watching.join()
        return min(first[0], complete), complete
    finally:
        walker.close()
        watcher.close()


def bench_opening(port, token, large, elsewhere):
    """Opening a large folder against `ls` (which sorts) and `ls -l` (which looks at every file)."""
    for name, folder in large.items():
        plain, long = listing_time("ls", folder), listing_time("ls", "-l", folder)
        runs = [opening_time(port, token, folder, elsewhere) for _ in range(3)]
        first, complete = min(run[0] for run in runs), min(run[1] for run in runs)
        told = f"open {SIZES[name]:,} files"
        say(f"{told}: ls / ls -l", f"{plain:.2f} s / {long:.2f} s")
        say(f"{told}: first page ready", f"{first:.2f} s = {first / plain:.2f} x ls")
        say(f"{told}: sorted", f"{complete:.2f} s = {complete / plain:.2f} x ls")
        say(f"{told}: sorted, against ls -l", f"{complete / long:.2f} x ls -l")


def latencies(send, times):
    """p50 and p99 in milliseconds."""
    taken = sorted(timed(send) * 1000 for _ in range(times))
    return statistics.median(taken), taken[int(len(taken) * 0.99)]


def bench_state(client, large, elsewhere):
    """The state's latency in a small and in the largest folder."""
    look = client.prepared("state", {"pane": "left"})
    client.call("nav_to_path", pane="left", path=str(elsewhere))
    latencies(look, 200)
    small, _ = latencies(look, 1000)
    client.call("nav_to_path", pane="left", path=str(large["m1"]))
    client.call("scroll_to", pane="left", index=SIZES["m1"] // 2)
    half, last = latencies(look, 1000)
    say("state in a folder of 1,000,000: p50", f"{half:.2f} ms", "< 3 ms", half < 3)
    say("state in a folder of 1,000,000: p99", f"{last:.2f} ms")
    say("state, 1,000,000 files against 60", f"{half / small:.2f} x", "about 1", half / small < 1.5)


def rate(send, process, seconds=1.0):
    """Calls a second, and the server's own milliseconds for each."""
    for _ in range(50):
        send()
    busy, done, started = cpu_of(process), 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        for _ in range(20):
            send()
        done += 20
    return done / spent, (cpu_of(process) - busy) / done * 1000


def cpu_of(process):
    """Seconds of processor time that a process has had."""
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


def bench_calls(home, process, port, token):
    """Tool calls a second in both eras against a bare route on the same web server; the best of five rounds."""
    arguments = {"pane": "right", "to": 0}
    with serving(home, sys.executable, __file__, "--bare") as (bare_process, bare_port):
        clients = [Client(bare_port, token), Client(port, token), Client(port, token)]
        bare, modern, legacy = clients
        sends = {
            "bare": (lambda: bare.post(b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', {}), bare_process),
            MODERN: (modern.prepared("move_cursor", arguments), process),
            LEGACY: (legacy.prepared_legacy("move_cursor", arguments), process),
        }
        rounds = [{name: rate(*how) for name, how in sends.items()} for _ in range(5)]
        median = {name: latencies(send, 500)[0] for name, (send, _) in sends.items()}
        for client in clients:
            client.close()
    best = {name: max(one[name][0] for one in rounds) for name in sends}
    cost = {name: min(one[name][1] for one in rounds) for name in sends}
    say("a bare Starlette route", f"{best['bare']:.0f}/s, {cost['bare']:.2f} ms CPU")
    for era in (MODERN, LEGACY):
        say(f"tool calls, {era}", f"{best[era]:.0f}/s, {cost[era]:.2f} ms CPU", ">= 200/s", best[era] >= 200)
        say(f"tool calls, {era}, against the bare route", f"{best[era] / best['bare']:.2f} x")
        say(f"one tool call, {era}, median", f"{median[era]:.2f} ms", "<= 3 ms", median[era] <= 3)


def bench_bridge(port, token):
    """Processor time of a bridge from its start to its end, with one answer in between; the best of five."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    command = [sys.executable, "-m", "cmdr.cli.bridge", "--url", f"http://127.0.0.1:{port}/mcp"]

    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    costs = []
    for _ in range(5):
        before = spent()
        subprocess.run(
            command,
            input=json.dumps(hello).encode() + b"\n",
            env={**os.environ, "CMDR_TOKEN": token},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        costs.append(spent() - before)
    say(
        "a bridge, until its first answer and its end",
        f"{min(costs) * 1000:.0f} ms CPU",
        "<= 300 ms",
        min(costs) <= 0.3,
    )


def bench_memory(process, client, large, elsewhere):
    """Memory that a million entries take."""
    watched = psutil.Process(process.pid)
    client.call("nav_to_path", pane="left", path=str(elsewhere))
    before = watched.memory_full_info().uss
    client.call("nav_to_path", pane="left", path=str(large["m1"]))
    client.call("state")
    grown = (watched.memory_full_info().uss - before) / 1e6
    say("memory of 1,000,000 entries", f"{grown:.0f} MB", "<= 130 MB", grown <= 130)
    say("memory of cmdr without them", f"{before / 1e6:.0f} MB")
    client.call("nav_to_path", pane="left", path=str(elsewhere))


def main():
    """Everything in one run."""
    scratch = Path(tempfile.mkdtemp(prefix="cmdr-bench-"))
    try:
        elsewhere = scratch / "small"
        elsewhere.mkdir()
        for number in range(60):
            (elsewhere / f"file{number}").touch()
        with folders(scratch) as large:
            home = scratch / "home"
            home.mkdir()
            with cmdr(home, elsewhere) as (process, port, token):
                client = Client(port, token)
                bench_memory(process, client, large, elsewhere)
                bench_opening(port, token, large, elsewhere)
                bench_state(client, large, elsewhere)
                client.call("nav_to_path", pane="left", path=str(elsewhere))
                other = scratch / "other"
                other.mkdir()
                bench_calls(other, process, port, token)
                bench_bridge(port, token)
                client.close()
    finally:
        shutil.rmtree(scratch)


def serve_bare():
    """A bare Starlette route on exactly the web server that cmdr sets up."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    from cmdr.app import serving as app

    answer = {
        "jsonrpc": "2.0",
        "result": {"content": [{"type": "text", "text": "OK: Cursor moved to index 0 (file0)"}]},
    }

    async def echo(request: Request) -> Response:
        return JSONResponse({**answer, "id": (await request.json())["id"]})

    app.application = lambda *_: Starlette(routes=[Route("/mcp", echo, methods=["POST"])])

    async def serve():
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        port = listener.getsockname()[1]
        print(f"http://127.0.0.1:{port}/", flush=True)
        await app.http_server(None, None, port).serve(sockets=[listener])

    asyncio.run(serve())


if __name__ == "__main__":
    serve_bare() if "--bare" in sys.argv else main()
