"""`cmdr claude` starts Claude Code wired to the running cmdr, and nothing else."""

import json
import os
import subprocess

import pytest

from cmdr import commands
from cmdr.cli.verbs.claude import arguments_of
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.core.editing.ide_lock import lock_of


def run(server, cwd, path, *arguments):
    environment = {**server.environment, "PATH": str(path)}
    program = os.path.join(os.path.dirname(os.sys.executable), "cmdr")
    return subprocess.run(
        [program, "claude", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def fake_claude(tmp_path):
    """A program that says how it was started; the real one is tested where it is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text('#!/bin/sh\necho "$CLAUDE_CODE_SSE_PORT"\nfor word in "$@"; do echo "$word"; done\n')
    program.chmod(0o755)
    return folder


def test_it_starts_claude_at_this_editor_in_manual_mode(server, fake_claude):
    ran = run(server, server.tree.left, fake_claude, "-c", "--model", "x")
    assert ran.returncode == 0, ran.stderr
    port, *words = ran.stdout.splitlines()
    assert int(port) == lock_of(server.process.pid, str(server.home / ".claude" / "ide")).port
    assert words[:2] == ["--permission-mode", "manual"]
    assert words[-3:] == ["-c", "--model", "x"]
    config = json.loads(words[words.index("--mcp-config") + 1])
    assert config["mcpServers"]["cmdr"]["args"] == ["-P", "-m", "cmdr.cli.bridge"]
    assert server.token not in ran.stdout


def test_a_folder_that_cmdr_does_not_show_is_mentioned(server, fake_claude, tmp_path):
    ran = run(server, tmp_path, fake_claude)
    assert ran.returncode == 0
    assert f"cmdr does not show {tmp_path}" in ran.stderr


def test_a_missing_claude_is_said_clearly(server, tmp_path):
    ran = run(server, tmp_path, tmp_path / "nowhere")
    assert ran.returncode == 127
    assert ran.stderr.startswith("Claude Code is not installed")


def test_without_a_running_cmdr_nothing_is_started(start_server, fake_claude, tmp_path):
    served = start_server()
    served.close()
    ran = run(served, tmp_path, fake_claude)
    assert ran.returncode == 1
    assert ran.stderr.startswith("cmdr is not running here. Open it in another terminal first: cmdr ")
    assert ran.stdout == ""


def test_a_chosen_permission_mode_is_left_alone():
    assert "manual" not in arguments_of(["--permission-mode", "plan"])
    assert "manual" not in arguments_of(["--permission-mode=plan"])


def test_claude_need_not_ask_about_tools_of_cmdr_that_look_or_propose():
    commands.register()
    (word,) = [word for word in arguments_of(["a question"]) if word.startswith("--allowedTools")]
    allowed = word.removeprefix("--allowedTools=").split(",")
    tools = {f"mcp__cmdr__{command.name}": command for command in REGISTRY if command.is_tool}
    ide = {"ide"}  # they answer the editor connection, and are off over MCP unless the person wants them
    acting = {"mcp__cmdr__command", "mcp__cmdr__quit"}  # the one reaches those that act, the other ends the program
    harmless = {
        name for name, command in tools.items() if command.access <= Access.PROPOSE and command.toolset not in ide
    }
    assert set(allowed) == harmless - acting
    assert len(allowed) == len(set(allowed))
    assert not [name for name in allowed if not name.startswith("mcp__cmdr__") or "*" in name]
    # The person's own words come last, and stay whole.
    assert arguments_of(["a question"])[-1] == "a question"
