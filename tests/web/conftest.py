"""A commander over a small indexed tree, served to an in-process HTTP client."""

import asyncio
import contextlib
import functools
import os
import re
import socket
import threading

import httpx2 as httpx
import pytest
from httpx2 import create_ssl_context

from cmdr import commands
from cmdr.app.serving import http_server
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.agents.tokens import Tokens
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS
from cmdr.core.settings import Settings
from cmdr.engine.journal.journal import Journal
from cmdr.model.panes.workspace import Workspace


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A tree with a few sizes and odd names."""
    root = tmp_path_factory.mktemp("tree")
    (root / "photos" / "old").mkdir(parents=True)
    for name, size in {"photos/a.jpg": 5000, "photos/b.jpg": 100, "photos/old/c.jpg": 20000, "notes.md": 12}.items():
        (root / name).write_bytes(b"x" * size)
    (root / "<script>alert(1)").write_bytes(b"evil")
    return root


@pytest.fixture(scope="session", autouse=True)
def one_trust_store():
    """Clients here speak plain HTTP; each would read all certificates of the system, which takes longer than a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx2._transports.default.create_ssl_context", functools.cache(create_ssl_context))
        yield


class Server:
    """The real server on a port of its own, in a thread of its own."""

    def __init__(self, tree, state, *, changes_files=False, **parts):
        self.tree = tree
        self._parts = parts
        self._changes_files = changes_files
        self._state = state
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *exc):
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(60)

    def _stop(self):
        self._server.should_exit = True

    async def _serve(self):
        commands.register()
        self._loop = asyncio.get_running_loop()
        workspace = Workspace.at(os.fsencode(self.tree), os.fsencode(self.tree))
        self.commander = Commander(
            workspace,
            Audit(str(self._state / "audit")),
            rates=RateLimiter(scale=1e9),
            engine=Engine(Journal(os.fsencode(self._state / "journal.db"))) if self._changes_files else None,
            settings=Settings(str(self._state)),
            watch=False,
            indexes=str(self._state),
            **self._parts,
        )
        await self.commander.start()
        tokens = self.tokens = Tokens(str(self._state), str(self._state))
        tokens.renew()
        self.token = (self._state / "token").read_text().strip()
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self._server = http_server(self.commander, tokens, self.port)
        serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started:
            await asyncio.sleep(0.01)
        self._ready.set()
        try:
            await serving
        finally:
            await self.commander.close()

    def on_loop(self, work):
        """What a coroutine answers that runs on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def log_in(self):
        """A client that is logged in as the person's browser."""

        async def link():
            return self.commander.new_login_link()

        origin = f"http://127.0.0.1:{self.port}"
        http = httpx.Client(base_url=origin, trust_env=False, headers={"origin": origin}, timeout=60)
        given = re.search(r'name="cmdr-page" content="([^"]+)"', http.get(self.on_loop(link())).text)
        http.headers["x-cmdr-page"] = given[1]
        return http

    @property
    def person(self):
        """The person at the terminal."""
        from cmdr.core.dispatch.principals import PERSON

        return PERSON

    def wait_until(self, holds):
        """Wait until something holds of the commander."""

        async def work():
            while not holds(self.commander):
                await self.commander.events.beyond(self.commander.events.rev)

        self.on_loop(work())

    def run(self, name, arguments=None, principal=None):
        """Run a command on the server's loop."""
        from cmdr.core.dispatch.principals import SAME_USER

        work = self.commander.run(principal or SAME_USER, name, arguments or {})
        return self.on_loop(work)


@pytest.fixture(scope="module")
def serve(tmp_path_factory):
    """Start servers over trees, each with a state of its own."""
    with contextlib.ExitStack() as running:

        def start(tree, **how):
            state = tmp_path_factory.mktemp("state")
            os.chmod(state, 0o700)
            return running.enter_context(Server(tree, state, **how))

        yield start


@pytest.fixture(scope="module")
def server(tree, tmp_path_factory):
    """The server, with the tree indexed, and the tools for files switched on."""
    state = tmp_path_factory.mktemp("state")
    os.chmod(state, 0o700)
    with Server(tree, state, policy=Policy(DEFAULT_TOOLSETS | {"fs"})) as running:
        running.run("query_run", {"root": str(tree), "text": "jpg"})
        yield running


@pytest.fixture
def client(server):
    """A program of the same user."""
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as http:
        yield http
