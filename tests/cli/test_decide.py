"""`cmdr pending` and `cmdr approve` at a real terminal, against a real server."""

import contextlib
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from cmdr.cli.pending_list import pending_lines

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[1] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)


@pytest.fixture
def served(start_server):
    return start_server()


def at_prompt(served, *words):
    program = str(Path(sys.executable).with_name("cmdr"))
    return pty_terminal.PtyTerminal([program, *words], columns=180, rows=40, **served.environment)


def interrupted(prompt):
    """Press Ctrl+C until the program has ended; one that comes just before it reads is only noticed with the next."""
    for _ in range(10):
        prompt.send("ctrl+c")
        with contextlib.suppress(AssertionError):
            return prompt.wait_end(seconds=1)[0]
    raise AssertionError("still running")


def copy_onto(served, *names):
    """An agent proposes to copy files whose names are taken at the other side; the proposal's id."""
    for name in names:
        (served.tree.left / name).write_text(f"new {name}")
        (served.tree.right / name).write_text(f"old {name}")
    answer = served.call("copy", paths=[str(served.tree.left / name) for name in names])
    return re.search(r"proposal: (\S+)", answer)[1]


def test_a_taken_name_is_asked_about_at_the_prompt(served):
    """Nothing was asked after the yes, and the job waited for ever."""
    proposal = copy_onto(served, "a.txt", "b.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        assert "2 names taken: you will be asked" in prompt.screen.text
        prompt.send("y", "enter")
        prompt.wait(f"There is already {served.tree.right}/a.txt (9 B")
        prompt.send("o", "enter")
        prompt.wait(f"There is already {served.tree.right}/b.txt (9 B")
        prompt.send("S", "enter")
        prompt.wait("To take it back: cmdr undo 1")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.right / "a.txt").read_text() == "new a.txt"
    assert (served.tree.right / "b.txt").read_text() == "old b.txt"


def test_ctrl_c_leaves_the_question_open_and_the_same_words_come_back_to_it(served):
    """Ctrl+C printed a traceback."""
    proposal = copy_onto(served, "a.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        prompt.send("y", "enter")
        prompt.wait("There is already")
        assert interrupted(prompt) == 130
        assert f"Left as it is. To go on: cmdr approve {proposal}" in prompt.screen.text
        assert "Traceback" not in prompt.screen.text
    with at_prompt(served, "pending") as prompt:
        prompt.wait_end()
        assert proposal in prompt.screen.text and "which is taken" in prompt.screen.text
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("There is already")
        prompt.send("r", "enter")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.right / "a (1).txt").read_text() == "new a.txt"


def test_ctrl_c_before_the_answer_decides_nothing(served):
    proposal = copy_onto(served, "a.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        assert interrupted(prompt) == 130
        assert "Traceback" not in prompt.screen.text
    with at_prompt(served, "pending", "--json") as prompt:
        prompt.wait_end()
        text = prompt.screen.text
    told = json.loads("".join(line.rstrip() for line in text.splitlines()))
    assert [row["id"] for row in told["proposals"]] == [proposal]


def test_what_waits_is_a_list_to_read():
    waiting = {
        "proposals": [
            {"id": "p_1", "plan": "Copy 1 file to /dst", "what": "/src/a", "by": "agent:a", "digest": "0", "reason": ""}
        ],
        "edits": [{"id": "r_1", "path": "/src/x", "by": "codex", "changes": "2 changes", "digest": "1" * 64}],
        "questions": [{"id": "p_2", "title": "Copy 2 files to /dst", "taken": "/dst/a"}],
    }
    assert pending_lines(waiting) == [
        "p_1  Copy 1 file to /dst",
        "    /src/a",
        "    proposed by agent:a",
        "r_1  Edit /src/x",
        "    2 changes, proposed by codex",
        "p_2  Copy 2 files to /dst",
        "    asks about /dst/a, which is taken",
        "Answer with: cmdr approve ID, or cmdr reject ID",
    ]
    assert pending_lines({"proposals": [], "edits": [], "questions": []}) == ["Nothing waits for you."]
