"""Rooms that only agents need are built when somebody enters them, not before."""

import subprocess
import sys

import pytest

from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.model.panes.workspace import Workspace

_BEFORE_THE_PANES = """
import sys
import cmdr.core.commander
print(*(name for name in sys.modules if name.startswith("cmdr.")))
"""


def built(commander):
    return {"editor", "shells", "code"} & vars(commander.services).keys()


@pytest.fixture
def panes(tmp_path):
    workspace = Workspace.at(bytes(tmp_path), bytes(tmp_path))
    return lambda: Commander(workspace, Audit(str(tmp_path / "audit")), watch=False)


async def test_panes_come_up_and_end_without_any_room_of_agents(panes):
    commander = panes()
    await commander.start_panes()
    commander.stop_agents()
    assert not commander.services.waiting_reviews()
    await commander.close()
    assert not built(commander)


async def test_a_room_is_built_once_and_closed_with_the_rest(panes):
    commander = panes()
    await commander.start()
    assert commander.editor is commander.editor
    assert commander.code and commander.shells is commander.services.shells
    await commander.close()
    assert built(commander) == {"editor", "shells", "code"}


def test_the_core_is_imported_without_the_rooms_of_agents():
    loaded = subprocess.run(
        [sys.executable, "-c", _BEFORE_THE_PANES], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "cmdr.core.panes.browser" in loaded
    assert not {
        "cmdr.core.agents.shell_commands",
        "cmdr.core.agents.code_execution",
        "cmdr.core.editing.editor_services",
        "cmdr.core.editing.reviews",
    } & set(loaded)
