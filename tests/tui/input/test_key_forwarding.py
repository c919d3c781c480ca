"""Keys that come faster than windows open and close: each acts on what the one before it led to, and nothing breaks."""

import os

import pytest

from cmdr.tui.widgets.lines import LineList
from cmdr.tui.windows.choose import Choice, Choose


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch):
    """However loaded the machine is, what is waited for comes in time."""
    monkeypatch.setattr("cmdr.tui.input.action_queue.MAX_HOLD_S", 30)
    monkeypatch.setattr("cmdr.tui.input.action_queue.SLOW_AFTER_S", 30)


async def test_a_whole_line_of_work_typed_ahead_is_done_in_order(face):
    async with face() as it:
        it.burst("f7", *"new", "enter", "enter", "f7", *"in", "enter", "enter")
        await it.until(lambda: it.tab.path == os.fsencode(it.left / "new" / "in"))


async def test_a_key_that_closes_the_viewer_may_repeat(face):
    """The second one closed what was no longer there, and with it the program."""
    async with face() as it:
        await it.press("end", "f3")
        await it.until(lambda: it.window == "Viewer")
        it.burst("q", "q", "q", "escape", "home")
        await it.until(lambda: it.window == "MainScreen" and it.name == "..")
        assert it.terminal.is_running


async def test_a_second_enter_is_for_what_comes_after_the_window(face):
    """Both closed the window, and the program had nothing left to close."""
    async with face() as it:
        it.burst("ctrl+g", *str(it.left), "enter", "end", "enter")
        await it.until(lambda: it.window == "Viewer")
        assert it.terminal.is_running


async def test_leaving_the_editor_right_behind_opening_it_does_not_quit(face):
    async with face() as it:
        it.burst("end", "f4", "f10", "f5", "enter")
        await it.until(lambda: (it.right / "readme.md").exists())
        assert not it.commander.quitting.is_set()


async def test_clicks_that_choose_twice_choose_once(face):
    async with face() as it:
        chosen = []
        it.terminal.ask(Choose("Which", [Choice("a", "A"), Choice("b", "B")]), chosen.append)
        await it.until(lambda: it.window == "Choose")
        window = it.terminal.screen
        for _ in range(3):
            window.post_message(LineList.Chosen(1))
        await it.until(lambda: chosen and it.window == "MainScreen")
        assert chosen == ["b"] and it.terminal.is_running


async def test_only_the_screen_in_front_closes(face):
    async with face() as it:
        await it.press("end", "f3")
        await it.until(lambda: it.window == "Viewer")
        viewer = it.terminal.screen
        await it.press("f7")
        assert it.window == "Ask"
        viewer.dismiss(None)
        await it.pilot.pause()
        assert it.window == "Ask"


async def test_a_mistake_of_ours_in_one_key_does_not_cost_the_others(face, caplog):
    """An exception in one key's action once ended the keyboard for good, F10 too."""
    async with face() as it:
        it.main.queue.call_in_turn(lambda: 1 / 0)
        it.main.queue.put("state", lambda: 1 / 0)
        it.main.queue.put("state", {}, done=lambda _: 1 / 0)
        await it.press("home", "down")
        assert it.name != ".."
    assert [record.getMessage() for record in caplog.records] == ["a key failed"] * 3
