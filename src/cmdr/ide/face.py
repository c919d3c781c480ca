"""The editor face: Claude Code and its like connect here, as to any other editor."""

import asyncio
import contextlib
import json
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection

from cmdr.core import places
from cmdr.core.admission.limits import IDE_CLIENTS
from cmdr.core.commander import Commander
from cmdr.core.editing.ide_lock import lock_folder
from cmdr.core.places import UnsafePlace
from cmdr.core.threads import in_thread
from cmdr.ide.notifications import Notifications
from cmdr.ide.server import open_server
from cmdr.ide.session import Session

log = logging.getLogger(__name__)

EDITOR_NAME = "cmdr"
PORT_FILE = "ide-port"
"""Where the port is remembered: clients do not follow to another."""


class IdeFace:
    """All clients of one editor."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._sessions: set[Session] = set()
        self._lock: LockFile | None = None
        self._writing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while this is entered; a place that is not safe means no face, and a line in the log."""
        try:
            listener = listen()
        except (OSError, UnsafePlace) as error:
            log.warning("the editor socket stays closed: %s", error)
            yield
            return
        # A new one at each start: whoever read an old lock file cannot come in with it.
        token = secrets.token_hex(32)
        port: int = listener.getsockname()[1]
        server = await open_server(listener, token, self._attend)
        folders = self._commander.editor.folders
        self._lock = LockFile(port, token)
        await self._write_lock()
        stop = folders.on_change(self._folders_changed)
        notices = Notifications(self._commander, self._tell)
        self._commander.editor.port = port
        try:
            yield
        finally:
            self._commander.editor.port = None
            stop()
            notices.close()
            if self._writing is not None:
                await asyncio.gather(self._writing, return_exceptions=True)
            self._lock.remove()
            # Those who wait are told no before the line goes dead.
            for session in list(self._sessions):
                await session.close()
            server.close()
            await server.wait_closed()

    async def _attend(self, socket: ServerConnection) -> None:
        if len(self._sessions) >= IDE_CLIENTS:
            await socket.close(1013, "Too many clients.")
            return
        session = Session(socket, self._commander)
        self._sessions.add(session)
        try:
            await session.run()
        finally:
            self._sessions.discard(session)
            if not any(other.principal.id == session.principal.id for other in self._sessions):
                self._commander.agent_tabs.gone(session.principal.id)

    def _tell(self, method: str, params: dict[str, Any]) -> int:
        ready = [session for session in self._sessions if session.ready]
        for session in ready:
            session.notify(method, params)
        return len(ready)

    def _folders_changed(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_lock())

    async def _write_lock(self) -> None:
        written: tuple[bytes, ...] | None = None
        # The panes may move on while the file is written.
        while self._lock is not None and written != (now := self._commander.editor.folders.folders):
            written = now
            try:
                await in_thread(self._lock.write, now)
            except (OSError, UnsafePlace) as error:
                log.warning("the editor's lock file was not written: %s", error)


class LockFile:
    """The file by which Claude Code finds this editor: `<port>.lock`, private, replaced whole, gone at the end."""

    def __init__(self, port: int, token: str, folder: str | None = None) -> None:
        self._folder = folder or lock_folder()
        self._token = token
        self.path = os.path.join(self._folder, f"{port}.lock")

    def write(self, folders: Sequence[bytes]) -> None:
        """Announce the editor for these folders; raises `UnsafePlace` or `OSError`."""
        content = {
            "pid": os.getpid(),
            "workspaceFolders": [os.fsdecode(folder) for folder in folders],
            "ideName": EDITOR_NAME,
            "transport": "ws",
            "runningInWindows": False,
            "authToken": self._token,
        }
        places.own(self._folder)
        # A name that is no UTF-8 cannot stand in JSON; its bytes are replaced rather than the whole file lost.
        places.write(self.path, json.dumps(content).encode("utf-8", "replace"))

    def remove(self) -> None:
        """Take it away."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)


def listen(state: str | None = None) -> socket.socket:
    """A listening socket on the loopback, on the port of the last run if it is free."""
    path = os.path.join(state or places.state(), PORT_FILE)
    last = _remembered(path)
    for port in ([last] if last else []) + [0]:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen(64)
        except OSError:
            listener.close()
            if port == 0:
                raise
            continue
        if listener.getsockname()[1] != last:
            places.write(path, b"%d\n" % listener.getsockname()[1])
        return listener
    raise AssertionError("port 0 is either bound or raises")


def _remembered(path: str) -> int | None:
    try:
        data = places.read(path, 16)
    except places.UnsafePlace:
        return None
    text = (data or b"").decode("ascii", "replace").strip()
    return int(text) if text.isdecimal() and 1023 < int(text) < 65536 else None
