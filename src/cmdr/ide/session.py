"""One connected client: its requests, each a task of its own, and everything it leaves behind when it goes."""

import asyncio
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from cmdr import __version__
from cmdr.core.admission.limits import IDE_REQUESTS_PER_CLIENT
from cmdr.core.commander import Commander
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.ide import messages
from cmdr.ide.tools import TOOLS, BadArguments, IdeTool
from cmdr.model.content_part import AnswerPart, TextPart
from cmdr.model.names import printable

log = logging.getLogger(__name__)

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
CLIENT = Principal("agent", "claude-code", token=True, own_toolsets=frozenset({"ide", "review"}))
WRITING_CLIENT = "claude code"
"""The client that writes what was accepted itself, once it hears of it; to others the answer says that it is done."""
_ROOTS = "cmdr-roots"


class Session:
    """Speaks with one client until it goes."""

    def __init__(self, socket: ServerConnection, commander: Commander) -> None:
        self._socket = socket
        self._commander = commander
        self._tasks: dict[Any, asyncio.Task[None]] = {}
        self.id = f"ide:{secrets.token_hex(8)}"
        """The connection's name, under which its diffs are kept."""
        self._closing = False
        self.ready = False
        """Whether the handshake is over, so that notices may be sent."""
        self.principal = CLIENT
        self._name, self._pid, self._folder = "client", 0, ""
        self._writes = False
        self._methods: dict[str, Callable[[messages.Message], object]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": lambda _: {"tools": [tool.listed() for tool in self._tools()]},
            "prompts/list": lambda _: {"prompts": []},
            "resources/list": lambda _: {"resources": []},
        }

    @property
    def agent(self) -> str:
        """Who this is, for the person: the client's name and where it runs."""
        where = os.path.basename(self._folder.rstrip("/")) or (f"process {self._pid}" if self._pid else "")
        return printable(f"{self._name} ({where})" if where else self._name, 60)

    async def run(self) -> None:
        """Answer until the client goes, then leave nothing of it waiting."""
        try:
            async for frame in self._socket:
                self._take(frame)
        except ConnectionClosed:
            pass
        finally:
            await self.close()

    async def close(self) -> None:
        """Reject what this client asked, and end its requests."""
        self.ready = False
        self._closing = True
        self._commander.editor.reviews.disconnected(self.id)
        self._commander.editor.diagnostics.leave(self.id)
        await self._commander.code.forget(self.id)
        # Whoever was waiting for an answer gets it, if the other end is still there to read it.
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=0.5)
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notice, without waiting for the client to read it."""
        if self.ready:
            self._begin(object(), self._send(messages.notification(method, params)))

    def _take(self, frame: str | bytes) -> None:
        try:
            message = messages.parse(frame)
        except messages.NotAMessage as error:
            self._begin(object(), self._send(messages.failure(error.id, error.code, str(error))))
            return
        if message.method is None:
            self._answered(message)
        elif not message.has_id:
            self._notice(message)
        elif self._closing:
            return
        elif message.id in self._tasks or len(self._tasks) >= IDE_REQUESTS_PER_CLIENT:
            text = "Too many open requests, or one with this id."
            self._begin(object(), self._send(messages.failure(message.id, messages.INVALID_REQUEST, text)))
        else:
            self._begin(message.id, self._respond(message))

    def _begin(self, key: object, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))

    def _notice(self, message: messages.Message) -> None:
        if message.method == "notifications/cancelled":
            named = message.params.get("requestId")
            task = self._tasks.get(named) if isinstance(named, str | int) else None
            if task is not None:
                task.cancel()
        elif message.method == "notifications/initialized":
            self.ready = True
            self._begin(object(), self._send(messages.request(_ROOTS, "roots/list")))
        elif message.method == "ide_connected" and isinstance(message.params.get("pid"), int):
            self._pid = message.params["pid"]

    def _answered(self, message: messages.Message) -> None:
        """The only question of ours is where the client works."""
        with suppress(KeyError, IndexError, TypeError, ValueError):
            uri = message.body["result"]["roots"][0]["uri"]
            if message.id == _ROOTS and isinstance(uri, str):
                self._folder = unquote(urlsplit(uri).path)

    async def _respond(self, message: messages.Message) -> None:
        try:
            if message.method == "tools/call":
                answer = messages.result(message.id, await self._call(message))
            elif message.method in self._methods:
                answer = messages.result(message.id, self._methods[message.method](message))
            else:
                shown = printable(message.method or "", 60)
                answer = messages.failure(message.id, messages.METHOD_NOT_FOUND, f"Unknown method: {shown}")
        except (BadArguments, UnknownCommand) as error:
            answer = messages.failure(message.id, messages.INVALID_PARAMS, str(error))
        except Exception:
            log.exception("%s failed", printable(message.method or "", 60))
            answer = messages.failure(message.id, messages.INTERNAL_ERROR, "cmdr failed inside; its log says how.")
        await self._send(answer)

    async def _call(self, message: messages.Message) -> dict[str, Any]:
        name = message.params.get("name")
        tool = TOOLS.get(name) if isinstance(name, str) else None
        if tool is None or tool not in self._tools():
            raise BadArguments(f"Unknown tool: {printable(str(name), 60)}")
        arguments = tool.arguments(message.params.get("arguments") or {})
        call = Call(self._commander, self.principal, connection=self.id, client=self.agent, client_writes=self._writes)
        try:
            answer = await self._commander.perform(self._commander.registry.find(tool.command), arguments, call)
        except CommandError as error:
            return {"content": [_text(str(error))], "isError": True}
        return {"content": [_text(answer.text), *map(_part, call.parts)]}

    def _tools(self) -> list[IdeTool]:
        shows = self._commander.policy.shows
        find = self._commander.registry.commands.get
        return [tool for tool in TOOLS.values() if (c := find(tool.command)) and shows(c, self.principal)]

    def _initialize(self, message: messages.Message) -> dict[str, Any]:
        wanted = message.params.get("protocolVersion")
        client = message.params.get("clientInfo")
        if isinstance(client, dict):
            self._name = str(client.get("title") or client.get("name") or self._name)[:60]
            names = (str(client.get(key, "")).lower().replace("-", " ") for key in ("name", "title"))
            self._writes = any(name.startswith(WRITING_CLIENT) for name in names)
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "cmdr", "version": __version__},
        }

    async def _send(self, text: str) -> None:
        with suppress(ConnectionClosed):
            await self._socket.send(text)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _part(part: AnswerPart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return _text(part.text)
    return {"type": "image", "data": part.data, "mimeType": part.media_type}
