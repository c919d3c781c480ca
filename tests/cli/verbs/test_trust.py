"""`cmdr trust` at a real terminal, against a real server: asked first, listed, taken back, refused to agents."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def served(start_server):
    return start_server()


def at_prompt(served, *words, **variables):
    line = pty_terminal.own_terminal(CMDR, *words)
    return pty_terminal.PtyTerminal(line, columns=180, rows=40, **{**served.environment, **variables})


def told(served, *words, **variables):
    with at_prompt(served, *words, **variables) as prompt:
        code, _ = prompt.wait_end()
        return code, prompt.screen.text


def test_trust_is_asked_for_in_plain_words_listed_and_taken_back(served):
    folder = str(served.tree.left)
    with at_prompt(served, "trust", folder, "--network") as prompt:
        prompt.wait("Trust it? [y/N]")
        for words in (f"Trust {folder}", "may then run code of this folder, behind walls", "they can use the network"):
            assert words in prompt.screen.text
        prompt.send("y", "enter")
        prompt.wait(f"{folder} is trusted (network)")
        assert prompt.wait_end()[0] == 0
    code, text = told(served, "trust", "--list")
    assert code == 0
    assert folder in text and "also: network" in text
    code, text = told(served, "trust", "--remove", folder)
    assert code == 0 and f"{folder} is trusted no longer" in text
    code, text = told(served, "trust", "--remove", folder)
    assert code == 1 and "not on the list" in text


@pytest.mark.parametrize("answer", ["n", "", "perhaps"])
def test_anything_but_a_yes_trusts_nothing(served, answer):
    with at_prompt(served, "trust", str(served.tree.left)) as prompt:
        prompt.wait("Trust it? [y/N]")
        prompt.send(*answer, "enter")
        prompt.wait("Not trusted.")
        assert prompt.wait_end()[0] == 1
    assert str(served.tree.left) not in told(served, "trust", "--list")[1]


def test_the_shell_of_an_agent_trusts_nothing(served):
    with at_prompt(served, "trust", str(served.tree.left), CLAUDECODE="1") as prompt:
        prompt.wait("Trust it? [y/N]")
        prompt.send("y", "enter")
        code, _ = prompt.wait_end()
        assert code == 1
        assert "CLAUDECODE is set, as Claude Code does" in prompt.screen.text
    code, text = told(served, "trust", "--list", CLAUDECODE="1")
    assert code == 1 and "CLAUDECODE is set" in text
    assert str(served.tree.left) not in told(served, "trust", "--list")[1]


def test_without_a_terminal_nobody_is_the_person(served):
    how = {"env": served.environment, "capture_output": True, "text": True, "input": "y\n"}
    done = subprocess.run([CMDR, "trust", str(served.tree.left)], **how)
    assert done.returncode == 2
    assert "Only a person trusts a folder" in done.stderr


def test_the_question_of_an_agent_is_answered_where_proposals_are(served):
    served.headers = {"authorization": f"Bearer {served.token}"}
    repository = served.tree.left
    (repository / ".git").mkdir(exist_ok=True)
    (repository / "a.py").write_text("x = (\n")
    (row,) = json.loads(served.call("get_diagnostics", uri=str(repository / "a.py")).removeprefix("OK: "))
    assert row["diagnostics"][0]["severity"] == "Error"
    if "note" not in row:
        pytest.skip("no language server for Python is installed")
    assert f"the person has not trusted {repository}" in row["note"]
    code, text = told(served, "pending", "--list")
    assert code == 0 and f"Trust {repository}" in text
    (id,) = (word for word in text.split() if word.startswith("p_"))
    with at_prompt(served, "approve", id) as prompt:
        prompt.wait("Do it? [y/N]")
        assert "Language servers may then run code of this folder, behind walls" in prompt.screen.text
        prompt.send("y", "enter")
        prompt.wait(f"{repository} is trusted")
        assert prompt.wait_end()[0] == 0
    assert str(repository) in told(served, "trust", "--list")[1]
