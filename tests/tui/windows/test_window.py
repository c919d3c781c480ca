"""Help, palette, settings and the other windows."""

import pytest

from cmdr.tui.windows.window import shares, shortened


@pytest.mark.parametrize(
    "opens", ["f1", "f9", "f5", "f7", "plus", "ctrl+s", "ctrl+g", "ctrl+f", "ctrl+j", "alt+a", "alt+i", "alt+s", "f3"]
)
async def test_f10_closes_every_window_as_escape_does_and_never_the_program(face, opens):
    async with face() as it:
        await it.press("end", opens)
        await it.until(lambda: it.window != "MainScreen")
        await it.press("f10")
        await it.until(lambda: it.window == "MainScreen")
        assert not it.commander.quitting.is_set()


@pytest.mark.parametrize("opens", ["f1", "f9", "alt+s", "ctrl+j", "alt+a", "ctrl+f", "alt+r"])
async def test_on_a_low_screen_every_part_of_a_window_is_seen(face, opens):
    async with face(size=(40, 12)) as it:
        await it.press("ctrl+a", opens)
        await it.pilot.pause()
        box = it.terminal.screen.query_one(".box")
        assert all(part.size.height and part.region.bottom <= box.region.bottom - 1 for part in box.children)


async def test_a_list_on_a_low_screen_keeps_its_cursor_in_view_and_grows_with_the_screen(face):
    async with face(size=(60, 12)) as it:
        await it.press("f9", "end")
        rows = it.terminal.screen._list
        assert rows.top <= rows.cursor < rows.top + rows.size.height
        assert rows.size.height < rows.lines
        await it.pilot.resize_terminal(60, 40)
        await it.pilot.pause()
        assert rows.size.height == rows.lines


def test_a_hint_that_is_too_long_keeps_the_first_key_and_the_way_out():
    hint = "F2 renames · Tab fields · Enter edits · Esc cancels"
    assert shortened(hint, 60) == hint
    assert shortened(hint, 40) == "F2 renames · Tab fields · Esc cancels"
    assert shortened(hint, 25) == "F2 renames · Esc cancels"
    assert shortened(hint, 12) == "Esc cancels"


def test_lists_share_the_lines_there_are():
    assert shares([12, 2, 1], 20) == [12, 2, 1]
    assert shares([12, 2, 1], 8) == [5, 2, 1]
    assert shares([8, 8, 0], 10) == [5, 5, 0]
    assert shares([3, 2], 0) == [1, 1]


async def test_the_path_goes_to_the_clipboard_and_the_way_is_told(face, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    async with face() as it:
        sent = []
        it.commander.desktop.terminal_clipboard = sent.append
        await it.press("end", "alt+c")
        await it.until(lambda: sent == [str(it.left / "readme.md")])
        assert "through the terminal (OSC 52)" in it.main.status.message


async def test_quitting_ends_the_program(face):
    async with face() as it:
        await it.press("f10")
        await it.until(lambda: it.commander.quitting.is_set())
