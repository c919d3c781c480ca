"""The person's own line to a running cmdr: a private socket that only answers a terminal of the same user.

`cmdr approve` and its like use it. The kernel says which process is at the other end; unless that process belongs to
the same user and its standard input is a terminal, the line is closed. That keeps agents' pipes and sandboxes out. It
cannot keep out a program of the same user that drives a terminal of its own; nothing can.
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
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.core.parameter import Arguments
from cmdr.core.principals import PERSON_ACCESS, Principal

SOCKET = "person.sock"
LONGEST_LINE = 1 << 20
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
            if not is_at_a_terminal(writer.get_extra_info("socket")):
                writer.write(_reply(error="Only a person at a terminal can do this."))
                await writer.drain()
                return
            while line := await reader.readline():
                writer.write(await self._run(line))
                await writer.drain()
        except (ConnectionError, ValueError):
            # The other end hung up, or sent a line without end.
            return
        finally:
            writer.close()

    async def _run(self, line: bytes) -> bytes:
        try:
            request = json.loads(line)
            name, arguments = request["command"], request["arguments"]
        except (ValueError, KeyError, TypeError):
            return _reply(error="That is not a request.")
        try:
            answer = await self._commander.run(SHELL, str(name), cast("Arguments", arguments))
        except (CommandError, UnknownCommand) as error:
            return _reply(error=str(error))
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
            raise CommandError(reply["error"])
        return str(reply["answer"])

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


def is_at_a_terminal(peer: socket.socket) -> bool:
    """Whether the process at the other end is ours and reads from a terminal."""
    if sys.platform != "linux":
        return True  # the socket is private to the user; the client itself checks its terminal
    pid, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if uid != os.geteuid():
        return False
    try:
        stdin = os.readlink(f"/proc/{pid}/fd/0")
    except OSError:
        return False
    return stdin.startswith(("/dev/pts/", "/dev/tty"))


def _reply(**told: str) -> bytes:
    return json.dumps(told).encode() + b"\n"
