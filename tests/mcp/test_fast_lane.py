"""The quick way answers exactly what the SDK would, and takes nothing it does not fully understand."""

import json

import pytest

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


def call(inside, name, arguments, *, slowly=False, id=7, **headers):
    meta = {**META, "example.org/odd": 1} if slowly else META
    params = {"name": name, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return send(inside, body, {**HEADERS, "mcp-name": name, **headers})


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
    ],
)
def test_both_ways_give_the_same_answer(inside, name, arguments):
    def settled(answer):
        status, body = answer
        text = json.dumps(body, sort_keys=True)
        return status, "".join(part for part in text.split("\\n") if "rev:" not in part)

    assert settled(call(inside, name, arguments)) == settled(call(inside, name, arguments, slowly=True))


@pytest.mark.parametrize("slowly", [False, True])
def test_a_tool_the_caller_does_not_have_is_a_protocol_error_that_says_why(inside, slowly):
    """It was told as a fault inside, with a traceback in the log."""
    _, body = call(inside, "fs_read", {"path": "/"}, slowly=slowly)
    assert body["error"]["code"] == -32602
    assert body["error"]["message"] == "fs_read is switched off: the person adds fs to CMDR_MCP_TOOLSETS"


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
