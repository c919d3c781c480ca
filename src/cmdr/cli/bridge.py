"""`cmdr-mcp-stdio`: lets an agent that speaks MCP over stdio talk to the running cmdr.

Every message goes to cmdr over HTTP and every answer comes back as it is, in both eras of the protocol. A message says
itself which era it is of: since 2026-07-28 each request carries the version, before that one handshake opens a session.
Agents start this program and wait for its first answer, so it imports little and needs nothing but Python.
"""

import contextlib
import http.client
import json
import os
import queue
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO, Any

from cmdr.cli.bridge_endpoint import EndpointFinder, Unreachable
from cmdr.cli.bridge_session import Call, Json, RequestRefused, Session, answers, connect

MAX_LINE_BYTES = 16 << 20
MAX_CALLS = 64
_LAST_ANSWERS_SECONDS = 0.5
_FROM_FILE_SECONDS = 60.0
"""How long the last answers may take when the input was a file: its end does not say that nobody listens any more."""
_FAREWELL_SECONDS = 1.0
_STREAM_SECONDS = 2.0
_STREAM_RETRY_SECONDS = (0.1, 5.0)

_LISTEN = "subscriptions/listen"
_TOOL = "tools/call"
_TOOLS = "tools/list"
_MAY_BE_DONE = "No answer: cmdr ended while this was under way. It may have been done: ask state before you repeat it."
_IS_HARMLESS = "No answer: cmdr ended while this was under way. It changes nothing, so you can repeat it."
_PARSE_ERROR, _INVALID_REQUEST, _INTERNAL_ERROR = -32700, -32600, -32603
_LOST = (Unreachable, RequestRefused, OSError, http.client.HTTPException)


