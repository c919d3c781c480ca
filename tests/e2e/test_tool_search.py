"""The real Claude Code looks for tools with its own search: what people would ask for leads to the right one.

Runs where Claude Code is installed; see test_claude_code.py.
"""

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest

from cmdr.mcp.tool_search import PRELOADED

HERE = Path(__file__).parent


def beside(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ScriptedApi, claude_code = beside("scripted_api").ScriptedApi, beside("test_claude_code")
CLAUDE, KEY = claude_code.CLAUDE, claude_code.KEY
pytestmark = pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")

WANTED = {
    "find files by name": {"query_run"},
    "search files": {"query_run"},
    "search file contents grep": {"query_run"},
    "find text in files": {"query_run", "replace"},
    "find large files": {"report", "query_run"},
    "find duplicate files": {"report"},
    "read a file": {"fs_read"},
    "list directory": {"fs_list", "cd"},
    "edit a file": {"open_diff"},
    "edit many files": {"open_diff", "replace"},
    "replace text in files": {"replace"},
    "move files": {"move"},
    "copy files": {"copy"},
    "delete files": {"delete"},
    "rename many files": {"rename"},
    "make directory": {"mkdir"},
    "undo last change": {"undo"},
    "disk usage by folder": {"report"},
    "wait for approval": {"await"},
    "file size and date": {"fs_stat", "inspect"},
}
"""What is searched for, and the tools that are right; one that is shown from the start needs no search."""
FEWEST_RIGHT = 18


class SearchingModel(ScriptedApi):
    """Searches for one phrase after the other, and keeps what was found."""

    def __init__(self):
        super().__init__(None)
        self.found = {}

    def answer(self, body):
        if not any(tool.get("name") == "ToolSearch" for tool in body.get("tools", [])):
            return [{"type": "text", "text": "A title"}]
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("type") == "tool_result":
                    self.found[block["tool_use_id"]] = block.get("content")
        for number, phrase in enumerate(WANTED):
            if (id := f"toolu_{number}") not in self.found:
                return [{"type": "tool_use", "id": id, "name": "ToolSearch", "input": {"query": phrase}}]
        return [{"type": "text", "text": "All done now."}]


def test_phrases_people_use_lead_to_the_right_tool_first(start_server, tmp_path):
    served = start_server()
    config = tmp_path / "mcp.json"
    headers = {"Authorization": f"Bearer {served.token}"}
    config.write_text(json.dumps({"mcpServers": {"cmdr": {"type": "http", "url": served.url, "headers": headers}}}))
    with SearchingModel() as model:
        environment = {
            **{name: value for name, value in served.environment.items() if not name.startswith("CLAUDE")},
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ENABLE_TOOL_SEARCH": "true",
            "PATH": os.pathsep.join([str(Path(CLAUDE).parent), os.environ["PATH"]]),
        }
        call = [CLAUDE, "-p", "go", "--strict-mcp-config", "--mcp-config", str(config)]
        subprocess.run(call, env=environment, cwd=tmp_path, capture_output=True, check=True, timeout=300)
    firsts = {}
    for number, phrase in enumerate(WANTED):
        told = model.found[f"toolu_{number}"]
        names = [block.get("tool_name", "") for block in told] if isinstance(told, list) else [""]
        firsts[phrase] = names[0].removeprefix("mcp__cmdr__")
    right = [phrase for phrase, first in firsts.items() if WANTED[phrase] & PRELOADED or first in WANTED[phrase]]
    assert len(right) >= FEWEST_RIGHT, {phrase: first for phrase, first in firsts.items() if phrase not in right}
