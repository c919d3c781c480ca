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
from cmdr.core.entrance import instance

START_TIMEOUT_S = 10.0
OTHER_START_TIMEOUT_S = 30.0
"""How long one that somebody else has just started is waited for: a terminal first draws, then listens."""
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
                return _launch()
            except Unreachable as failure:
                self._failed = (time.monotonic(), str(failure))
                raise


def _launch() -> instance.Record:
    import subprocess  # only a start without a running cmdr pays for this import

    environment = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    # -P: an agent starts us inside whatever project it works on, and a module lying there must never be imported.
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "cmdr", "serve", "--leave-after", str(IDLE_EXIT_S), *_project()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.expanduser("~"),
        env=environment,
        start_new_session=True,
    )
    begun, patience = time.monotonic(), START_TIMEOUT_S
    while time.monotonic() < begun + patience:
        if record := instance.wait_until_running(0.2):
            return record
        if server.poll():
            if not instance.is_claimed():
                break
            patience = max(START_TIMEOUT_S, OTHER_START_TIMEOUT_S)  # ours gave way to another that is just starting
    if server.returncode is None:
        raise Unreachable(f"cmdr did not start within {START_TIMEOUT_S:.0f} s; run `cmdr serve` to see why.")
    raise Unreachable(f"cmdr could not be started (exit code {server.returncode}); run `cmdr serve` to see why.")


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
