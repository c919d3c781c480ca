"""Tabs of last time in the face: read when they come to the front, and replaced by what is left of their place."""

import pytest

from cmdr.core.panes.saved_tabs import SavedTabs
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Workspace


@pytest.fixture
def kept(tmp_path, places):
    """Two tabs on the left, the first in front; what is behind may vanish."""
    state = tmp_path / "kept"
    state.mkdir(mode=0o700)
    (places[0] / "docs" / "deep").mkdir()
    workspace = Workspace.at(bytes(places[0]), bytes(places[1]))
    workspace.left.tabs.append(Tab("t9", bytes(places[0] / "docs" / "deep"), pinned=False))
    tabs = SavedTabs(str(state))
    tabs.save(workspace)
    return tabs


async def test_a_tab_behind_is_read_when_it_comes_to_the_front(face, places, kept):
    (places[0] / "docs" / "deep" / "deepest.txt").touch()
    async with face(saved_tabs=kept) as it:
        assert "2 deep" in it.drawn
        assert len(it.commander.workspace.left.tabs[1].listing) == 0
        await it.press("ctrl+pagedown")
        assert it.name == "deepest.txt"


async def test_a_tab_behind_whose_folder_is_gone_shows_the_nearest_and_says_so(face, places, kept):
    (places[0] / "docs" / "deep").rmdir()
    async with face(saved_tabs=kept, size=(140, 30)) as it:
        await it.press("ctrl+pagedown")
        assert it.tab.path == bytes(places[0] / "docs")
        assert "deep cannot be shown; this is" in it.status


async def test_nothing_is_kept_when_it_is_switched_off(face, places, kept):
    async with face(saved_tabs=kept) as it:
        await it.commander.settings.choose("general.restore_tabs", False)
        await it.press("ctrl+t", "ctrl+t")
        assert len(it.commander.workspace.left.tabs) == 4
    async with face(saved_tabs=kept) as it:
        assert len(it.commander.workspace.left.tabs) == 1
        await it.commander.settings.choose("general.restore_tabs", True)
        await it.press()
    async with face(saved_tabs=kept) as it:
        assert len(it.commander.workspace.left.tabs) == 1


async def test_the_cursor_stands_again_on_the_entry_it_stood_on_in_every_tab(face, places, kept):
    for name in ("one", "two", "three"):
        (places[0] / "docs" / "deep" / name).touch()
    async with face(saved_tabs=kept) as it:
        await it.press("down", "down", "down")
        here = it.name
        await it.press("ctrl+pagedown", "end")
        assert it.name == "two"
        await it.press("tab", "home")
    (places[0] / "a new one above all").touch()
    async with face(saved_tabs=kept) as it:
        assert it.name == ".."
        await it.press("tab")
        assert it.name == "two"
        await it.press("ctrl+pageup")
        assert it.name == here


async def test_when_the_entry_under_the_cursor_is_gone_its_neighbour_gets_it(face, places, kept):
    async with face(saved_tabs=kept) as it:
        await it.press("end", "up")
        assert it.name == "main.py"
    (places[0] / "main.py").unlink()
    async with face(saved_tabs=kept) as it:
        assert it.name == "readme.md"


async def test_a_tab_nobody_looked_at_keeps_its_cursor_for_the_next_time(face, places, kept):
    for name in ("one", "two"):
        (places[0] / "docs" / "deep" / name).touch()
    async with face(saved_tabs=kept) as it:
        await it.press("ctrl+pagedown", "end", "ctrl+pageup")
    async with face(saved_tabs=kept):
        pass
    async with face(saved_tabs=kept) as it:
        await it.press("ctrl+pagedown")
        assert it.name == "two"
