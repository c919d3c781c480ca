"""`cmdr agents` at a real terminal, against a real server: what each client did, and the way back on one yes."""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cmdr.cli.verbs.agents import moment

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def served(start_server):
    made = start_server()
    made.headers = {"authorization": f"Bearer {made.token}"}
    return made


def at_prompt(served, *words):
    return pty_terminal.PtyTerminal(pty_terminal.own_terminal(CMDR, *words), columns=160, rows=40, **served.environment)


def done(served, tool, **arguments):
    """An agent proposes, and the person approves at a prompt."""
    proposal = re.search(r"proposal: (\S+)", served.call(tool, **arguments))[1]
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0


def three_folders(served):
    for name in ("one", "two", "two/three"):
        done(served, "mkdir", path=str(served.tree.left / name))


def ended(served, *words):
    """What a verb prints at a terminal, and its exit code."""
    with at_prompt(served, *words) as prompt:
        code = prompt.wait_end()[0]
        return code, prompt.screen.text


def test_what_was_done_is_listed_and_all_of_it_undone_after_one_question(served):
    three_folders(served)
    code, text = ended(served, "agents")
    assert code == 0
    assert re.search(r"^\S+: connected · 3 operations, all undoable", text), text
    assert "mkdir " in text
    with at_prompt(served, "agents", "undo") as prompt:
        prompt.wait("All of it? [y/N]")
        assert re.search(r"Undo 3 operations of \S+ since \d\d:\d\d: 3 items\.", prompt.screen.text)
        assert f"mkdir {served.tree.left}/two/three" in prompt.screen.text
        prompt.send("y", "enter")
        prompt.wait("3 operations undone, 3 items")
        assert prompt.wait_end()[0] == 0
    assert not (served.tree.left / "one").exists()
    assert not (served.tree.left / "two").exists()
    code, text = ended(served, "agents", "undo")
    assert (code, "is left there to undo" in text) == (1, True)


def test_the_usual_answer_is_no_and_changes_nothing(served):
    three_folders(served)
    with at_prompt(served, "agents", "undo", "--since", "1h") as prompt:
        prompt.wait("All of it? [y/N]")
        prompt.send("enter")
        prompt.wait("Nothing was undone.")
        assert prompt.wait_end()[0] == 1
    assert (served.tree.left / "two/three").is_dir()


def test_single_operations_and_turns_are_named(served):
    three_folders(served)
    with at_prompt(served, "agents", "undo", "1") as prompt:
        prompt.wait("Undo 1 operation of ")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
    assert not (served.tree.left / "one").exists()
    assert (served.tree.left / "two/three").is_dir()
    code, text = ended(served, "agents", "undo", "--turn", "nobody 7")
    assert (code, 'No turn "nobody 7"' in text) == (1, True)
    code, text = ended(served, "agents", "undo", "--client", "nobody")
    assert (code, "Nothing of nobody is left there to undo" in text) == (1, True)
    with at_prompt(served, "agents", "undo", "--without", "3", "--without", "2") as prompt:
        assert prompt.wait_end()[0] == 1


def test_an_agents_shell_neither_looks_nor_undoes(served):
    three_folders(served)
    marked = {**served.environment, "CLAUDECODE": "1"}
    for words in (["agents"], ["agents", "undo"], ["agents", "allow"], ["agents", "stop"]):
        with pty_terminal.PtyTerminal(
            pty_terminal.own_terminal(CMDR, *words), columns=160, rows=40, **marked
        ) as prompt:
            assert prompt.wait_end()[0] == 1
            assert "is for the person alone" in prompt.screen.text.replace("\n", " ")
    for words in (["agents", "undo"], ["agents", "allow"]):
        ran = subprocess.run(
            [CMDR, *words], env=served.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert ran.returncode == 2
        assert b"run this at an interactive terminal" in ran.stderr
    assert (served.tree.left / "two/three").is_dir()


def test_agents_are_stopped_and_allowed_at_a_prompt(served):
    code, text = ended(served, "agents", "stop")
    assert (code, text.split("\n")[0]) == (0, "All agents are stopped")
    assert "stopped all agents" in served.call("state")
    assert ended(served, "agents")[1].startswith("All agents are stopped.")
    assert ended(served, "agents", "allow")[0] == 0
    assert not served.call("state").is_error


def test_programs_get_all_of_it_as_json(served):
    three_folders(served)
    with at_prompt(served, "agents", "--json", "--since", "00:00") as prompt:
        assert prompt.wait_end()[0] == 0
        told = json.loads(bytes(prompt.raw).decode().strip().replace("\r", ""))
    (row,) = told["rows"]
    assert (row["operations"], row["undoable"], told["isStopped"]) == (3, 3, False)


def test_times_are_read_as_people_write_them():
    today = time.localtime()
    at = time.localtime(moment("13:02"))
    assert (at.tm_yday, at.tm_hour, at.tm_min) == (today.tm_yday, 13, 2)
    assert time.localtime(moment("2026-11-18"))[:4] == (2026, 11, 18, 0)
    assert time.localtime(moment("2026-11-18T13:02"))[:5] == (2026, 11, 18, 13, 2)
    assert time.time() - 7300 < moment("2h") <= time.time() - 7200
    for wrong in ("noon", "25:00", "2026-13-01", "", "-1h", "9999999h"):
        with pytest.raises(argparse.ArgumentTypeError):
            moment(wrong)
