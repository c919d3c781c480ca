"""The real Claude Code, offline against a scripted model: an edit opens in cmdr, and one key lands it in the file.

Runs where the package is installed: `npm install --prefix tests/e2e/node @anthropic-ai/claude-code@2.1.325`, or with
CMDR_CLAUDE naming the program.
"""

import importlib.util
import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BESIDE = HERE / "node" / "node_modules" / ".bin" / "claude"
CLAUDE = os.environ.get("CMDR_CLAUDE") or (str(BESIDE) if BESIDE.exists() else None)
CMDR = str(Path(sys.executable).with_name("cmdr"))
KEY = "sk-ant-api03-" + "x" * 60 + "scriptedscriptedAA"
PATIENCE = 60.0

pytestmark = pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")


def beside(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PtyTerminal = beside("pty_terminal").PtyTerminal
ScriptedApi = beside("scripted_api").ScriptedApi


class Desk:
    """cmdr in one terminal, Claude Code in another, and the file between them."""

    def __init__(self, cmdr, claude, api, file):
        self.cmdr, self.claude, self.api, self.file = cmdr, claude, api, file

    def until(self, truth, what):
        """Wait for something, reading both terminals meanwhile so that neither stops."""
        deadline = time.monotonic() + PATIENCE
        while not truth():
            assert time.monotonic() < deadline, f"{what}\n{self.cmdr.screen.text}\n{bytes(self.claude.raw[-3000:])!r}"
            self.cmdr.read(0.02)
            self.claude.read(0.02)

    def shown(self, text):
        self.until(lambda: text in self.cmdr.screen.text, f"{text!r} is not on the screen")


def is_connected(port):
    """Whether anybody has an open connection to a port of ours."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


@contextmanager
def desk(tmp_path):
    home, folder = tmp_path / "home", tmp_path / "ws"
    (home / "run").mkdir(parents=True)
    (home / "run").chmod(0o700)
    folder.mkdir()
    file = folder / "hello.py"
    file.write_text("print('hello')\n")
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
    settled = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "autoUpdates": False,
        "projects": {str(folder): project},
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    }
    (home / ".claude.json").write_text(json.dumps(settled))
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "CMDR_MCP_PORT": "0",
    }
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(CLAUDE)
    node = shutil.which("node")
    with (
        ScriptedApi((str(file), "hello", "goodbye")) as api,
        PtyTerminal([CMDR, str(folder)], cwd=str(folder), **environment) as cmdr,
    ):
        cmdr.wait("hello.py")
        cmdr.wait(lambda _: (home / "run" / "cmdr" / "instance.json").exists())
        offline = {
            **environment,
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": os.pathsep.join([str(programs), os.path.dirname(node or ""), os.environ["PATH"]]),
        }
        with PtyTerminal([CMDR, "claude"], cwd=str(folder), columns=110, rows=40, **offline) as claude:
            at = Desk(cmdr, claude, api, file)
            at.until(lambda: b"shortcuts" in claude.raw, "Claude Code does not come up")
            (lock,) = (home / ".claude" / "ide").glob("*.lock")
            at.until(lambda: is_connected(int(lock.stem)), "Claude Code does not connect to its editor")
            claude.settle(0.5)
            claude.send("please edit")
            claude.settle(0.3)
            claude.send("enter")
            at.shown("1 waits: Ctrl+Y")
            yield at


def test_an_edit_opens_in_cmdr_and_a_key_lands_it_in_the_file(tmp_path):
    with desk(tmp_path) as at:
        at.cmdr.send("ctrl+y")
        at.shown("Waiting for you: 1")
        at.cmdr.send("enter")
        at.shown("y accept")
        assert "Claude Code (ws) proposes" in at.cmdr.screen.text
        assert "print('goodbye')" in at.cmdr.screen.text
        assert at.file.read_text() == "print('hello')\n"
        at.cmdr.send("a")
        at.until(lambda: at.file.read_text() == "print('goodbye')\n", "the edit did not land")
        at.until(lambda: len(at.api.results) == 2, "the model was not told")
        assert "updated successfully" in at.api.results[1]


def test_a_rejected_edit_leaves_the_file_alone(tmp_path):
    with desk(tmp_path) as at:
        at.cmdr.send("ctrl+y")
        at.shown("Waiting for you: 1")
        at.cmdr.send("enter")
        at.shown("y accept")
        at.cmdr.send("r")
        at.until(lambda: "proposes" not in at.cmdr.screen.text, "the view did not close")
        at.until(lambda: b"hello.py" in at.claude.raw, "Claude Code did not hear it")
        assert at.file.read_text() == "print('hello')\n"


def test_an_answer_in_claudes_own_terminal_closes_the_view(tmp_path):
    with desk(tmp_path) as at:
        at.cmdr.send("ctrl+y")
        at.shown("Waiting for you: 1")
        at.cmdr.send("enter")
        at.shown("y accept")
        at.until(lambda: b"Yes" in at.claude.raw, "Claude Code does not ask")
        at.claude.send("1")
        at.until(lambda: at.file.read_text() == "print('goodbye')\n", "the edit did not land")
        at.until(lambda: "proposes" not in at.cmdr.screen.text, "the view did not close")
