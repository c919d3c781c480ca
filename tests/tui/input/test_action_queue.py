"""Keys typed before a window shows what they are about: they wait for it and act in order, and Esc still leaves."""

import asyncio
import os
from contextlib import nullcontext

import pytest

from cmdr.core.flow import rename_table
from cmdr.core.panes.bookmarks import Bookmarks
from cmdr.model.panes.workspace import Volume
from cmdr.tui.input.action_queue import QueuedKey


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch, request):
    """However loaded the machine is, what is waited for comes in time."""
    if "hangs" not in request.node.name:
        monkeypatch.setattr("cmdr.tui.input.action_queue.MAX_HOLD_S", 30)
    monkeypatch.setattr("cmdr.tui.input.action_queue.SLOW_AFTER_S", 30)


@pytest.fixture
def long_text(places):
    (places[0] / "zz.txt").write_text("".join(f"row {number}\n" for number in range(1, 1001)))


async def all_at_once(it, *keys):
    """Keys in one burst, until everything they led to is done."""
    it.burst(*keys)
    await it.press()


async def in_time(it, truth):
    """A burst is many keys, and each takes its time where many others work."""
    await it.until(truth, seconds=60)


async def viewing(it, *keys):
    """The viewer on the last file, with keys typed right behind the one that opens it."""
    await all_at_once(it, "end", "f3", *keys)
    assert it.window == "Viewer"
    return it.terminal.screen.file


async def test_whoever_waits_for_the_queue_lets_it_work_on_what_came_a_moment_ago(face):
    """Keys typed while the terminal opened could stand there unread, and nothing moved any more."""
    async with face() as it:
        await it.main.queue.idle()
        done = []
        it.main.queue.call_in_turn(lambda: done.append("key"))
        await it.main.queue.idle()
        assert done == ["key"]


async def test_keys_typed_before_a_file_is_open_act_on_it(face, long_text):
    async with face() as it:
        assert (await viewing(it, "end")).top > 900
        await it.press("escape")
        assert (await viewing(it, "f4")).hex
        await it.press("escape")
        assert (await viewing(it, "f5", *"700", "enter")).top == 699


async def test_a_search_and_the_next_ones_typed_ahead_go_on_from_each_other(face, long_text):
    async with face() as it:
        assert (await viewing(it, "f7", *"99", "enter", "n", "n")).top == 298
        await it.press("n")
        await all_at_once(it, "N", "N")
        assert it.terminal.screen.file.top == 198


async def test_a_path_is_completed_before_what_is_typed_behind_the_tab(face, places):
    (places[0] / "docs" / "deep").mkdir()
    async with face() as it:
        it.burst("ctrl+g", *f"{it.left}/do", "tab", "slash", "d", "e", "tab", "enter")
        await in_time(it, lambda: it.tab.path == os.fsencode(it.left / "docs" / "deep"))


async def test_renaming_many_takes_the_whole_pattern_that_was_typed(face):
    async with face() as it:
        it.burst("plus", *"*.txt", "enter", "alt+r", *"file", "tab", *"paper", "f2")
        wanted = {f"paper{number}.txt" for number in range(1, 6)}
        await in_time(it, lambda: {name for name in os.listdir(it.left) if name.endswith(".txt")} == wanted)


async def test_a_name_of_many_is_edited_as_the_pattern_makes_it(face):
    async with face() as it:
        await all_at_once(it, "plus", *"*.txt", "enter", "alt+r", *"file", "tab", *"paper", "enter", "down", "enter")
        assert it.window == "Ask"
        assert it.terminal.screen._input.value == "paper2.txt"


async def test_sections_and_switches_of_the_settings_take_every_key(face):
    async with face() as it:
        await it.press("alt+s")
        await in_time(it, lambda: it.window == "SettingsWindow")
        await all_at_once(it, "tab", "tab", "tab", "tab", "tab", "down", "down", "enter", "enter", "enter")
        assert it.commander.settings.flag("general.parent_row") is False


