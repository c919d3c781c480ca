"""What is read for the first frame: ordinary folders at once, nothing that would hold it up."""

import asyncio
import os
import sys
import threading

import pytest

from cmdr.app import opening
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.settings import Settings
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.workspace import Workspace
from cmdr.tui.terminal.first_frame import first_frame

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from pty_terminal import Screen


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine is not a dead disk."""
    monkeypatch.setattr(opening, "READ_TIMEOUT_S", 20.0)


@pytest.fixture
def workspace(tmp_path):
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for number in range(30):
            (tmp_path / side / f"{side}{number}.txt").write_text("x" * number)
    (tmp_path / "left" / ".hidden").touch()
    return Workspace.at(bytes(tmp_path / "left"), bytes(tmp_path / "right"))


def names(tab):
    return [tab.listing.name(position) for position in range(len(tab.listing))]


def test_both_folders_stand_in_the_panes_with_the_facts_of_the_rows_in_view(workspace):
    opening.read_at_once(workspace, rows=10)
    left, right = workspace.left.tab, workspace.right.tab
    assert names(left)[:2] == [b"left0.txt", b"left1.txt"]
    assert len(right.listing) == 30
    assert left.listing.entry(7).facts.size == 7
    assert left.listing.entry(20).facts is None


def test_the_order_and_the_hidden_files_are_as_the_tab_has_them(workspace):
    workspace.left.tab.sort = SortOrder(SortKey.SIZE, Direction.DESC)
    workspace.show_hidden = True
    opening.read_at_once(workspace, rows=10)
    assert names(workspace.left.tab)[0] == b"left29.txt"
    assert b".hidden" in names(workspace.left.tab)


def test_a_large_folder_is_left_to_the_application(workspace, monkeypatch):
    monkeypatch.setattr(opening, "MAX_ENTRIES", 29)
    opening.read_at_once(workspace, rows=10)
    assert not len(workspace.left.tab.listing)


def test_a_folder_that_is_gone_leaves_its_pane_empty(workspace, tmp_path):
    workspace.left.tab.path = bytes(tmp_path / "nowhere")
    opening.read_at_once(workspace, rows=10)
    assert not len(workspace.left.tab.listing)
    assert len(workspace.right.tab.listing) == 30


def test_a_dead_disk_holds_up_neither_the_picture_nor_the_other_pane(workspace, monkeypatch):
    never = threading.Event()
    look_up = opening.stat_entries
    dead = workspace.left.tab.path

    def look(path, found):
        return look_up(path, found) if path != dead or never.wait() else []

    monkeypatch.setattr(opening, "READ_TIMEOUT_S", 2.0)
    monkeypatch.setattr(opening, "stat_entries", look)
    opening.read_at_once(workspace, rows=10)
    never.set()
    assert not len(workspace.left.tab.listing)
    assert len(workspace.right.tab.listing) == 30


@pytest.mark.parametrize("size", [(80, 24), (81, 25), (20, 6), (300, 90), (4, 3)])
def test_the_picture_fits_any_screen(workspace, size):
    opening.read_at_once(workspace, rows=size[1])
    drawn = first_frame(workspace, Settings(), *size)
    screen = Screen(*size)
    screen.feed(drawn.encode())
    assert not screen.strange


async def _started(workspace, log, shown):
    """Brings the panes up around a workspace that was read already, and waits until what must be shown is."""
    commander = Commander(workspace, Audit(log))
    happened = asyncio.Event()
    commander.events.listen(lambda _: happened.set())
    await commander.start_panes()
    try:
        async with asyncio.timeout(60):
            while not shown():
                happened.clear()
                await happened.wait()
    finally:
        await commander.close()


def test_what_was_read_for_the_picture_is_not_read_again(workspace, tmp_path):
    os.utime(tmp_path / "right", (1, 1))  # a folder that changed only just now would be looked at once more
    opening.read_at_once(workspace, rows=10)
    read = workspace.right.tab.listing
    asyncio.run(_started(workspace, str(tmp_path / "audit"), lambda: workspace.right.tab.history.here == 0))
    assert workspace.right.tab.listing is read


def test_a_file_that_came_since_the_picture_is_shown(workspace, tmp_path):
    opening.read_at_once(workspace, rows=10)
    (tmp_path / "left" / "came_later.txt").touch()
    asyncio.run(_started(workspace, str(tmp_path / "audit"), lambda: b"came_later.txt" in names(workspace.left.tab)))
