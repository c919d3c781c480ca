"""Permissions and time in a window: boxes and a number that follow each other, one file or many."""

import os
import re
import stat

import pytest

from cmdr.tui.windows.attributes import ModeGrid


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


async def opened(it, *keys):
    for path in it.left.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)
    await it.press(*keys, "alt+e")
    assert it.window == "AttributesWindow"
    await it.until(lambda: "stays" not in it.drawn)


def row(it, name):
    (line,) = re.findall(rf" {name} +\[.*", it.drawn)
    return line


async def test_a_box_is_ticked_and_enter_changes_the_file_as_other_operations_do(face):
    async with face() as it:
        await opened(it, "down", "down")
        assert "Attributes of file1.txt" in it.drawn
        assert "rw-r--r--" in it.drawn
        assert it.terminal.screen._octal.value == "0644"
        await it.press("right", "right", "space")
        assert "rwxr--r--" in it.drawn
        assert it.terminal.screen._octal.value == "0744"
        assert row(it, "user").count("[x]") == 3
        await it.press("enter")
        await it.until(lambda: mode_of(it.left / "file1.txt") == 0o744)
        await it.until(lambda: "attributes of 1 file changed" in it.status)
        assert it.window == "MainScreen"
        await it.press("ctrl+z")
        await it.until(lambda: it.window == "Confirm")
        await it.until(lambda: "gives" in it.drawn)


async def test_the_boxes_follow_the_typed_number_and_the_number_the_boxes(face):
    async with face() as it:
        await opened(it, "down", "down")
        await it.press("tab")
        await it.press("end", *["backspace"] * 4)
        await it.type("4750")
        assert "rwsr-x---" in it.drawn
        assert "[x] set user ID" in it.drawn
        await it.press("tab", "tab", "space")
        assert it.terminal.screen._octal.value == "4350"
        await it.press("escape")
        assert mode_of(it.left / "file1.txt") == 0o644


async def test_a_risky_mode_asks_for_the_word(face):
    async with face() as it:
        await opened(it, "down", "down")
        await it.press("down", "down", "right", "space", "enter")
        await it.until(lambda: it.window == "Confirm")
        assert "writable for everybody: 1" in it.drawn
        assert mode_of(it.left / "file1.txt") == 0o644


async def test_several_files_that_differ_keep_what_is_not_touched(face):
    async with face() as it:
        (it.left / "file1.txt").chmod(0o644)
        for path in it.left.iterdir():
            path.chmod(0o755 if path.is_dir() else 0o644)
        (it.left / "file2.txt").chmod(0o600)
        await it.press("down", "down", "insert", "insert", "insert", "alt+e")
        await it.until(lambda: it.window == "AttributesWindow" and "; or a time" in it.drawn)
        assert "Attributes of 3 items" in it.drawn
        assert "they differ" in it.drawn
        assert row(it, "group").count("[·]") == row(it, "others").count("[·]") == 1
        await it.press("right", "right", "space", "enter")
        await it.until(lambda: mode_of(it.left / "file3.txt") == 0o744)
        assert (mode_of(it.left / "file1.txt"), mode_of(it.left / "file2.txt")) == (0o744, 0o700)
        await it.until(lambda: it.selected == [])


async def test_what_is_inside_folders_is_ticked_with_a_box_of_its_own(face):
    async with face() as it:
        (it.left / "docs" / "a.txt").write_text("a")
        (it.left / "docs" / "a.txt").chmod(0o644)
        await opened(it)
        assert "Attributes of docs" in it.drawn
        await it.press("down", "down", "space", "down", "down", "space")
        assert "[x] also what is inside folders" in it.drawn
        await it.press("enter")
        await it.until(lambda: mode_of(it.left / "docs" / "a.txt") == 0o640)
        assert mode_of(it.left / "docs") == 0o751


async def test_the_time_is_typed_in_its_field(face):
    async with face() as it:
        await opened(it, "down", "down")
        await it.press("tab", "tab")
        await it.type("2024-02-03")
        await it.press("enter")
        await it.until(lambda: "attributes of 1 file changed" in it.status)
        assert 1_706_800_000 < os.stat(it.left / "file1.txt").st_mtime < 1_707_000_000


async def test_a_number_that_is_none_is_told_and_nothing_happens(face):
    async with face() as it:
        await opened(it, "down", "down")
        await it.press("tab")
        await it.press("end", *["backspace"] * 4)
        await it.type("9")
        await it.press("enter")
        assert it.window == "AttributesWindow"
        assert '"9" is no octal mode' in it.drawn
        await it.press("f10")
        assert it.window == "MainScreen"


async def test_enter_without_a_change_closes_and_asks_nothing(face):
    async with face() as it:
        await opened(it, "down", "down")
        await it.press("enter")
        assert it.window == "MainScreen"
        assert it.commander.proposals.all() == []


async def test_the_cursor_goes_from_the_boxes_to_the_fields_and_back(face):
    async with face() as it:
        await opened(it, "down", "down")
        screen = it.terminal.screen
        await it.press("down", "down", "down", "down", "down")
        assert screen.focused is screen._octal
        await it.press("down")
        assert screen.focused is screen._modified
        await it.press("down", "up")
        assert screen.focused is screen._octal
        await it.press("up")
        assert screen.focused is None
        await it.press("shift+tab")
        assert screen.focused is screen._modified
        await it.press("tab", "left", "up", "a")
        assert screen.focused is None


async def test_keys_typed_before_the_files_were_looked_at_count(face):
    async with face() as it:
        (it.left / "file1.txt").chmod(0o644)
        await it.press("down", "down")
        it.burst("alt+e", "right", "right", "space", "enter")
        await it.until(lambda: mode_of(it.left / "file1.txt") == 0o744)


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_a_click_ticks_a_box_and_a_field_can_be_clicked(face, size):
    async with face(size=size) as it:
        await opened(it, "down", "down")
        screen = it.terminal.screen
        grid = screen.query_one(ModeGrid)
        for offset, told in [((30, 1), "rwxr--r--"), ((12, 2), "rwx---r--"), ((2, 5), "rws---r--")]:
            await it.pilot.click(grid, offset=offset)
            await it.pilot.pause()
            assert told in it.drawn
        await it.pilot.click(grid, offset=(2, 7))
        await it.pilot.click(grid, offset=(1, 0))
        await it.pilot.click(grid, offset=(59 if size[0] == 80 else 5, 1))
        assert "[x] also what is inside folders" in it.drawn
        await it.pilot.click(screen._modified)
        await it.pilot.pause()
        assert screen.focused is screen._modified


async def test_nothing_is_asked_where_there_is_nothing(face, tmp_path):
    (tmp_path / "empty").mkdir()
    async with face(left=tmp_path / "empty") as it:
        await it.press("alt+e")
        assert it.window == "MainScreen"
