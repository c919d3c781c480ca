"""`cmdr pending` at a real terminal, against a real server: every row, and the keys that answer it."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cmdr.cli.verbs.inbox import inbox_lines, keys_of, row_lines

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
CMDR = str(Path(sys.executable).with_name("cmdr"))
ROW = {
    "id": "p_1", "kind": "proposal", "by": "claude", "what": "Copy 1 file to /dst", "detail": "/src/a",
    "amount": "1 file", "risk": [], "since": 0.0, "expires": None, "digest": "0", "reason": "", "word": "",
    "answers": ["yes", "no"], "alike": "", "rule": "", "question": "",
}  # fmt: skip


@pytest.fixture
def served(start_server):
    return start_server()


def at_prompt(served, *words):
    return pty_terminal.PtyTerminal(
        pty_terminal.own_terminal(CMDR, "pending", *words), columns=180, rows=60, **served.environment
    )


def proposed(served, tool, **arguments):
    return re.search(r"proposal: (\S+)", served.call(tool, **arguments))[1]


def pressed(prompt, number, *keys):
    """Press keys once so many rows, in all, were asked about."""
    prompt.wait(lambda screen: len(re.findall(r"^\[\d+\] ", screen.text, re.M)) == number)
    prompt.send(*keys)


def test_rows_are_answered_key_by_key_and_after_an_answer_the_next_one_stands_there(served):
    left, right = served.tree.left, served.tree.right
    made = proposed(served, "mkdir", name="made")
    refused = proposed(served, "delete", paths=[str(left / "file1.txt")])
    for name in ("file2.txt", "file3.txt"):
        proposed(served, "copy", paths=[str(left / name)])
    risky = proposed(served, "delete", paths=[str(left / "file4.txt")], permanent=True)
    with at_prompt(served) as prompt:
        pressed(prompt, 1, "y")
        assert made in prompt.screen.text
        # A start that takes less than half a second leaves the whole day.
        assert re.search(r"by same-user · 1 folder · expires in (23 h 59|24 h 0) min", prompt.screen.text)
        pressed(prompt, 2, "N")
        assert refused in prompt.screen.text
        prompt.wait("Why?")
        prompt.send("not that one", "enter")
        pressed(prompt, 3, "A")
        assert "A yes to all 2 alike" in prompt.screen.text and "    alike: Copy 1 file" in prompt.screen.text
        pressed(prompt, 4, "y")
        assert risky in prompt.screen.text and "RISK: deletes for good" in prompt.screen.text
        prompt.wait("Type delete to go on")
        prompt.send("no", "enter")
        pressed(prompt, 5, "s")
        prompt.wait("1 wait for later: cmdr pending")
        assert prompt.wait_end()[0] == 0
        assert prompt.screen.text.count("To take it back: cmdr undo") == 3
    assert (left / "made").is_dir()
    assert (right / "file2.txt").exists() and (right / "file3.txt").exists()
    assert (left / "file1.txt").exists() and (left / "file4.txt").exists()
    said = served.call("await", proposal=refused)
    assert said == 'OK: Proposal rejected: "not that one". Nothing was changed.'


def test_ten_that_look_alike_are_decided_with_one_key(start_server):
    served = start_server()
    tokens = [
        subprocess.run([CMDR, "token", "--client", name], env=served.environment, capture_output=True, text=True).stdout
        for name in ("one", "two")
    ]
    for number in range(1, 11):
        served.headers = {"authorization": f"Bearer {tokens[number % 2].strip()}"}
        proposed(served, "copy", paths=[str(served.tree.left / f"file{number}.txt")])
    with at_prompt(served) as prompt:
        pressed(prompt, 1, "A")
        pressed(prompt, 2, "A")
        prompt.wait("Done.")
        assert prompt.wait_end()[0] == 0
    assert len(list(served.tree.right.glob("file*.txt"))) == 10


def test_enter_shows_all_of_it_and_asks_again(served):
    for number in range(12):
        (served.tree.left / f"img{number:02}.jpg").write_text("x")
    proposed(served, "delete", paths=[str(served.tree.left / f"img{number:02}.jpg") for number in range(12)])
    served.environment["PAGER"] = "cat"
    with at_prompt(served) as prompt:
        pressed(prompt, 1, "enter")
        prompt.wait("img11.jpg")
        pressed(prompt, 2, "n")
        prompt.wait("1 answer: rejected")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.left / "img11.jpg").exists()


def test_keys_that_come_before_the_row_could_be_read_are_no_answer(served):
    proposal = proposed(served, "delete", paths=[str(served.tree.left / "readme.md")])
    with at_prompt(served) as prompt:
        prompt.send("y", "y", "y")  # at once: the program takes a moment to start
        pressed(prompt, 1, "q")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.left / "readme.md").exists()
    assert "still waiting" in served.call("await", proposal=proposal, timeout=0)


def test_a_question_of_a_job_is_answered_here_too_and_ctrl_c_leaves_the_rest(served):
    (served.tree.right / "readme.md").write_text("taken")
    proposed(served, "copy", paths=[str(served.tree.left / "readme.md")])
    with at_prompt(served) as prompt:
        pressed(prompt, 1, "y")
        # It may ask while this still looks for rows, or later, when what was begun is followed.
        prompt.wait(lambda screen: "space later" in screen.text or "There is already" in screen.text)
        prompt.send(*("o" if "space later" in prompt.screen.text else ("o", "enter")))
        assert prompt.wait_end()[0] == 0
    assert (served.tree.right / "readme.md").read_text() == "# Read me"
    proposed(served, "mkdir", name="new")
    with at_prompt(served) as prompt:
        pressed(prompt, 1, "ctrl+c")
        assert prompt.wait_end()[0] == 130
        assert "The rest is left as it is. To go on: cmdr pending" in prompt.screen.text
        assert "Traceback" not in prompt.screen.text


def test_what_ended_is_told_once(served):
    proposal = proposed(served, "mkdir", name="new")
    served.call("dialog", action="close", type="confirmation", proposal=proposal)
    for told in (True, False):
        with at_prompt(served) as prompt:
            prompt.wait("Nothing waits for you.")
            assert prompt.wait_end()[0] == 0
            assert ("withdrawn before you answered" in prompt.screen.text) is told


def test_without_a_terminal_it_is_a_list_and_an_agent_gets_none(served):
    proposal = proposed(served, "mkdir", name="new")
    done = subprocess.run(
        [CMDR, "pending"], env=served.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "This was not typed at a terminal" in done.stderr
    command = f"{CMDR} pending > list; {CMDR} pending --json > rows"
    with pty_terminal.PtyTerminal(
        pty_terminal.own_terminal("/bin/sh", "-c", command), cwd=str(served.home), **served.environment
    ) as prompt:
        assert prompt.wait_end()[0] == 0
    assert (served.home / "list").read_text().startswith(f"{proposal}  Create folder {served.tree.left}"[:60])
    told = json.loads((served.home / "rows").read_text())
    assert [row["id"] for row in told["rows"]] == [proposal]
    assert told["more"] == 0


def test_the_list_is_told_with_who_how_much_and_for_how_long():
    row = {**ROW, "since": 1000.0, "expires": 5000.0, "reason": "because", "risk": ["deletes for good"]}
    assert row_lines(row, 1120.0) == [
        "p_1  Copy 1 file to /dst",
        "    /src/a",
        "    by claude · 1 file · 2 min 0 s ago · expires in 1 h 4 min",
        "    RISK: deletes for good",
        "    claude says:",
        "    │ because",
    ]
    cut_short = {**ROW, "id": "operation 7", "kind": "interrupted", "by": "", "detail": "interrupted: 3 of 41 done"}
    assert inbox_lines({"rows": [cut_short], "more": 2}, 0.0) == [
        "operation 7  Copy 1 file to /dst",
        "    interrupted: 3 of 41 done",
        "    1 file",
        "and 2 more",
        "Answer at a terminal: cmdr pending; one alone: cmdr approve ID, cmdr reject ID",
        "What was interrupted: cmdr resume N, cmdr undo N, cmdr leave N",
    ]
    assert inbox_lines({"rows": [], "more": 0}, 0.0) == ["Nothing waits for you."]


def test_the_keys_of_a_row_are_those_that_answer_it():
    assert keys_of(ROW, 3) == "y yes · n no · N no, and why · Enter all of it · A yes to all 3 alike · s later · q quit"
    assert "R yes, and a rule" in keys_of({**ROW, "answers": ["yes", "no", "rule"]})
    asks = {**ROW, "kind": "question", "answers": ["skip", "overwrite"]}
    assert keys_of(asks) == "s skip · o overwrite · a capital letter answers all that follow · space later · q quit"
    failed = {**ROW, "kind": "failed", "answers": ["again", "take_back", "seen"]}
    assert keys_of(failed) == "a again · b take back · y noted · s later · q quit"
