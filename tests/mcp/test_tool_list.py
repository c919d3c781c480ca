"""The tool list is what agents pay for at every start: it changes only on purpose, and stays small."""

import json
import os
import re
from pathlib import Path

import pytest

SNAPSHOT = Path(__file__).with_name("tools.json")
BUDGET = 2_200
"""Tokens (o200k) for the panes, copy and mkdir."""
BYTES = 9_200
"""The same without a tokenizer: this list has a little over four bytes a token."""
UPDATE = bool(os.environ.get("CMDR_UPDATE_SNAPSHOTS"))
COUNT = """
import { readFileSync } from "node:fs";
import { encode } from "./gpt-tokenizer/esm/encoding/o200k_base.js";
console.log(encode(readFileSync(0, "utf8")).length);
"""


def listed(agent, path="/mcp"):
    """The tools as they go over the wire."""
    return agent.rpc("tools/list", path=path)["result"]["tools"]


def compact(tools):
    """The list in its shortest JSON."""
    return json.dumps(tools, ensure_ascii=False, separators=(",", ":"))


def pretty(tools):
    """The list as it stands in the snapshot: one tool a paragraph."""
    return json.dumps(tools, ensure_ascii=False, indent=1) + "\n"


@pytest.fixture
def tools(inside):
    return listed(inside)


@pytest.fixture
def budgeted(inside):
    """The panes, and of the operations copy and mkdir."""
    both = listed(inside, "/mcp?toolsets=panes,ops")
    panes = [tool["name"] for tool in listed(inside, "/mcp?toolsets=panes")]
    return [tool for tool in both if tool["name"] in (*panes, "copy", "mkdir")]


def test_the_list_is_the_committed_one(tools):
    if UPDATE:
        SNAPSHOT.write_text(pretty(tools))
    assert pretty(tools) == SNAPSHOT.read_text(), "set CMDR_UPDATE_SNAPSHOTS=1 if the change is meant"


def test_the_list_is_the_same_at_every_call_and_for_every_client(inside, tools):
    inside.call("sort", pane="left", by="size")
    assert listed(inside) == tools
    assert listed(inside.as_agent("another")) == tools


def test_every_tool_says_what_clients_need_to_know(tools):
    for tool in tools:
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,39}", tool["name"]), tool["name"]
        assert 5 < len(tool["description"]) < 300, tool["name"]
        hints = tool["annotations"]
        assert hints["openWorldHint"] is False
        # A tool that reads says so, every other one whether it destroys: what is not said is the protocol's default.
        assert hints.get("readOnlyHint") is True or isinstance(hints["destructiveHint"], bool), tool["name"]
        assert not ("readOnlyHint" in hints and "destructiveHint" in hints), tool["name"]
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema.get("additionalProperties", False) is False
        for name in schema.get("properties", {}):
            assert re.fullmatch(r"[a-z][a-zA-Z0-9]*", name), (tool["name"], name)
        assert "outputSchema" not in tool
    assert len({tool["name"] for tool in tools}) == len(tools) <= 50


def test_the_tools_of_the_design_are_all_there(inside):
    names = {tool["name"] for tool in listed(inside, "/mcp?toolsets=panes,ops")}
    assert names >= set(
        """state select_volume nav_to_path nav_to_parent nav_back nav_forward scroll_to move_cursor open_under_cursor
        select copy mkdir refresh sort toggle_hidden set_view_mode activate_tab pin_tab dialog switch_pane swap_panes
        quit command""".split()
    )


def test_the_address_chooses_toolsets(inside):
    panes = {tool["name"] for tool in listed(inside, "/mcp?toolsets=panes")}
    ops = {tool["name"] for tool in listed(inside, "/mcp?toolsets=ops")}
    assert "state" in panes - ops
    assert "copy" in ops - panes
    error = inside.rpc("tools/list", path="/mcp?toolsets=panes,everything")["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("No toolset everything. There are: ")


def test_the_list_keeps_its_budget_in_bytes(budgeted):
    assert len(compact(budgeted).encode()) <= BYTES


def test_the_list_keeps_its_budget_in_tokens(budgeted, node):
    ran = node.run("--input-type=module", "--eval", COUNT, input=compact(budgeted), cwd=node.modules)
    assert ran.returncode == 0, ran.stderr
    print("tokens:", ran.stdout)
    assert int(ran.stdout) <= BUDGET
