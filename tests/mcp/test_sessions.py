"""Sessions of older clients: each has its owner, and whoever opens too many loses its own oldest ones."""

import asyncio
import json

from cmdr.core.entrance.guard import PRINCIPAL
from cmdr.core.principals import Principal
from cmdr.mcp.sessions import EACH, Sessions

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
    sessions = [opened(inside, "greedy") for _ in range(EACH)]
    assert ping(inside, "greedy", sessions[0]) == 200  # used, so it is not the oldest any more
    sessions += [opened(inside, "greedy") for _ in range(2)]
    assert [ping(inside, "greedy", session) for session in sessions[:4]] == [200, 404, 404, 200]
    assert ping(inside, "greedy", sessions[-1]) == 200
    assert ping(inside, "quiet", mine) == 200


def test_a_session_answers_only_to_the_one_who_opened_it(inside):
    session = opened(inside, "owner")
    assert ping(inside, "other", session) == 404
    assert ping(inside, "owner", session) == 200


def test_when_all_sessions_together_are_too_many_the_greediest_caller_loses_one():
    ended = []
    names = iter(f"s{number}".encode() for number in range(100))

    async def sdk(scope, receive, send):
        if scope["method"] == "DELETE":
            ended.append(dict(scope["headers"])[b"mcp-session-id"])
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"mcp-session-id", next(names))]})

    async def unheard(message):
        pass

    sessions = Sessions(sdk, each=10, together=5)
    for name in ("a", "b", "b", "b", "c", "c"):
        scope = {"method": "POST", "headers": [], PRINCIPAL: Principal("agent", name, token=True)}
        asyncio.run(sessions(scope, None, unheard))
    assert ended == [b"s1"]


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
