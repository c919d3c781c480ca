"""What a person sees at the prompt beside the question: every file of a swap, and which file an edit is about."""

import importlib.util
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)


@pytest.fixture
def served(start_server):
    return start_server()


def at_prompt(served, *words, **more):
    command = pty_terminal.own_terminal(str(Path(sys.executable).with_name("cmdr")), *words)
    return pty_terminal.PtyTerminal(command, columns=200, rows=30, **served.environment, **more)


def edited_at(served):
    """The id of the edit that waits."""
    for _ in range(100):
        with at_prompt(served, "pending", "--list") as prompt:
            prompt.wait_end()
            if found := re.search(r"r_[A-Za-z0-9_-]{12}", prompt.screen.text):
                return found[0]
    raise AssertionError("no edit waits")


@pytest.mark.parametrize("pager", ["cat", ""])
def test_the_file_stands_beside_the_question_however_long_the_patch_is(served, pager):
    """After a long patch the path had scrolled away, and only the agent's own title was left."""
    target = served.tree.left / "settings.conf"
    target.write_text("".join(f"line {number}\n" for number in range(90)))
    contents = "".join(f"other {number}\n" for number in range(89))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(served.call, "open_diff", path=str(target), contents=contents, title="notes.txt")
        with at_prompt(served, "approve", edited_at(served), PAGER=pager) as prompt:
            if not pager:
                prompt.wait("-- Enter: more, q: enough --")
                prompt.send("q", "enter")
            prompt.wait("Accept? [y/N]")
            assert f"edits {target}: 1 change, 89 lines added, 90 lines removed" in prompt.screen.text
            prompt.send("enter")
            assert prompt.wait_end()[0] == 1
        assert asked.result(60) == "OK: DIFF_REJECTED"


def test_a_swap_names_both_files_at_the_prompt_and_in_the_list(served):
    """Only one of them was shown, and both were exchanged."""
    paths = [served.tree.left / name for name in ("draft.txt", "final.txt")]
    for path in paths:
        path.write_text(path.name)
    names = {"paths": [str(path) for path in paths], "names": ["final.txt", "draft.txt"]}
    proposal = re.search(r"proposal: (\S+)", served.call("command", id="rename_many", args=names))[1]
    with at_prompt(served, "approve", proposal, PAGER="cat") as prompt:
        prompt.wait("(l lists all 2)")
        for told in ("Rename 2 files", "draft.txt → final.txt", "final.txt → draft.txt"):
            assert told in prompt.screen.text
        prompt.send("l", "enter")
        prompt.wait(f"{paths[1]} → draft.txt")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
        assert "rename done: 2 files" in prompt.screen.text
    assert [path.read_text() for path in paths] == ["final.txt", "draft.txt"]
