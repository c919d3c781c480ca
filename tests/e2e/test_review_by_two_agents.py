"""One edit from the MCP Inspector and one from another agent wait side by side, and are answered at a shell prompt."""

import importlib.util
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cmdr.cli.verbs.decide import _inked

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parent / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)


def at_prompt(server, *words):
    """`cmdr …` in a real terminal, wide enough that nothing wraps."""
    program = str(Path(sys.executable).with_name("cmdr"))
    return pty_terminal.PtyTerminal(
        pty_terminal.own_terminal(program, *words), columns=180, rows=40, **server.environment
    )


def pending(server, count):
    """The ids of the edits that wait, once there are so many."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with at_prompt(server, "pending", "--list") as prompt:
            prompt.wait_end()
            ids = re.findall(r"r_[A-Za-z0-9_-]{12}", prompt.screen.text)
        if len(ids) == count:
            return ids
    raise AssertionError(f"not {count} edits but {ids}")


def test_the_inspector_and_another_agent_propose_at_the_same_time(server, node, tmp_path):
    first, second = server.tree.left / "readme.md", server.tree.left / "docs" / "guide.md"
    program = node.modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    environment = {**server.environment, "HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "memory"}

    def inspector():
        return node.run(
            program, "--cli", server.url, "--transport", "http", "--quiet", "--format", "json",
            "--method", "tools/call", "--tool-name", "open_diff",
            "--tool-arg", f"path={first}", "contents=# By the Inspector",
            env=environment, cwd=tmp_path,
        )  # fmt: skip

    with ThreadPoolExecutor(2) as pool:
        inspected = pool.submit(inspector)
        pending(server, 1)
        called = pool.submit(server.call, "open_diff", path=str(second), contents="Guide, by another agent")
        one, two = pending(server, 2)
        with at_prompt(server, "approve", one) as prompt:
            prompt.wait("Accept? [y/N]")
            assert "+# By the Inspector" in prompt.screen.text
            prompt.send("y", "enter")
            assert prompt.wait_end()[0] == 0
        with at_prompt(server, "approve", two) as prompt:
            prompt.wait("Accept? [y/N]")
            prompt.send("enter")
            assert prompt.wait_end()[0] == 1
        ran = inspected.result(60)
        assert "FILE_SAVED" in ran.stdout, ran.stdout + ran.stderr
        assert called.result(60) == "OK: DIFF_REJECTED"
    assert first.read_text() == "# By the Inspector"
    assert second.read_text() == "Guide"


def test_a_patch_at_the_prompt_holds_nothing_that_acts_on_a_terminal():
    assert _inked("+\x1b[2J\u202e\tx") == "+\\u{1b}[2J\\u{202e}\tx"
