"""The MCP Inspector's command line against a real cmdr: over HTTP and through the stdio bridge, in both eras."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
TOOL_ERROR = 5
"""The Inspector's exit code for a tool that answered with an error."""


@pytest.fixture
def inspect(node, server, bridge_program, tmp_path, request):
    """Runs several requests side by side, each in a process and connection of its own; exit codes and results."""
    way, era = request.param
    program = node.modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    # Like many clients, the Inspector starts programs with few variables; the private home is named to it.
    passed_on = [f"-e{name}={server.environment[name]}" for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME")]
    target = [server.url, "--transport", "http"] if way == "http" else [bridge_program, *passed_on]
    environment = {**server.environment, "HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "memory"}

    def one(arguments):
        wanted = ["--protocol-era", era, "--quiet", "--format", "json", *arguments]
        ran = node.run(program, "--cli", *target, *wanted, env=environment, cwd=tmp_path)
        assert ran.stdout, ran.stderr
        told = json.loads(ran.stdout)
        return ran.returncode, told.get("result", told)

    def run(*requests):
        with ThreadPoolExecutor(len(requests)) as pool:
            return list(pool.map(one, requests))

    run.version = VERSIONS[era]
    return run


@pytest.mark.parametrize(
    "inspect", [(way, era) for way in ("http", "stdio") for era in VERSIONS], indirect=True, ids="-".join
)
def test_the_inspector_lists_calls_and_reads(inspect, server):
    server.call("nav_to_path", pane="left", path=str(server.tree.left))
    server.call("sort", pane="left", by="name", order="asc")

    opened, listed, called, failed, read = inspect(
        ["--method", "initialize"],
        ["--method", "tools/list", "--strict"],
        ["--method", "tools/call", "--tool-name", "move_cursor", "--tool-arg", "pane=left", "to=package.json"],
        ["--method", "tools/call", "--tool-name", "nav_to_path", "--tool-arg", "pane=left", "path=/nowhere/at/all"],
        ["--method", "resources/read", "--uri", "cmdr://state"],
    )

    assert opened[0] == 0
    assert opened[1]["protocolVersion"] == inspect.version
    assert opened[1]["serverInfo"]["name"] == "cmdr"

    assert listed[0] == 0
    assert {"state", "nav_to_path", "select", "dialog", "copy"} <= {tool["name"] for tool in listed[1]["tools"]}

    assert called[0] == 0
    assert called[1]["content"] == [{"type": "text", "text": "OK: Cursor moved to index 13 (package.json)"}]

    assert failed[0] == TOOL_ERROR
    assert failed[1]["isError"] is True
    assert failed[1]["content"][0]["text"] == "ERROR: Path not found: /nowhere/at/all"

    assert read[0] == 0
    (contents,) = read[1]["contents"]
    assert contents["mimeType"] == "application/yaml"
    assert yaml.safe_load(contents["text"])["left"]["path"] == str(server.tree.left)
