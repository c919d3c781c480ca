"""The person's own line to a running cmdr: a private socket that knows a terminal from a script.

`cmdr approve` and its like use it. The kernel says which process is at the other end. One of the same user whose
standard input is a terminal speaks for the person, unless an agent started it; one that reads from anywhere else, as
scripts do, may look and propose like any program of the user's. A program of the same user that drives a terminal of
its own and hides where it comes from cannot be told from the person; nothing can.
"""

import asyncio
import json
import logging
import os
import socket
import struct
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from cmdr.core.agents.agent_detection import ADVICE, agent_above, agent_ports, marked
from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Reply
from cmdr.core.dispatch.parameter import Arguments, Json
from cmdr.core.dispatch.principals import PERSON_ACCESS, SAME_USER, Principal
from cmdr.core.errors import CommandError, NotAllowed, NotThere, UnknownCommand, Vanished
from cmdr.core.runtime.idle_shutdown import IdleShutdown
from cmdr.core.threads import in_thread
from cmdr.model.names import printable

log = logging.getLogger(__name__)

SOCKET = "person.sock"
MAX_LINE_BYTES = 1 << 20
CLOSE_TIMEOUT_S = 1.0
"""Seconds that hanging up may take at the end."""
_KINDS = {kind.__name__: kind for kind in (NotThere, NotAllowed, Vanished)}
SHELL = Principal("person", "shell", PERSON_ACCESS, token=True)
"""The person at a shell prompt."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is at the other end, and why it is not the person."""

    principal: Principal
    why: str = ""

    async def run(self, commander: Commander, command: str, arguments: Arguments) -> Reply:
        """Run a command; what is the person's alone is refused with the reason why this caller is not them."""
        try:
            return Reply.of(await commander.ask(self.principal, command, arguments))
        except NotAllowed:
            if self.why and not commander.policy.agents_stopped:
                raise NotAllowed(f"{command} is for the person alone. {self.why} {ADVICE}") from None
            raise


class ControlSocket:
    """Answers the person's requests, one JSON line each."""

    def __init__(self, commander: Commander, runtime: str, idle_shutdown: IdleShutdown | None = None) -> None:
        self._commander = commander
        self._lingering = idle_shutdown
        self._path = os.path.join(runtime, SOCKET)
        self._server: asyncio.Server | None = None
        self._silent: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        """The lines on which nothing was asked that is not answered yet."""
        self._closed = False

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
        self._server = await asyncio.start_unix_server(self._answer, sock=listener, limit=MAX_LINE_BYTES)

    async def close(self) -> None:
        """Stop listening, take the socket away, and hang up on those who ask nothing."""
        if self._server is not None:
            self._server.close()
            self._take_away()
        self._closed = True
        silent = dict(self._silent)
        for writer in silent.values():
            writer.close()
        if silent:
            await asyncio.wait(silent, timeout=CLOSE_TIMEOUT_S)

    def _take_away(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._lingering is not None:
            self._lingering.came()
        try:
            caller: Caller | None = None
            while line := await self._next_line(reader, writer):
                # A bridge asks nothing: its line stands for as long as it lives, and tells that somebody is there.
                caller = caller or await in_thread(
                    caller_of, writer.get_extra_info("socket"), agent_ports(self._commander)
                )
                if caller is None:
                    return
                writer.write(await self._run(caller, line))
                await writer.drain()
        except (ConnectionError, ValueError):
            # The other end hung up, or sent a line without end.
            return
        finally:
            if self._lingering is not None:
                self._lingering.left()
            writer.close()

    async def _next_line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        task = asyncio.current_task()
        if self._closed or task is None:
            return b""
        self._silent[task] = writer
        try:
            return await reader.readline()
        finally:
            del self._silent[task]

    async def _run(self, caller: Caller, line: bytes) -> bytes:
        try:
            request = json.loads(line)
            name, arguments = request["command"], request["arguments"]
            if (shell := request.get("shell")) and caller.principal is SHELL:
                caller = held_back(str(shell))  # where the kernel tells us less, the caller's own word counts
        except (ValueError, KeyError, TypeError, AttributeError):
            return _reply(error="That is not a request.")
        try:
            answer = await caller.run(self._commander, str(name), cast("Arguments", arguments))
        except (CommandError, UnknownCommand) as error:
            return _reply(error=str(error), kind=type(error).__name__)
        except Exception:
            log.exception("%s failed", printable(str(name)))
            return _reply(error="cmdr failed inside; its log says how.")
        return _reply(answer=answer.words, result=answer.result, failed=answer.failed)


class ControlClient:
    """The other end of the line: asks a running cmdr, blocking."""

    def __init__(self, runtime: str, seconds: float | None = None) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(seconds)
        self._socket.connect(os.path.join(runtime, SOCKET))
        self._lines = self._socket.makefile("rwb")
        self._shell = marked(os.environ)

    def ask(self, command: str, arguments: Arguments) -> Reply:
        """Run a command as the person and return its answer."""
        request = {"command": command, "arguments": arguments, "shell": self._shell}
        self._lines.write(json.dumps(request).encode() + b"\n")
        self._lines.flush()
        reply = json.loads(self._lines.readline() or b'{"error": "cmdr hung up."}')
        if "error" in reply:
            raise _KINDS.get(reply.get("kind", ""), CommandError)(reply["error"])
        return Reply(reply["answer"], reply["result"], reply["failed"])

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


def caller_of(peer: socket.socket, ports: Collection[int] = ()) -> Caller | None:
    """Who is at the other end: the person, a program that may only look and propose, or nobody of ours."""
    if sys.platform != "linux":
        return Caller(SHELL)  # the socket is private to the user; the client itself checks its terminal
    pid, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return caller_at(pid, ports) if uid == os.geteuid() else None


def caller_at(pid: int, ports: Collection[int] = ()) -> Caller | None:
    """Who a process of this user speaks for."""
    try:
        stdin = os.readlink(f"/proc/{pid}/fd/0")
    except OSError:
        return None
    if not stdin.startswith(("/dev/pts/", "/dev/tty")):
        return Caller(SAME_USER, "This was not typed at a terminal: its standard input is none.")
    why = agent_above(pid, ports, below=os.getpid())
    return held_back(why) if why else Caller(SHELL)


def caller_here() -> Caller:
    """Who this very process speaks for, when no other cmdr runs to judge it."""
    why = marked(os.environ) or agent_above(os.getpid())
    return held_back(why) if why else Caller(SHELL)


def held_back(why: str) -> Caller:
    """A program in a terminal that an agent opened: it may look and propose."""
    return Caller(SAME_USER, f"This comes from a shell that an agent opened ({printable(why, 120)}).")


def _reply(**fields: Json) -> bytes:
    return json.dumps(fields).encode() + b"\n"
