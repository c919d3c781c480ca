"""Plain calls of older clients take the quick way too: the same answers, each in its own session, and none is lost."""

import json

import pytest

from cmdr.mcp import sessions as rules
from cmdr.mcp.plain_call import OLDER
from cmdr.mcp.sessions import Sessions

VERSION = "2025-11-25"


def opened(inside, version=VERSION):
    """A new session."""
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    return post(inside, message, None, version).headers["mcp-session-id"]


def post(inside, message, session, version=VERSION, **more):
    headers = {
        **inside.headers,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **({"mcp-session-id": session} if session else {}),
        **({"mcp-protocol-version": version} if version and session else {}),
        **more,
    }
    return inside.exchange("POST", "/mcp", headers, json.dumps(message).encode())


def call(inside, session, name, arguments, *, slowly=False, id=7, version=VERSION, meta=None):
    params = {"name": name, "arguments": arguments}
    if slowly:
        params["_meta"] = {"io.modelcontextprotocol/odd": 1}
    elif meta is not None:
        params["_meta"] = meta
    return post(inside, {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}, session, version)


def message_of(reply):
    """What was answered, as one body or as the event of a stream."""
    if is_quick(reply):
        return reply.json()
    return json.loads(reply.body.decode().partition("data: ")[2])


def is_quick(reply):
    return reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("state", {"limit": 3}),
        ("sort", {"pane": "left", "by": "name"}),
        ("sort", {"pane": "left", "by": "nonsense"}),
        ("sort", {}),
        ("nav_to_path", {"pane": "left", "path": "/nonexistent\n\x1b[31m"}),
        ("fs_read", {"path": "/"}),
    ],
)
def test_both_ways_give_the_same_answer(inside, name, arguments):
    session = opened(inside)

    def settled(reply):
        text = json.dumps(message_of(reply), sort_keys=True)
        return (
            reply.status,
            reply.headers["mcp-session-id"],
            "".join(part for part in text.split("\\n") if "rev:" not in part),
        )

    quick, slow = (call(inside, session, name, arguments, slowly=slowly) for slowly in (False, True))
    assert (is_quick(quick), is_quick(slow)) == (True, False)
    assert settled(quick) == settled(slow)


@pytest.mark.parametrize("name", ["no_such_tool", "await"])
def test_what_is_unknown_or_may_wait_goes_to_the_sdk(inside, name):
    assert not is_quick(call(inside, opened(inside), name, {"condition": "nothing"}))


@pytest.mark.parametrize("version", sorted(version.decode() for version in OLDER))
def test_every_older_version_is_answered_quickly(inside, version):
    session = opened(inside, version or "2025-03-26")
    reply = call(inside, session, "switch_pane", {}, version=version)
    assert is_quick(reply)
    assert message_of(reply)["result"]["isError"] is False


def test_notes_of_the_client_and_a_wish_for_progress_change_nothing(inside):
    meta = {"progressToken": 3, "example.org/note": "x"}
    assert is_quick(call(inside, opened(inside), "switch_pane", {}, meta=meta))


def test_a_session_of_somebody_else_is_not_found(inside):
    other = inside.as_agent("other")
    reply = call(other, opened(inside), "switch_pane", {})
    assert reply.status == 404


def test_a_session_that_was_ended_is_not_found(inside):
    session = opened(inside)
    assert call(inside, session, "switch_pane", {}).status == 200
    headers = {**inside.headers, "mcp-session-id": session, "mcp-protocol-version": VERSION}
    assert inside.exchange("DELETE", "/mcp", headers).status == 200
    assert call(inside, session, "switch_pane", {}).status == 404


def test_the_sdk_sees_a_call_now_and_then_so_that_it_keeps_the_session(inside, monkeypatch):
    session = opened(inside)
    assert is_quick(call(inside, session, "switch_pane", {}))
    monkeypatch.setattr(rules, "UNSEEN", -1.0)
    assert not is_quick(call(inside, session, "switch_pane", {}))
    monkeypatch.undo()
    assert is_quick(call(inside, session, "switch_pane", {}))


def test_a_session_is_unknown_until_the_sdk_has_opened_it_and_after_a_while():
    now = [0.0]
    held = Sessions(None, clock=lambda: now[0])
    assert not held.use("agent:a", b"s1")
    held._note("agent:a", b"s1")
    held._note("agent:a", b"s2")
    now[0] = rules.UNSEEN
    assert held.use("agent:a", b"s1")
    assert not held.use("agent:b", b"s1")
    assert list(held._held["agent:a"]) == [b"s2", b"s1"]  # the one used last is the last to be ended
    now[0] += 1
    assert not held.use("agent:a", b"s1")  # being used quickly does not count as seen


@pytest.mark.parametrize("more", [{"mcp-method": "tools/call"}, {"mcp-name": "state"}, {"accept": "application/json"}])
def test_headers_of_two_eras_or_too_few_go_to_the_sdk(inside, more):
    params = {"name": "switch_pane", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    reply = post(inside, message, opened(inside), **more)
    assert reply.status != 200 or not is_quick(reply)


def test_a_long_call_is_understood_once_only(inside):
    reply = call(inside, opened(inside), "nav_to_path", {"pane": "left", "path": "x" * 100_000})
    assert not is_quick(reply)
    assert message_of(reply)["result"]["isError"] is True