class Bridge:
    """Carries messages between one agent and cmdr."""

    def __init__(self, finder: EndpointFinder, output: int) -> None:
        self._finder = finder
        self._output = output
        self._writing = threading.Lock()
        self._session = Session(finder)
        self._calls: dict[Any, Call] = {}
        self._looking: set[str] = set()
        """The tools that change nothing, as far as the agent had them listed."""
        self._queue: queue.Queue[Call] = queue.Queue()
        self._ended = False
        self._answered_at = 0.0
        self._listener: threading.Thread | None = None
        self._stream_wanted = threading.Event()
        self._stream_open = threading.Event()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def accept(self, line: bytes) -> None:
        """Take one line from the agent."""
        if not line.strip():
            return
        try:
            found = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return self._error(None, _PARSE_ERROR, "This line is not JSON; send one JSON-RPC message per line.")
        if isinstance(found, list) and found:  # a batch, which one older version of the protocol had
            for item in found:
                self._enqueue(item, json.dumps(item).encode())
            return
        self._enqueue(found, line.strip())

    def refuse_long_line(self) -> None:
        """Answer a line that was too long to keep."""
        told = f"This message is longer than {MAX_LINE_BYTES >> 20} MiB; send less at once."
        self._error(None, _INVALID_REQUEST, told)

    def close(self, patience: float, *, hurried: bool = False) -> None:
        """Let the last answers out while they come, then end the session; a cmdr that just starts gets its time."""
        self._answered_at = time.monotonic()
        while time.monotonic() < self._answered_at + patience and (self._queue.unfinished_tasks or self._waiting()):
            time.sleep(0.005)
            if self._finder.is_starting and not hurried:
                self._answered_at = time.monotonic()
        self._ended = True
        farewell = threading.Thread(target=self._end_session, daemon=True)
        farewell.start()
        farewell.join(_FAREWELL_SECONDS)

    def _end_session(self) -> None:
        with contextlib.suppress(*_LOST):
            if session := self._session.headers():
                target = self._finder.find(start=False)
                with contextlib.closing(connect(target)) as connection:
                    connection.request("DELETE", target.path, headers=target.headers(session))
                    connection.getresponse().read()

    def _waiting(self) -> bool:
        return any(call.method != _LISTEN for call in list(self._calls.values()))

    def _enqueue(self, message: Any, line: bytes) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            return self._error(None, _INVALID_REQUEST, "This is not a JSON-RPC message.")
        identifier = message.get("id")
        if identifier is not None and (isinstance(identifier, bool) or not isinstance(identifier, str | int | float)):
            return self._error(None, _INVALID_REQUEST, "The id of a message is a string or a number.")
        self._queue.put(Call(message, line))

    def _dispatch(self) -> None:
        while True:
            call = self._queue.get()
            if call.method == "notifications/cancelled" and self._cancel(call.params.get("requestId")):
                pass
            elif call.ordered:
                self._relay(call)
            elif len(self._calls) >= MAX_CALLS:
                self._error(call.id, _INTERNAL_ERROR, f"{MAX_CALLS} calls are open already; wait for one to end.")
            else:
                self._calls[call.id] = call
                threading.Thread(target=self._relay, args=(call,), daemon=True).start()
            self._queue.task_done()

    def _cancel(self, identifier: Any) -> bool:
        call = self._calls.get(identifier) if isinstance(identifier, str | int | float) else None
        if call is None or call.version is None:
            return False  # the older era tells the server in words
        call.cancel()
        return True

    def _relay(self, call: Call) -> None:
        try:
            self._carry_through(call)
        except (Unreachable, RequestRefused) as error:
            self._fail(call, _INTERNAL_ERROR, str(error))
        except ValueError:  # not even a header can be made of it
            self._fail(call, _INVALID_REQUEST, "This message names something that cannot be sent.")
        except (OSError, http.client.HTTPException):
            self._tell_lost(call)
        except Exception as error:  # one strange answer must not silence the agent for good
            self._fail(call, _INTERNAL_ERROR, f"The bridge failed with {type(error).__name__}; please report this.")
        finally:
            if self._calls.get(call.id) is call:
                del self._calls[call.id]
            self._answered_at = time.monotonic()
            call.close()

    def _carry_through(self, call: Call) -> None:
        """Carry a message once, and once more when cmdr ended over it and that cannot do anything twice.

        A tool that was called is never called again here, also when it only looks: what the agent knows of panes,
        proposals and places may have ended with that cmdr, so it is told.
        """
        try:
            self._carry(call)
        except (OSError, http.client.HTTPException):
            if call.cancelled or self._ended:
                raise
            self._finder.let_end()
            if call.is_sent and call.method in (_TOOL, _LISTEN):
                raise
            call.close()
            self._carry(call)

    def _carry(self, call: Call) -> None:
        session = self._session.headers()
        response = call.post(self._finder, session)
        if response.status == 404 and session and call.version is None and call.method != "initialize":
            response.read()
            self._renew(session)
            response = call.post(self._finder, self._session.headers())
        answered = False
        for text, answer in answers(response):
            if "method" in answer:
                self._emit(text)
            elif call.id is not None and not call.cancelled:
                answered = True
                self._session.note(call, answer, response)
                if call.method == _TOOLS:
                    self._note_tools(answer)
                # An error from before the server read the id comes without it.
                whole = answer.get("id") == call.id
                self._emit(text if whole else json.dumps({**answer, "id": call.id}).encode())
        if call.id is None:
            self._session.note(call, {}, response)
            if call.method == "notifications/initialized" and session and self._listener is None:
                self._listener = threading.Thread(target=self._listen, daemon=True)
                self._listener.start()
                self._want_stream()
        elif not answered:
            if response.status < 400:
                raise ConnectionResetError  # it began to answer
            self._fail(call, _INTERNAL_ERROR, f"cmdr gave no answer (HTTP {response.status}).")

    def _note_tools(self, answer: Json) -> None:
        result = answer.get("result")
        for tool in result.get("tools", ()) if isinstance(result, dict) else ():
            if tool.get("annotations", {}).get("readOnlyHint") is True:
                self._looking.add(tool["name"])

    def _renew(self, lost: dict[str, str]) -> None:
        for uri in self._session.renew(lost):
            changed = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
            self._emit(json.dumps(changed).encode())
        if self._listener is not None and threading.current_thread() is not self._listener:
            self._want_stream()

    def _want_stream(self) -> None:
        """Have the server's own stream opened now: what the next message sets off must find it open."""
        self._stream_wanted.set()
        self._stream_open.wait(_STREAM_SECONDS)

    def _listen(self) -> None:
        """Pass on what the server says of itself in the older era, for as long as the agent is there."""
        shortest, longest = _STREAM_RETRY_SECONDS
        pause = shortest
        while not self._ended:
            self._stream_wanted.wait(pause)
            self._stream_wanted.clear()
            pause = min(pause * 2, longest)
            with contextlib.suppress(*_LOST):
                status = self._read_stream()
                if status == 405:
                    return  # this server keeps no such stream
                if status == 200:
                    pause = shortest
            self._stream_open.clear()

    def _read_stream(self) -> int:
        session = self._session.headers()
        target = self._finder.find(start=False)
        with contextlib.closing(connect(target)) as connection:
            connection.request("GET", target.path, headers=target.headers({"accept": "text/event-stream", **session}))
            response = connection.getresponse()
            if response.status == 404:
                self._renew(session)
                self._stream_wanted.set()
            elif response.status in (200, 405):
                self._stream_open.set()
            for text, answer in answers(response):
                if "method" in answer:  # not the server's complaint about this request of ours
                    self._emit(text)
            return response.status

    def _tell_lost(self, call: Call) -> None:
        """Nobody knows what became of a message; of a tool, in words for the agent and not as a fault of the way."""
        if call.method != _TOOL:
            return self._fail(call, _INTERNAL_ERROR, _IS_HARMLESS)
        if call.id is not None and not call.cancelled:
            why = _IS_HARMLESS if call.params.get("name") in self._looking else _MAY_BE_DONE
            result: Json = {"content": [{"type": "text", "text": f"ERROR: {why}"}], "isError": True}
            if call.version is not None:
                result["resultType"] = "complete"
            self._emit(json.dumps({"jsonrpc": "2.0", "id": call.id, "result": result}).encode())

    def _fail(self, call: Call, code: int, why: str) -> None:
        if call.id is not None and not call.cancelled:
            self._error(call.id, code, why)

    def _error(self, identifier: Any, code: int, why: str) -> None:
        error = {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": why}}
        self._emit(json.dumps(error).encode())

    def _emit(self, text: bytes) -> None:
        # A line break inside a message can only be white space between its parts.
        view = memoryview(text.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")
        with self._writing, contextlib.suppress(BrokenPipeError):  # an agent that is gone closes our input too
            while view:
                view = view[os.write(self._output, view) :]


def _lines(source: IO[bytes]) -> Iterator[bytes | None]:
    """The lines of the input; None stands for one that is too long."""
    while line := source.readline(MAX_LINE_BYTES):
        if line.endswith(b"\n") or len(line) < MAX_LINE_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(1 << 16)
        yield None


def _url(arguments: list[str]) -> str | None:
    if not arguments:
        return None  # the usual case does not pay for the parser
    import argparse

    parser = argparse.ArgumentParser("cmdr-mcp-stdio", description="Bridge MCP over stdio to the running cmdr.")
    parser.add_argument("--url", help="talk to this address instead of the running cmdr of this user")
    chosen: str | None = parser.parse_args(arguments).url
    return chosen


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> None:
    """Run until the agent closes our input."""
    try:
        finder = EndpointFinder(_url(sys.argv[1:] if arguments is None else arguments))
    except Unreachable as error:
        sys.exit(str(error))
    signal.signal(signal.SIGTERM, _stop)
    bridge = Bridge(finder, sys.stdout.fileno())
    try:
        for line in _lines(sys.stdin.buffer):
            if line is None:
                bridge.refuse_long_line()
            else:
                bridge.accept(line)
        is_file = stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
        bridge.close(_FROM_FILE_SECONDS if is_file else _LAST_ANSWERS_SECONDS)
    except KeyboardInterrupt:
        bridge.close(_LAST_ANSWERS_SECONDS, hurried=True)
    # Threads may still wait for answers that nobody wants any more.
    os._exit(0)


if __name__ == "__main__":
    main()
