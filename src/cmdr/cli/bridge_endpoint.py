"""Finding the running cmdr for the stdio bridge, or starting one without a face.

Every call looks again, so a cmdr that was quit and started anew, on another port and with another token, is found.
"""

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

from cmdr.core import places
from cmdr.core.runtime import instance

START_TIMEOUT_S = 30.0
"""How long a call waits for a cmdr that is starting: a busy machine takes ten times the usual second."""
IDLE_EXIT_S = 600
"""Seconds after which a cmdr that we started ends by itself when its last client is gone."""
CONTROL_SOCKET = "person.sock"
"""The socket in the runtime folder on which a cmdr hears who is there; `core.person_line` is too heavy to import."""
_RETRY_AFTER_S = 5.0
_END_TIMEOUT_S = 1.0
_PATH = "/mcp"
TOKEN_VARIABLE = "CMDR_TOKEN"  # noqa: S105 - a name


class Unreachable(Exception):
    """There is no cmdr to talk to; the message says why and what to do."""


class Endpoint(NamedTuple):
    """Where to send a message, and what proves who sends it."""

    host: str
    port: int
    path: str
    token: str | None

    @property
    def address(self) -> str:
        """The host and port, as shown to people."""
        return f"{self.host}:{self.port}"

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """These headers with the proof of who sends them."""
        return {**headers, "authorization": f"Bearer {self.token}"} if self.token else dict(headers)


class EndpointFinder:
    """Finds cmdr: at a fixed address, or the one instance of this user, which it starts when need be."""

    def __init__(self, url: str | None = None) -> None:
        self._fixed = _parse(url) if url else None
        self._starting = threading.Lock()
        self._failed: tuple[float, str] = (float("-inf"), "")
        self._server: _Server | None = None
        self._line: socket.socket | None = None
        self._there_for: instance.Record | None = None

    def find(self, start: bool = True) -> Endpoint:
        """Where cmdr listens now; starts it when it does not run and `start` allows it."""
        record = _running()
        if self._fixed is not None:
            # The file's token goes only to a port that our own user's cmdr is known to hold.
            ours = record is not None and (self._fixed.host, self._fixed.port) == ("127.0.0.1", record.port)
            return self._fixed._replace(token=_token(from_file=ours))
        if record is None and start:
            record = self._start()
        if record is None:
            raise Unreachable("cmdr is not running; start it with: cmdr serve")
        self._hold_line(record)
        return Endpoint("127.0.0.1", record.port, _PATH, _token(from_file=True))

    @property
    def is_starting(self) -> bool:
        """Whether a cmdr is being started just now."""
        return self._starting.locked()

    def let_end(self) -> None:
        """After a connection broke: give the cmdr behind it a moment to be gone, so that nobody is sent to it again.

        One that was killed has closed its connections some time before it gives up its place.
        """
        deadline = time.monotonic() + _END_TIMEOUT_S
        with contextlib.suppress(Unreachable):
            while time.monotonic() < deadline and self._there_for is not None and _running() == self._there_for:
                time.sleep(0.02)

    def close(self) -> None:
        """Say that we are not there any more."""
        if self._line is not None:
            self._line.close()

    def _hold_line(self, record: instance.Record) -> None:
        """Keep a line open for as long as we live, so that a cmdr that ends by itself knows that somebody is there."""
        with self._starting:
            if self._there_for == record:
                return
            self._there_for = record
            self.close()
            self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            with contextlib.suppress(OSError):  # one that is just quitting needs nobody
                self._line.connect(os.path.join(places.runtime(), CONTROL_SOCKET))

    def _start(self) -> instance.Record:
        with self._starting:
            if record := _running():
                return record
            when, why = self._failed
            if time.monotonic() - when < _RETRY_AFTER_S:
                raise Unreachable(why)
            try:
                if self._server is None or self._server.exit_code() is not None:
                    self._server = _Server()
                return self._server.record()
            except Unreachable as failure:
                if self._server is None or self._server.exit_code() is not None:
                    self._failed = (time.monotonic(), str(failure))
                raise


class _Server:
    """A cmdr that we started; what it says when it cannot start is kept."""

    def __init__(self) -> None:
        import subprocess  # only a start without a running cmdr pays for these imports
        import tempfile

        environment = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as we may be asked why
        # -P: an agent starts us inside whatever project it works on, and a module lying there must never be imported.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cmdr", "serve", "--leave-after", str(IDLE_EXIT_S), *_project()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            cwd=os.path.expanduser("~"),
            env=environment,
            start_new_session=True,
        )

    def exit_code(self) -> int | None:
        """Its exit code; None while it lives."""
        return self._process.poll()

    def record(self) -> instance.Record:
        """Wait until it runs, or another that it gave way to; raises `Unreachable`."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if record := instance.wait_until_running(0.2):
                return record
            if self.exit_code() and not instance.is_claimed():  # nor did it give way to another that is just starting
                break
        if self.exit_code() is None:
            raise Unreachable(f"cmdr is still starting after {START_TIMEOUT_S:.0f} s; try again in a moment.")
        raise Unreachable(
            f"cmdr could not be started (exit code {self.exit_code()}): {self._why() or 'run `cmdr serve` to see why.'}"
        )

    def _why(self) -> str:
        """The last line it wrote, as one short line of text."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(-min(self._errors.tell(), 4096), os.SEEK_END)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return "".join(char if char.isprintable() else " " for char in lines[-1])[:300] if lines else ""


def _project() -> list[str]:
    """The pane's folder for a cmdr that an agent starts: where the agent works, so that it may edit there.

    The server itself runs at home, so that it holds no disk in use; an agent that is started at the root of everything,
    as by a desktop program, works nowhere in particular.
    """
    try:
        here = os.getcwd()
    except OSError:
        return []
    return [] if here == "/" else ["--left", here]


def _running() -> instance.Record | None:
    try:
        return instance.running()
    except (places.UnsafePlace, OSError) as error:
        raise Unreachable(str(error)) from error


def _token(from_file: bool) -> str | None:
    if given := os.environ.get(TOKEN_VARIABLE):
        return given
    if not from_file:
        return None
    try:
        data = places.read(os.path.join(places.runtime(), places.TOKEN_NAME), 1024)
    except (places.UnsafePlace, OSError) as error:
        raise Unreachable(str(error)) from error
    return data.decode("ascii", "replace").strip() if data else None


def _parse(url: str) -> Endpoint:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme != "http" or not parts.hostname or port is None:
        raise Unreachable(f"{url} is not an address of cmdr; it looks like http://127.0.0.1:9224/mcp")
    path = parts.path or _PATH
    return Endpoint(parts.hostname, port, f"{path}?{parts.query}" if parts.query else path, None)
