"""A hundred and more ways out of the roots, tried at every tool that takes a path: none of them leads anywhere."""

import hashlib
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from walls_ground import AGENT, SECRET, Ground, escapes, plant_escapes

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.names import to_wire

ENTRIES = {
    "fs_list": lambda path: {"path": path},
    "fs_read": lambda path: {"path": path},
    "fs_stat": lambda path: {"path": path},
    "fs_diff": lambda path: {"path": path, "other": "file.txt"},
    "fs_diff other": lambda path: {"path": "file.txt", "other": path},
    "fs_exists": lambda path: {"path": path},
    "fs_write": lambda path: {"path": path, "content": "overwritten", "overwrite": True},
    "fs_create": lambda path: {"path": path},
    "fs_delete": lambda path: {"path": path},
    "fs_move": lambda path: {"from": path, "to": "taken.txt"},
    "fs_move to": lambda path: {"from": "file.txt", "to": path},
    "fs_copy": lambda path: {"from": path, "to": "taken.txt"},
    "fs_copy to": lambda path: {"from": "file.txt", "to": path},
    "shell_run": lambda path: {"command": "cat secret.txt token", "cwd": path},
}


@pytest.fixture
def ground(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Ground(tmp_path, shell=True) as made:
        plant_escapes(made)
        made.ask("grants.give", PERSON, client=AGENT.name, grant="shell")
        yield made


def snapshot(folder):
    """Everything below a folder that is not the agents', with its contents."""
    seen = {}
    for above, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(above, name)
            if not os.path.islink(path) and os.path.isfile(path):
                with open(path, "rb") as file:
                    seen[path] = hashlib.sha256(file.read()).hexdigest()
    return seen


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_path_leads_out_of_the_root(ground, entry):
    tool = entry.partition(" ")[0]
    paths = escapes(ground)
    assert len(paths) >= 100
    outside, private = snapshot(ground.outside), snapshot(ground.root / ".ssh")
    for path in paths:
        answer = ground.ask(tool, **ENTRIES[entry](to_wire(path)))
        assert SECRET not in answer, path
        assert "root:x:0" not in answer, path
        if tool in ("fs_read", "fs_list"):
            assert answer.startswith("ERROR: "), (path, answer)
        if not (ground.root / "file.txt").exists():
            # Odd names such as `..\\outside` are ordinary names inside the root; what was moved there is brought back.
            (ground.root / "file.txt").write_text("inside\n")
    assert snapshot(ground.outside) == outside
    assert snapshot(ground.root / ".ssh") == private
    assert (ground.own / "token").read_text() == SECRET
