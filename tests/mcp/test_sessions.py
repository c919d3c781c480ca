"""Sessions of older clients: each has its owner, and whoever opens too many loses its own oldest ones."""

import asyncio
import gc
import json

from mcp.server.streamable_http import StreamableHTTPServerTransport

from cmdr.core.admission.limits import MCP_SESSION_IDLE_S, MCP_SESSIONS, Concurrency
from cmdr.core.dispatch.principals import Principal
from cmdr.http.authentication import PRINCIPAL
from cmdr.http.request_limits import Exchange
from cmdr.mcp.sessions import Sessions

_ERA = "2025-06-18"


def opened(inside, name):
    """Open a session of the older era and return its id."""
    about = {"protocolVersion": _ERA, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    reply = send(inside, name, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
    assert reply.status == 200, reply.body
    return reply.headers["mcp-session-id"]


def send(inside, name, message, session=None):
    headers = {
        "authorization": f"Bearer {name}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **({"mcp-session-id": session, "mcp-protocol-version": _ERA} if session else {}),
    }
    return inside.exchange("POST", "/mcp", headers, json.dumps(message).encode())


def ping(inside, name, session):
    """The status of a ping in a session."""
    return send(inside, name, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, session).status


def test_a_client_that_opens_session_after_session_loses_its_own_oldest_and_nobody_elses(inside):
    mine = opened(inside, "quiet")
    sessions = [opened(inside, "greedy") for _ in range(MCP_SESSIONS.per_caller)]
    assert ping(inside, "greedy", sessions[0]) == 200  # used, so it is not the oldest any more
    sessions += [opened(inside, "greedy") for _ in range(2)]
    assert [ping(inside, "greedy", session) for session in sessions[:4]] == [200, 404, 404, 200]
    assert ping(inside, "greedy", sessions[-1]) == 200
    assert ping(inside, "quiet", mine) == 200


def test_a_session_answers_only_to_the_one_who_opened_it(inside):
    session = opened(inside, "owner")
    assert ping(inside, "other", session) == 404
    assert ping(inside, "owner", session) == 200


class Desk:
    """Sessions before an SDK that opens `s0`, `s1`, …, keeps GET streams open, and notes which sessions were ended."""

    def __init__(self, **how):
        self.ended = []
        self.forgotten = []
        self.now = 0.0
        self._opened = 0
        self.sessions = Sessions(self._sdk, clock=lambda: self.now, **how)
        self.sessions.on_end = self.forgotten.append

    async def _sdk(self, scope, receive, send):
        named = dict(scope["headers"]).get(b"mcp-session-id")
        if scope["method"] == "DELETE":
            self.ended.append(named)
            return
        if named is None:
            named = b"s%d" % self._opened
            self._opened += 1
        await send({"type": "http.response.start", "status": 200, "headers": [(b"mcp-session-id", named)]})
        if scope["method"] == "GET":
            await asyncio.Event().wait()

    async def request(self, caller, session=None, method="POST"):
        headers = [(b"mcp-session-id", session)] if session else []
        scope = {"method": method, "headers": headers, PRINCIPAL: Principal("agent", caller, token=True)}
        await self.sessions(scope, None, self._unheard)

    async def listening(self, caller, session):
        """A standing stream of a session that is open now."""
        stream = asyncio.create_task(self.request(caller, session, "GET"))
        await asyncio.sleep(0)
        return stream

    async def _unheard(self, message):
        pass


def held(*kinds):
    """How many objects of each of these classes are alive."""
    gc.collect()
    alive = gc.get_objects()
    return [sum(type(one) is kind for one in alive) for kind in kinds]


def test_sessions_that_nobody_closes_hold_a_bounded_number_of_objects_and_none_of_a_connection(inside):
    transports, exchanges = held(StreamableHTTPServerTransport, Exchange)
    for number in range(MCP_SESSIONS.total + 44):
        opened(inside, f"client{number % 10}")
    more_transports, more_exchanges = held(StreamableHTTPServerTransport, Exchange)
    assert more_transports - transports <= MCP_SESSIONS.total + 2  # the last ones may be ending just now
    assert more_exchanges - exchanges <= 2


async def test_when_all_sessions_together_are_too_many_nobody_loses_its_only_one():
    desk = Desk(limit=Concurrency(10, 5))
    for name in ("a", "b", "b", "b", "c", "c", "d", "e"):
        await desk.request(name)
        desk.now += 1
    assert desk.ended == desk.forgotten == [b"s1", b"s2", b"s4"]
    assert len(desk.sessions) == 5


async def test_among_callers_with_one_session_each_the_one_unused_for_longest_ends():
    desk = Desk(limit=Concurrency(64, 2))
    for name in ("a", "b"):
        await desk.request(name)
    desk.now = 1.0
    await desk.request("a", b"s0")
    await desk.request("c")
    assert desk.ended == [b"s1"]


async def test_a_session_that_waits_for_an_answer_is_spared_and_so_is_the_new_one():
    desk = Desk(limit=Concurrency(2, 256))
    for _ in range(2):
        await desk.request("a")
    streams = [await desk.listening("a", session) for session in (b"s0", b"s1")]
    await desk.request("a")
    assert desk.ended == [b"s0"]
    await desk.request("a")
    assert desk.ended == [b"s0", b"s2"]
    for stream in streams:
        stream.cancel()


async def test_a_session_that_nobody_used_for_half_an_hour_is_over_when_the_next_one_opens():
    desk = Desk()
    for _ in range(3):
        await desk.request("a")
    stream = await desk.listening("a", b"s0")
    desk.now = MCP_SESSION_IDLE_S
    await desk.request("a", b"s1")
    desk.now += 1
    await desk.request("b")
    assert desk.ended == desk.forgotten == [b"s2"]
    assert len(desk.sessions) == 3
    stream.cancel()


def test_two_sessions_of_one_client_have_each_its_own_working_directory(inside):
    def cd(session, path):
        params = {"name": "cd", "arguments": {"path": path, "limit": 0}}
        return send(inside, "one", {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}, session).body

    first, second = opened(inside, "one"), opened(inside, "one")
    before = cd(first, ".")
    assert b"OK: /" in before
    cd(second, "/")
    assert cd(first, ".") == before
    assert b"OK: /: " in cd(second, ".")


async def test_a_caller_is_gone_when_its_last_session_has_ended():
    desk, gone = Desk(limit=Concurrency(10, 10)), []
    desk.sessions.on_gone = gone.append
    for name in ("a", "a", "b"):
        await desk.request(name)
    await desk.sessions._end("agent:a", b"s0")
    assert gone == []
    await desk.sessions._end("agent:a", b"s1")
    assert gone == ["agent:a"]


def test_the_tabs_and_viewers_of_a_client_close_with_its_last_session(inside):
    commander, session = inside.commander, opened(inside, "leaver")
    inside.in_loop(lambda: (setattr(commander.desktop, "pages", 1), setattr(commander.agent_tabs, "grace_s", 0.0)))
    for number, (tool, arguments) in enumerate(
        (
            ("nav_to_path", {"pane": "left", "path": "/"}),
            ("dialog", {"action": "open", "type": "info", "path": "/"}),
        )
    ):
        params = {"name": tool, "arguments": arguments}
        told = send(
            inside, "leaver", {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}, session
        )
        assert b"OK: " in told.body
    assert inside.in_loop(lambda: [tab.agent for tab in commander.workspace.left.tabs]) == ["", "agent:leaver"]
    named = {"authorization": "Bearer leaver", "mcp-session-id": session, "mcp-protocol-version": _ERA}
    inside.exchange("DELETE", "/mcp", named)
    while inside.in_loop(lambda: len(commander.workspace.tabs)) > 2:
        pass
    assert inside.in_loop(lambda: commander.workspace.dialogs) == []