async def test_the_arrows_wait_for_what_find_brings(face, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    async with face(indexes=str(tmp_path / "state")) as it:
        it.burst("ctrl+f", *"file", "down", "down", "enter")
        await in_time(it, lambda: it.window == "MainScreen" and it.name == "file3.txt")


async def test_volumes_that_tell_their_space_leave_the_cursor_where_it_is(face, monkeypatch):
    volumes = tuple(Volume(name, b"/mnt/" + name.encode(), "vfat") for name in ("one", "two", "three"))
    monkeypatch.setattr("cmdr.core.panes.browser.volumes", lambda: volumes)
    async with face() as it:
        await it.press("ctrl+v")
        await in_time(it, lambda: it.window == "VolumePicker")
        await it.press("down", "down")
        it.terminal.screen._space_changed()
        assert it.terminal.screen._here.value == "three"


async def test_a_bookmark_taken_away_leaves_the_cursor_at_the_next_one(face, tmp_path):
    async with face() as it:
        bookmarks: Bookmarks = it.commander.bookmarks
        for name in "abcd":
            bookmarks.mark(os.fsencode(tmp_path / name))
        await all_at_once(it, "ctrl+d", "down", "delete", "delete")
        await in_time(it, lambda: len(bookmarks.marked()) == 2)
        assert bookmarks.marked() == [os.fsencode(tmp_path / name) for name in "ad"]


async def test_the_report_chosen_by_arrows_typed_ahead_is_the_one(face):
    async with face() as it:
        await all_at_once(it, "alt+l", "down", "down")
        assert it.window == "Choose" and it.terminal.screen._list.cursor == 2


async def test_quick_view_shown_and_hidden_at_once_is_hidden(face):
    async with face() as it:
        await all_at_once(it, "ctrl+x", "ctrl+x", "ctrl+x", "ctrl+x")
        assert it.main.quick_view.view is None and it.main.left.display and it.main.right.display


async def test_leaving_right_behind_saving_closes_what_is_saved(face):
    async with face() as it:
        it.burst("end", "f4", "x", "f2", "escape")
        await in_time(it, lambda: (it.left / "readme.md").read_text() == "x# Read me\n")
        await in_time(it, lambda: it.window == "MainScreen")


async def test_a_window_that_hangs_for_a_while_loses_no_key(face, monkeypatch):
    """On a loaded machine, letters typed behind a waiting key once drove it out."""
    async with face() as it:
        monkeypatch.setattr("cmdr.tui.input.action_queue.MAX_HOLD_S", 0.01)
        preview, may_go, waited = rename_table.preview_names, asyncio.Event(), []

        async def late(*pattern, **how):
            await may_go.wait()
            return await preview(*pattern, **how)

        monkeypatch.setattr(rename_table, "preview_names", late)
        monkeypatch.setattr(it.main.queue, "_drop_waiting_keys", lambda: bool(waited.append(1)))
        it.burst("plus", *"*.txt", "enter")
        await it.press()
        it.burst("alt+r", *"file", "tab", *"paper", "f2", "m", "a")
        await in_time(it, lambda: len(waited) > 2)
        may_go.set()
        await in_time(it, lambda: (it.left / "paper5.txt").exists() and it.name == "main.py")


async def test_escape_leaves_a_window_that_hangs_and_what_was_typed_before_is_dropped(face, monkeypatch):
    never = asyncio.Event()
    async with face() as it:

        async def hanging(count):
            await never.wait()

        monkeypatch.setattr(it.commander.engine, "history", hanging)
        it.burst("alt+z", "enter", "down", "escape", "end")
        await in_time(it, lambda: it.window == "MainScreen" and it.name == "readme.md")


async def test_going_on_to_type_where_the_answer_hangs_drops_the_enter_before(face, monkeypatch):
    async with face() as it:
        ask, never = it.commander.ask, asyncio.Event()

        async def hanging(who, command, *rest, **more):
            if command == "find.run":
                await never.wait()
            return await ask(who, command, *rest, **more)

        monkeypatch.setattr(it.commander, "ask", hanging)
        it.burst("ctrl+f", *"fi", "enter", *"le")
        await in_time(it, lambda: it.window == "Find" and it.terminal.screen._input.value == "file")


async def test_a_key_for_a_window_that_was_closed_elsewhere_goes_nowhere(face, long_text):
    async with face() as it:
        await viewing(it)
        viewer = it.terminal.screen
        viewer.up_to_date = asyncio.Event()
        it.burst("f8")
        it.main.queue.put_key(QueuedKey(lambda: None))
        await it.pilot.pause()
        it.terminal.close_window(viewer)
        viewer.up_to_date.set()
        await in_time(it, lambda: it.window == "MainScreen")
        await it.main.queue.idle()
        assert it.window == "MainScreen" and not it.commander.proposals.pending()


async def test_what_is_typed_behind_the_key_for_a_shell_does_not_act_on_the_panes(face, monkeypatch):
    """The letters searched for a name, and Enter opened what they had found."""
    ran = []
    monkeypatch.setattr("cmdr.tui.actions.shell.run_in_foreground", lambda *words: ran.append(words) or 0)
    async with face() as it:
        monkeypatch.setattr(it.terminal, "suspend", nullcontext)
        before = it.name
        await all_at_once(it, "alt+x", *"main", "enter")
        assert ran and it.window == "MainScreen" and it.name == before


async def test_all_that_was_found_is_told_in_plain_words(face, tmp_path):
    (tmp_path / "state").mkdir(mode=0o700)
    async with face(indexes=str(tmp_path / "state")) as it:
        it.burst("ctrl+f", *"file", "ctrl+l")
        await in_time(it, lambda: it.window == "MainScreen" and "5 entries found, in a tab of their own." in it.status)


async def test_quitting_in_the_middle_of_what_was_typed_ahead_ends(face):
    async with face() as it:
        it.burst("plus", *"*.txt", "enter", "alt+r", *"file", "tab", *"paper", "enter", "down", "enter")
        await in_time(it, lambda: it.window == "Ask")


async def test_what_waits_and_is_over_at_the_very_moment_of_quitting_ends(face):
    async with face() as it:
        done = asyncio.Event()
        it.main.queue.hold_until(done)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        done.set()
        await it.main.queue.close()
