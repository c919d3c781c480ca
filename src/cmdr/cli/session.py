"""The handshake of the protocol's older era, kept so that it can be repeated when cmdr was started anew.

The agent never learns that its session was lost: its own opening messages and subscriptions are sent once more.
"""

import contextlib
import http.client
import threading

from cmdr.cli.call import Call, Json, answers
from cmdr.cli.reach import Reach

_ID = "mcp-session-id"


class Session:
    """What ties the agent's messages of the older era together."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._lock = threading.Lock()
        self._headers: dict[str, str] = {}
        self._opening: Call | None = None
        self._ready: Call | None = None
        self._subscribed: dict[str, Call] = {}

    def headers(self) -> dict[str, str]:
        """What later messages carry; waits while the session is being opened again."""
        with self._lock:
            return self._headers

    def note(self, call: Call, answer: Json, response: http.client.HTTPResponse) -> None:
        """Keep what is needed to open the session again."""
        if call.version is not None or response.status >= 400:
            return
        uri = str(call.params.get("uri"))
        if call.method == "initialize":
            with self._lock:
                self._opened(call, answer, response)
        elif call.method == "notifications/initialized":
            self._ready = call
        elif call.method == "resources/subscribe" and "result" in answer:
            self._subscribed[uri] = call
        elif call.method == "resources/unsubscribe":
            self._subscribed.pop(uri, None)

    def renew(self, lost: dict[str, str]) -> list[str]:
        """Open the session again at a cmdr that does not know it; returns what may have changed meanwhile."""
        with self._lock:
            if self._headers is not lost or self._opening is None:
                return []  # done already for another call
            with contextlib.closing(self._opening.again()) as again:
                response = again.post(self._reach, {})
                for _, answer in answers(response):
                    self._opened(self._opening, answer, response)
            for call in [self._ready, *self._subscribed.values()]:
                if call is not None:
                    with contextlib.closing(call.again()) as again:
                        again.post(self._reach, self._headers).read()
            return list(self._subscribed)

    def _opened(self, call: Call, answer: Json, response: http.client.HTTPResponse) -> None:
        result, identifier = answer.get("result"), response.getheader(_ID)
        if isinstance(result, dict) and identifier is not None:
            self._opening = call
            self._headers = {_ID: identifier, "mcp-protocol-version": str(result.get("protocolVersion", ""))}
