"""The `..` row: a way up that is no entry, drawn above the first row and never anywhere else."""

import os

import pytest

from cmdr.model.panes.tab import FoundEntries


async def test_it_stands_above_the_first_entry_and_up_leads_to_it(face):
    async with face() as it:
        rows = [line.split()[1] for line in it.lines(it.main.left)[2:5]]
        assert rows == ["/..", "/docs", "/src"]
        assert it.name == "docs"
        await it.press("up")
        assert it.name == ".."
        assert f"up to {os.path.dirname(it.left)}" in it.status
        await it.press("up")
        assert it.name == ".."
        await it.press("down")
        assert it.name == "docs"


@pytest.mark.parametrize("view", ["full", "brief"])
async def test_enter_on_it_goes_up_and_the_cursor_stands_where_one_came_from(face, view):
    async with face() as it:
        if view == "brief":
            await it.press("ctrl+b")
        await it.press("down", "enter")
        assert it.tab.path.endswith(b"/left/src")
        await it.press("home", "enter")
        assert it.tab.path.endswith(b"/left")
        assert it.name == "src"


async def test_in_an_empty_folder_it_is_the_only_row_and_enter_still_works(face):
    async with face() as it:
        await it.press("enter")
        assert len(it.tab.listing) == 0
        assert "/.." in it.lines(it.main.left)[2]
        assert "This folder is empty" in it.drawn
        await it.press("enter")
        assert it.name == "docs"


async def test_there_is_none_in_the_root_folder_and_none_when_it_is_not_wanted(face):
    async with face(left="/") as it:
        assert "/.." not in it.drawn.split("│")[1]
    async with face() as it:
        await it.press("home")
        await it.commander.settings.choose("general.parent_row", False)
        await it.press()
        assert "/.." not in it.drawn
        assert it.name == "docs"
        await it.press("home", "up")
        assert it.name == "docs"


async def test_it_is_passed_and_never_selected(face):
    async with face() as it:
        await it.press("home", "space")
        assert (it.name, it.selected) == ("..", [])
        await it.press("insert")
        assert (it.name, it.selected) == ("docs", [])
        await it.press("home", "ctrl+a")
        assert len(it.selected) == 9
        assert f"9 of {len(it.tab.listing)} selected" in it.drawn
        await it.press("asterisk", "asterisk", "plus", "enter")
        assert len(it.selected) == 9


@pytest.mark.parametrize("key", ["f4", "f5", "f6", "f8", "shift+f8", "f2", "alt+i"])
async def test_keys_that_change_files_do_nothing_on_it(face, key):
    async with face() as it:
        await it.press("home", key)
        assert it.window == "MainScreen"
        assert it.name == ".."


async def test_with_a_selection_those_keys_mean_the_selection(face):
    async with face() as it:
        await it.press("end", "insert", "home", "f5")
        assert it.window == "Ask"
        assert "readme.md" in it.drawn


async def test_agents_neither_see_it_nor_count_it(face):
    from tests.tui.conftest import AGENT

    async with face() as it:
        before = await it.commander.run(AGENT, "state", {"pane": "left"})
        await it.press("home")
        after = await it.commander.run(AGENT, "state", {"pane": "left"})
        assert ".." not in after.replace(str(it.left), "")
        assert before.partition("totalFiles")[2].partition("files:")[2] == after.partition("files:")[2]


async def test_an_agent_that_moves_the_cursor_of_a_shared_tab_takes_it_off_the_row(face):
    from tests.tui.conftest import AGENT

    async with face() as it:
        await it.commander.settings.choose("agents.panes", "shared")
        await it.press("home")
        await it.commander.run(AGENT, "move_cursor", {"pane": "left", "to": "src"})
        await it.press()
        assert it.name == "src"


async def test_reading_the_folder_again_leaves_the_cursor_on_it(face):
    async with face() as it:
        await it.press("home")
        (it.left / "aaa").mkdir()
        await it.press("ctrl+r")
        assert it.name == ".."


async def test_a_search_begun_on_it_finds_the_first_entry(face):
    async with face() as it:
        await it.press("home")
        await it.type("d")
        assert it.name == "docs"


async def test_a_filter_keeps_it(face):
    async with face() as it:
        await it.press("slash")
        await it.type("nothing.at.all")
        assert "/.." in it.lines(it.main.left)[2]
        assert "Nothing matches" in it.drawn
        await it.press("enter", "enter")
        assert it.tab.path == os.fsencode(os.path.dirname(it.left))


async def test_clicks_on_it_stand_and_go_up(face):
    async with face() as it:
        await it.pilot.click("#left", offset=(5, 2))
        await it.press()
        assert it.name == ".."
        await it.pilot.click("#left", offset=(5, 2), button=3)
        await it.press()
        assert it.selected == []
        await it.pilot.click("#left", offset=(5, 2), times=2)
        await it.until(lambda: it.tab.path == os.fsencode(os.path.dirname(it.left)))
        assert it.name == "left"


async def test_what_scattered_entries_show_has_none(face):
    async with face() as it:
        pane = it.commander.workspace.left
        await it.commander.browser.open_found(pane, os.fsencode(it.left), FoundEntries("found", (b"main.py",)))
        await it.press()
        assert "/.." not in it.lines(it.main.left)[3]
        await it.press("home")
        assert it.name == "main.py"
