"""The person's own line to a running cmdr: a private socket that knows a terminal from a script.

`cmdr approve` and its like use it. The kernel says which process is at the other end. One of the same user whose
standard input is a terminal speaks for the person; one that reads from anywhere else, as scripts and agents do, may
look and propose like any program of the user's. A program of the same user that drives a terminal of its own cannot
be told from the person; nothing can.
"""

import asyncio
import json
import os
import socket
import struct
import sys
from contextlib import suppress
from typing import cast

from cmdr.core.commander import Commander
from cmdr.core.errors import CommandError, NotAllowed, NotThere, UnknownCommand, Vanished
from cmdr.core.parameter import Arguments
from cmdr.core.principals import PERSON_ACCESS, SAME_USER, Principal

SOCKET = "person.sock"
LONGEST_LINE = 1 << 20
_KINDS = {kind.__name__: kind for kind in (NotThere, NotAllowed, Vanished)}
SHELL = Principal("person", "shell", PERSON_ACCESS, token=True)
"""The person at a shell prompt."""


class PersonLine:
    """Answers the person's requests, one JSON line each."""

    def __init__(self, commander: Commander, runtime: str) -> None:
        self._commander = commander
        self._path = os.path.join(runtime, SOCKET)
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen; a socket that a crash left behind is replaced."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._take_away()
            listener.bind(self._path)
            os.chmod(self._path, 0o600)
        except OSError:
            listener.close()
            raise
        self._server = await asyncio.start_unix_server(self._answer, sock=listener, limit=LONGEST_LINE)

    async def close(self) -> None:
        """Stop listening and take the socket away."""
        if self._server is not None:
            self._server.close()
            self._take_away()

    def _take_away(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            principal = caller_of(writer.get_extra_info("socket"))
            while principal is not None and (line := await reader.readline()):
                writer.write(await self._run(principal, line))
                await writer.drain()
        except (ConnectionError, ValueError):
            # The other end hung up, or sent a line without end.
            return
        finally:
            writer.close()

    async def _run(self, principal: Principal, line: bytes) -> bytes:
        try:
            request = json.loads(line)
            name, arguments = request["command"], request["arguments"]
        except (ValueError, KeyError, TypeError):
            return _reply(error="That is not a request.")
        try:
            answer = await self._commander.run(principal, str(name), cast("Arguments", arguments))
        except (CommandError, UnknownCommand) as error:
            return _reply(error=str(error), kind=type(error).__name__)
        return _reply(answer=answer)


class PersonCaller:
    """The other end of the line: asks a running cmdr, blocking."""

    def __init__(self, runtime: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(os.path.join(runtime, SOCKET))
        self._lines = self._socket.makefile("rwb")

    def ask(self, command: str, arguments: Arguments) -> str:
        """Run a command as the person and return its answer."""
        self._lines.write(json.dumps({"command": command, "arguments": arguments}).encode() + b"\n")
        self._lines.flush()
        reply = json.loads(self._lines.readline() or b'{"error": "cmdr hung up."}')
        if "error" in reply:
            raise _KINDS.get(reply.get("kind", ""), CommandError)(reply["error"])
        return str(reply["answer"])

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


def caller_of(peer: socket.socket) -> Principal | None:
    """Who is at the other end: the person, a script of theirs that may only look and propose, or nobody of ours."""
    if sys.platform != "linux":
        return SHELL  # the socket is private to the user; the client itself checks its terminal
    pid, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if uid != os.geteuid():
        return None
    try:
        stdin = os.readlink(f"/proc/{pid}/fd/0")
    except OSError:
        return None
    return SHELL if stdin.startswith(("/dev/pts/", "/dev/tty")) else SAME_USER


def _reply(**told: str) -> bytes:
    return json.dumps(told).encode() + b"\n"
