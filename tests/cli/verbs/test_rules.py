"""`cmdr rules` at a real terminal, against a real server: listed, suspended, allowed, removed, refused to agents."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cmdr.cli.verbs.rules import rule_lines

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
CMDR = str(Path(sys.executable).with_name("cmdr"))
ENTRY = """\
# mine
[[rules]]
client = "default"
verbs = ["move"]
roots = ["{root}"]
files = 200
bytes = "2 GiB"
operations = 60
"""


@pytest.fixture
def served(start_server):
    return start_server()


def settings_of(served):
    return served.home / ".config" / "cmdr" / "settings.toml"


def told(served, *words, **variables):
    line = pty_terminal.own_terminal(CMDR, *words)
    with pty_terminal.PtyTerminal(line, columns=180, rows=40, **{**served.environment, **variables}) as prompt:
        code, _ = prompt.wait_end()
        return code, prompt.screen.text


def test_rules_are_listed_suspended_allowed_and_removed(served):
    code, text = told(served, "rules")
    assert code == 0 and "There are no rules: agents are always asked about." in text
    settings_of(served).parent.mkdir(parents=True, exist_ok=True)
    settings_of(served).write_text(ENTRY.format(root=served.tree.left) + "\n[[rules]]\nclient = 3\n")
    code, text = told(served, "rules")
    assert code == 0
    assert "1  default, move within ~/tree/left, up to 200 files and 2 GiB an hour, always" in text
    assert "left in this hour: 200 files, 2.0 GiB, 60 operations" in text
    assert "does not hold: line 11: client is the name of one client" in text
    code, text = told(served, "rules", "suspend", "1")
    assert code == 0 and "Rule 1 is suspended" in text
    assert "suspended: by you (cmdr rules allow 1)" in told(served, "rules", "list")[1]
    assert 'suspended = "by you"' in settings_of(served).read_text()
    assert "Rule 1 holds again" in told(served, "rules", "allow", "1")[1]
    code, text = told(served, "rules", "remove", "1")
    assert code == 0 and "Rule 1 is removed" in text
    assert "# mine" in settings_of(served).read_text() and "default" not in settings_of(served).read_text()
    code, text = told(served, "rules", "remove", "1")
    assert code == 1 and "There is no rule 1. cmdr rules lists them." in text
    code, text = told(served, "rules", "--json")
    assert json.loads(text[text.index("{") :])["rows"][0]["holds"] is False


def test_a_shell_of_an_agent_and_a_pipe_are_refused(served):
    settings_of(served).parent.mkdir(parents=True, exist_ok=True)
    settings_of(served).write_text(ENTRY.format(root=served.tree.left))
    piped = subprocess.run(
        [CMDR, "rules", "remove", "1"], env=served.environment, capture_output=True, text=True, check=False
    )
    assert piped.returncode == 2 and "Only a person decides about rules" in piped.stderr
    code, text = told(served, "rules", "remove", "1", CLAUDECODE="1")
    assert code != 0 and "default" in settings_of(served).read_text(), text


def test_an_action_needs_its_number_and_a_list_has_none(served):
    for words in (("suspend",), ("list", "1")):
        assert told(served, "rules", *words)[0] == 2


def test_trouble_with_the_record_is_told_first():
    lines = rule_lines({"rows": [], "settings": "", "trouble": "the disk is full"})
    assert lines[0] == "No rule holds just now: the disk is full"
