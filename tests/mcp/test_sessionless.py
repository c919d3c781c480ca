"""Resources are read without a session, with nothing but curl; what needs one says how to get it."""

import json

import pytest
import yaml

INVALID_PARAMS, INVALID_REQUEST, RESOURCE_NOT_FOUND = -32602, -32600, -32002


def posted(inside, message, **headers):
    """What a bare POST gets, as curl would send it."""
    sent = {**inside.headers, "accept": "*/*", "content-type": "application/json", **headers}
    return inside.exchange("POST", "/mcp", sent, json.dumps(message).encode())


def asked(method, **params):
    return {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}


def test_the_state_is_read_without_a_handshake(inside, tree):
    # It used to be "Bad Request: Missing session ID".
    reply = posted(inside, asked("resources/read", uri="cmdr://state"))
    assert reply.status == 200
    (contents,) = reply.json()["result"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == ("cmdr://state", "application/yaml")
    assert yaml.safe_load(contents["text"])["left"]["path"] == str(tree.left)


def test_what_there_is_to_read_is_listed_without_a_handshake(inside):
    listed = posted(inside, asked("resources/list")).json()["result"]["resources"]
    assert [each["uri"] for each in listed] == ["cmdr://state", "cmdr://dialogs/available", "cmdr://commands"]
    templates = posted(inside, asked("resources/templates/list")).json()["result"]["resourceTemplates"]
    assert "cmdr://jobs/{id}" in [each["uriTemplate"] for each in templates]


def test_a_resource_that_is_not_there_is_an_error_with_its_id(inside):
    answer = posted(inside, asked("resources/read", uri="cmdr://nothing")).json()
    assert (answer["id"], answer["error"]["code"]) == (5, RESOURCE_NOT_FOUND)
    assert answer["error"]["message"].startswith("Resource not found")
    assert posted(inside, asked("resources/read")).json()["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("version", [{}, {"mcp-protocol-version": "2025-06-18"}])
def test_a_tool_without_a_session_says_how_to_get_one(inside, version):
    reply = posted(inside, asked("tools/call", name="state", arguments={}), **version)
    assert (reply.status, reply.json()["id"]) == (400, 5)
    assert 'POST "initialize" first' in reply.json()["error"]["message"]


@pytest.mark.parametrize("odd", [[asked("ping"), asked("ping")], [], {"id": 1}, "ping", 5, None])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_what_is_no_message_gets_one_line(inside, odd, version):
    # A batch used to get 1.2 kB about the program's own classes.
    reply = posted(inside, odd, accept="application/json, text/event-stream", **{"mcp-protocol-version": version})
    assert reply.status == 400
    error = reply.json()["error"]
    assert error["code"] == INVALID_REQUEST
    assert error["message"].startswith(
        "This is a batch." if isinstance(odd, list) else "This is no JSON-RPC 2.0 message"
    )
    assert len(reply.body) < 250


@pytest.mark.parametrize(
    "headers", [{"authorization": ""}, {"origin": "https://evil.example"}, {"content-type": "text/plain"}]
)
def test_the_guard_stands_before_it(inside, headers):
    assert b"contents" not in posted(inside, asked("resources/read", uri="cmdr://state"), **headers).body
