"""The editor face on a real socket, and a client that speaks as Claude Code does."""

import asyncio
import itertools
import json
import os
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import connect

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.engine.journal.journal import Journal
from cmdr.ide.face import IdeFace
from cmdr.model.panes.workspace import Workspace

HEADER = "X-Claude-Code-Ide-Authorization"


class Client:
    """One connection, as the CLI holds it: ids from 0, answers by id, notices in a queue."""

    def __init__(self, socket):
        self.socket = socket
        self._ids = itertools.count()
        self._open = {}
        self.notices = asyncio.Queue()
        self.asked = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self):
        try:
            async for frame in self.socket:
                message = json.loads(frame)
                if "method" in message and "id" in message:
                    self.asked.append(message["method"])
                    roots = {"roots": [{"uri": "file:///ws/project"}]}
                    await self.socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": roots}))
                elif "method" in message:
                    self.notices.put_nowait(message)
                else:
                    future = self._open.pop(message["id"], None)
                    if future is None:
                        self.notices.put_nowait(message)
                    else:
                        future.set_result(message)
        finally:
            for future in self._open.values():
                if not future.done():
                    future.cancel()

    def ask(self, method, params=None):
        """Send a request; a future of its whole answer."""
        id = next(self._ids)
        message = {"jsonrpc": "2.0", "method": method, "id": id, **({} if params is None else {"params": params})}
        self._open[id] = future = asyncio.get_running_loop().create_future()

        async def exchange():
            await self.socket.send(json.dumps(message))
            return await future

        task = asyncio.create_task(exchange())
        task.request_id = id
        return task

    async def notify(self, method, params=None):
        await self.socket.send(
            json.dumps({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})
        )

    def call(self, tool, **arguments):
        """A tool call; a task of its content texts."""
        task = self.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": {"progressToken": 3}})
        return asyncio.create_task(_texts(task))

    async def greet(self, name="claude-code", title="Claude Code"):
        """The handshake of the real client."""
        answer = await self.ask(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {"listChanged": True}, "elicitation": {}},
                "clientInfo": {"name": name, "title": title, "version": "2.1.325"},
            },
        )
        await self.notify("notifications/initialized")
        await self.notify("ide_connected", {"pid": os.getpid()})
        return answer

    async def close(self):
        await self.socket.close()
        await asyncio.wait({self._reader})


async def _texts(task):
    answer = await task
    assert "result" in answer, answer
    assert answer["result"].get("isError", False) is False, answer
    return [item["text"] for item in answer["result"]["content"]]


@asynccontextmanager
async def client_of(lock, greet=True, **headers):
    """A client of the editor whose lock file this is."""
    sent = {HEADER: json.loads(lock.read_text())["authToken"], **headers}
    socket = await connect(
        f"ws://127.0.0.1:{lock.stem}/",
        subprotocols=["mcp"],
        additional_headers={name: value for name, value in sent.items() if value is not None},
        user_agent_header="claude-code/2.1.325 (cli)",
        proxy=None,
    )
    client = Client(socket)
    if greet:
        await client.greet()
    try:
        yield client
    finally:
        await client.close()


@pytest.fixture
def client_at():
    """Connects to the editor of a home: `async with client_at(home) as client`."""

    def connected(home):
        (lock,) = (home / ".claude" / "ide").glob("*.lock")
        return client_of(lock)

    return connected


class Editor:
    """A running face, its lock file, and the person in front of it."""

    def __init__(self, commander, folder, home):
        self.commander = commander
        self.folder = folder
        self.home = home
        self.reviews = commander.editor.reviews

    @property
    def lock_path(self):
        (path,) = (self.home / ".claude" / "ide").glob("*.lock")
        return path

    @property
    def lock(self):
        return json.loads(self.lock_path.read_text())

    @property
    def port(self):
        return int(self.lock_path.stem)

    def client(self, greet=True, **headers):
        return client_of(self.lock_path, greet, **headers)

    async def waiting(self, count=1):
        """The reviews that wait, once there are so many."""
        while len(self.reviews.waiting) != count:
            await self.commander.events.beyond(self.commander.events.rev)
        return self.reviews.waiting

    async def person(self, name, **arguments):
        try:
            return await self.commander.run(PERSON, name, arguments)
        except CommandError as error:
            return f"ERROR: {error}"

    async def accept(self, case):
        return await self.person("review.accept", review=case.id, digest=case.review.digest)


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """Opens an editor on a project folder: `async with editor() as it`."""
    commands.register()
    home = tmp_path / "home"
    home.mkdir()
    folder = tmp_path / "ws"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("CMDR_", "XDG_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    @asynccontextmanager
    async def opened(**how):
        commander = Commander(
            Workspace.at(bytes(folder), bytes(folder)),
            Audit(str(tmp_path / "audit")),
            engine=Engine(Journal(bytes(tmp_path / "journal.db"))),
            rates=RateLimiter(scale=1e6),
            watch=False,
            **how,
        )
        await commander.start()
        try:
            async with IdeFace(commander).running():
                yield Editor(commander, folder, home)
        finally:
            await commander.close()

    return opened
