"""The direct tools on a real server: switches, tokens, roots, and a command that a person approves at a terminal."""

import importlib.util
import os
import pty
import subprocess
import threading
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parent / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)

ON = {
    "CMDR_MCP_TOOLSETS": "panes,ops,fs",
    "CMDR_MCP_ALLOW_WRITE": "true",
    "CMDR_MCP_ALLOW_SHELL": "true",
}


@pytest.fixture
def served(start_server):
    made = start_server(**ON)
    made.headers = {"authorization": f"Bearer {made.token}"}
    return made


def listed(agent):
    return {tool["name"] for tool in agent.rpc("tools/list")["result"]["tools"]}


def at_a_terminal(served, *arguments, typed=""):
    """Run cmdr as a person would, at a terminal of its own; what it printed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        pty_terminal.own_terminal(served.process.args[0], *arguments),
        env=served.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    printed = b""
    try:
        while data := os.read(ours, 4096):
            printed += data
            if typed and b"[y/N]" in printed:  # what is typed before the question is forgotten
                os.write(ours, typed.encode())
                typed = ""
    except OSError:
        pass
    os.close(ours)
    process.wait(60)
    return printed.decode(errors="replace")


def test_tools_come_with_their_switches(start_server, served):
    assert {"fs_read", "fs_write", "shell_run", "context_get_selection"} <= listed(served)
    plain = start_server()
    plain.headers = {"authorization": f"Bearer {plain.token}"}
    direct = {name for name in listed(plain) if name.startswith(("fs_", "shell"))}
    assert direct == {"fs_read", "fs_list", "fs_exists", "fs_stat", "fs_diff"}
    assert plain.call("fs_read", path="readme.md").endswith("# Read me")
    assert "error" in plain.rpc("tools/call", {"name": "fs_write", "arguments": {"path": "made.txt", "content": "x"}})


def test_files_are_read_and_written_inside_the_start_folder_only(served):
    assert served.call("fs.read", path="readme.md").endswith("# Read me")
    assert served.call("fs_write", path="made.txt", content="made").startswith("OK: ")
    assert (served.tree.left / "made.txt").read_text() == "made"
    answer = served.call("fs_read", path=str(served.tree.right / "backup.tar"))
    assert answer.is_error
    assert "outside the folders agents may use" in answer
    assert served.call("fs_read", path=f"{served.home}/state/cmdr/journal.db").is_error


def test_without_a_token_there_are_no_contents(served):
    served.headers = {}
    assert not {name for name in listed(served) if name.startswith(("fs_", "shell"))}
    assert "error" in served.rpc("tools/call", {"name": "fs_read", "arguments": {"path": "readme.md"}})


def test_a_named_client_is_held_to_what_its_token_says(served):
    made = subprocess.run(
        [served.process.args[0], "token", "--client", "held", "--roots", f"{served.tree.right}:ro", "--toolsets", "fs"],
        env=served.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    served.headers = {"authorization": f"Bearer {made.stdout.strip()}"}
    assert {name for name in listed(served) if not name.startswith(("fs_", "context_"))} == set()
    assert served.call("fs_list", path=".").startswith("OK: 1 entry")
    assert served.call("fs_read", path=str(served.tree.left / "readme.md")).is_error
    assert "may only read" in served.call("fs_create", path="new")


def test_a_command_runs_after_the_person_said_yes_at_a_terminal(served):
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(served.call("shell_run", command="echo approved; touch ran"))
    )
    asking.start()
    id = ""
    while not id:
        printed = at_a_terminal(served, "pending", "--list")
        id = next((word for word in printed.split() if word.startswith("p_")), "")
    assert "Run echo approved" in printed
    shown = at_a_terminal(served, "approve", id, typed="y\n")
    assert "echo approved; touch ran" in shown
    asking.join(60)
    assert answers[0].startswith("OK: exit code 0")
    assert (served.tree.left / "ran").exists()
    assert served.token not in served.log()


def test_a_root_that_is_not_there_stops_the_start(tmp_path):
    program = str(Path(os.sys.executable).with_name("cmdr"))
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_STATE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [program, "serve", "--port", "0", "--root", "/no/such/root"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "/no/such/root cannot be used" in done.stderr
