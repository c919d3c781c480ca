"""The editor face: Claude Code and its like connect here, as to any other editor."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection

from cmdr.core.commander import Commander
from cmdr.core.places import UnsafePlace
from cmdr.core.threads import in_thread
from cmdr.ide.lock_file import LockFile
from cmdr.ide.notices import Notices
from cmdr.ide.port import listen
from cmdr.ide.server import open_server
from cmdr.ide.session import Session

log = logging.getLogger(__name__)

CLIENTS = 32


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
        notices = Notices(self._commander, self._tell)
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
        if len(self._sessions) >= CLIENTS:
            await socket.close(1013, "Too many clients.")
            return
        session = Session(socket, self._commander)
        self._sessions.add(session)
        try:
            await session.run()
        finally:
            self._sessions.discard(session)

    def _tell(self, method: str, params: dict[str, Any]) -> int:
        ready = [session for session in self._sessions if session.ready]
        for session in ready:
            session.notify(method, params)
        return len(ready)

    def _folders_changed(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_lock())

    async def _write_lock(self) -> None:
        told: tuple[bytes, ...] | None = None
        # The panes may move on while the file is written.
        while self._lock is not None and told != (now := self._commander.editor.folders.folders):
            told = now
            try:
                await in_thread(self._lock.write, now)
            except (OSError, UnsafePlace) as error:
                log.warning("the editor's lock file was not written: %s", error)
