"""Calls of tools: the same answers in both eras of the protocol, and nothing happens for what is malformed."""

import json

import pytest

from cmdr.mcp.sessionless import OLDER_VERSIONS

OLDER = "2025-11-25"

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
}


def send(inside, body, headers):
    reply = inside.exchange("POST", headers={**inside.headers, **headers}, body=json.dumps(body).encode())
    return reply.status, reply.json() if reply.body else None


def call(inside, name, arguments, *, id=7, **headers):
    params = {"name": name, "arguments": arguments, "_meta": META}
    body = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return send(inside, body, {**HEADERS, "mcp-name": name, **headers})


def opened(inside, version=OLDER):
    """A new session of an older client."""
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    return older_post(inside, message, None, version).headers["mcp-session-id"]


def older_post(inside, message, session, version=OLDER, **more):
    headers = {
        **inside.headers,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **({"mcp-session-id": session} if session else {}),
        **({"mcp-protocol-version": version} if version and session else {}),
        **more,
    }
    return inside.exchange("POST", "/mcp", headers, json.dumps(message).encode())


def older_call(inside, session, name, arguments, *, version=OLDER, **more):
    params = {"name": name, "arguments": arguments, **more}
    return older_post(inside, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, session, version)


def message_of(reply):
    """What was answered as the event of a stream."""
    return json.loads(reply.body.decode().partition("data: ")[2])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("state", {"limit": 3}),
        ("sort", {"pane": "left", "by": "name"}),
        ("sort", {"pane": "left", "by": "nonsense"}),
        ("sort", {}),
        ("nav_to_path", {"pane": "left", "path": "/nonexistent\n\x1b[31m"}),
        ("nav.parent", {"pane": "upside down"}),
        ("no_such_tool", {}),
        ("await", {}),
        ("fs_read", {"path": "/"}),
        ("fs_read", {"path": ["readme.md", "gone"]}),
        ("fs_read", {"paths": ["readme.md"], "count": True}),
        ("fs_read", {"path": "readme.md", "tail": 1}),
        ("fs_list", {"path": "."}),
        ("fs_exists", {"path": ["readme.md", "gone"]}),
        ("fs_stat", {"path": "readme.md"}),
        ("shell_run", {"command": "true"}),
        ("fs_write", {"path": "readme.md", "content": "x"}),
    ],
)
def test_both_eras_give_the_same_answer(inside, name, arguments):
    def settled(body):
        told = body.get("error") or {key: body["result"][key] for key in ("content", "isError")}
        text = json.dumps(told, sort_keys=True)
        return body["id"], "".join(part for part in text.split("\\n") if "rev:" not in part)

    newer = call(inside, name, arguments)[1]
    assert settled(newer) == settled(message_of(older_call(inside, opened(inside), name, arguments)))


def test_a_tool_the_caller_does_not_have_is_a_protocol_error_that_says_why(inside):
    """It was told as a fault inside, with a traceback in the log."""
    _, body = call(inside, "fs_write", {"path": "readme.md", "content": "x"})
    assert body["error"]["code"] == -32602
    assert body["error"]["message"] == "fs_write is switched off: the person starts cmdr with CMDR_MCP_ALLOW_WRITE=1"


def test_a_client_with_a_token_reads_inside_the_root_without_any_setting(inside, tree):
    text = (tree.left / "readme.md").read_text()
    assert inside.call("fs_read", path="readme.md") == f"OK: lines 1-{len(text.splitlines())}\n{text}"
    assert inside.call("fs_read", path=str(tree.right / "backup.tar")).is_error
    assert not inside.call("context_get_current_paths").is_error


def test_text_and_number_ids_come_back_as_they_were(inside):
    for id in (0, "0", "a long one", 2**40):
        assert call(inside, "switch_pane", {}, id=id)[1]["id"] == id


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-name": "sort"},
        {"mcp-method": "tools/list"},
        {"mcp-protocol-version": "2027-01-01"},
        {"accept": "application/json"},
    ],
)
def test_what_contradicts_itself_is_refused_as_before(inside, headers):
    status, body = call(inside, "switch_pane", {}, **headers)
    assert status in (400, 404, 406)
    assert body is None or "error" in body


@pytest.mark.parametrize(
    "change",
    [
        {"jsonrpc": "1.0"},
        {"id": None},
        {"id": True},
        {"id": [1]},
        {"params": []},
        {"params": {"name": "switch_pane", "_meta": {}}},
        {"params": {"name": "switch_pane", "_meta": META, "arguments": []}},
        {"params": {"name": "sort", "_meta": META}},
        {"extra": 1, "params": {"name": 7, "_meta": META}},
    ],
)
def test_malformed_calls_do_nothing(inside, change):
    before = call(inside, "state", {"limit": 0})[1]["result"]["content"][0]["text"].splitlines()[0]
    params = {"name": "switch_pane", "arguments": {}, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, **change}
    status, answer = send(inside, body, {**HEADERS, "mcp-name": "switch_pane"})
    assert status >= 400 or "error" in answer
    after = call(inside, "state", {"limit": 0})[1]["result"]["content"][0]["text"].splitlines()[0]
    assert before == after


@pytest.mark.parametrize("version", sorted(OLDER_VERSIONS))
def test_every_older_version_is_answered_in_its_session(inside, version):
    session = opened(inside, version or "2025-03-26")
    reply = older_call(inside, session, "switch_pane", {}, version=version)
    assert reply.headers["mcp-session-id"] == session
    assert message_of(reply)["result"]["isError"] is False


def test_notes_of_the_client_and_a_wish_for_progress_change_nothing(inside):
    meta = {"progressToken": 3, "example.org/note": "x"}
    reply = older_call(inside, opened(inside), "switch_pane", {}, _meta=meta)
    assert message_of(reply)["result"]["isError"] is False


def test_a_session_of_somebody_else_is_not_found(inside):
    other = inside.as_agent("other")
    assert older_call(other, opened(inside), "switch_pane", {}).status == 404


def test_a_session_that_was_ended_is_not_found(inside):
    session = opened(inside)
    assert older_call(inside, session, "switch_pane", {}).status == 200
    headers = {**inside.headers, "mcp-session-id": session, "mcp-protocol-version": OLDER}
    assert inside.exchange("DELETE", "/mcp", headers).status == 200
    assert older_call(inside, session, "switch_pane", {}).status == 404


def test_a_long_call_is_answered_like_a_short_one(inside):
    reply = older_call(inside, opened(inside), "nav_to_path", {"pane": "left", "path": "x" * 100_000})
    assert message_of(reply)["result"]["isError"] is True
