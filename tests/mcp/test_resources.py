"""What agents read by address: a set and a scan are found there like a job or a proposal."""

import json
import re

import yaml


def test_a_set_is_a_resource_with_a_few_of_its_members(inside, tree):
    found = re.search(r"set: (s_\w+)", inside.call("query_run", root=str(tree.left), kind="file"))[1]
    told = yaml.safe_load(inside.read(f"cmdr://sets/{found}"))
    assert told["selectionId"] == found
    assert told["counts"] >= len(told["sample"]) > 0


def test_a_scan_is_a_job_like_any_other(inside, tree):
    job = re.search(r"jobId: (\S+)", inside.call("index", root=str(tree.left)))[1]
    inside.call("await", job=job)
    told = yaml.safe_load(inside.read(f"cmdr://jobs/{job}"))
    assert (told["state"], told["entries"] > 0) == ("done", True)


def test_a_resource_that_is_not_there_has_the_code_of_each_era(inside):
    def older(message, **headers):
        sent = {"accept": "application/json, text/event-stream", "content-type": "application/json", **headers}
        return inside.exchange("POST", "/mcp", {**inside.headers, **sent}, json.dumps(message).encode())

    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    opened = older({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    for uri in ("cmdr://nothing", "cmdr://sets/s_nobodys", "cmdr://jobs/j_never"):
        asked = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": uri}}
        for headers in ({}, session):
            assert '"code":-32002' in older(asked, **headers).body.decode().replace(" ", ""), uri
        assert inside.rpc("resources/read", {"uri": uri})["error"]["code"] == -32602, uri
