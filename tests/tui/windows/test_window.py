"""Help, palette, settings and the other windows."""

import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.workspace import Volume
from cmdr.tui.windows.choose import Choice, narrowed
from cmdr.tui.windows.window import shares, shortened


async def test_help_lists_the_keys_and_any_of_them_closes_it(face):
    async with face() as it:
        await it.press("f1")
        assert "F5" in it.drawn and "Copy" in it.drawn
        await it.press("escape")
        assert it.window == "MainScreen"


async def test_the_palette_finds_a_command_and_runs_it(face):
    async with face() as it:
        await it.press("f9")
        await it.type("hidden f")
        await it.press("enter")
        await it.until(lambda: it.commander.workspace.show_hidden)


async def test_the_palette_asks_for_what_a_command_needs(face):
    async with face() as it:
        await it.press("ctrl+p")
        await it.type("jump to")
        await it.press("enter")
        assert it.window == "Ask"
        await it.press("escape")


async def test_a_setting_is_shown_kept_and_read_again(face, tmp_path):
    async with face() as it:
        await it.press("alt+s", "tab", "enter", "enter")
        await it.until(lambda: it.terminal.theme == "light")
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
    kept = tomllib.loads((tmp_path / "config" / "settings.toml").read_text())
    assert kept["appearance"]["theme"] == "light"
    async with face() as it:
        assert it.terminal.theme == "light"


async def test_a_key_is_changed_in_the_shortcuts_and_works_at_once(face):
    async with face() as it:
        await it.press("alt+s", "tab", "tab", "enter", "ctrl+e")
        await it.until(lambda: it.terminal.keys.actions.get("ctrl+e") == "help")
        await it.press("escape", "ctrl+e")
        assert it.window == "TextWindow"


async def _to_shortcut(it, title):
    from cmdr.tui.input.key_map import ACTIONS

    place = next(place for place, action in enumerate(ACTIONS) if action.title == title)
    await it.press("alt+s", "tab", "tab", "home", *["down"] * place)


async def test_a_second_key_is_added_to_an_action_and_both_work(face, tmp_path):
    path = tmp_path / "config" / "settings.toml"
    path.write_text('# mine\n[shortcuts]\n# home row\ncopy = ["f5"]  # as ever\n')
    async with face() as it:
        await _to_shortcut(it, "Copy")
        await it.press("insert")
        assert "F5, press one more key…" in it.drawn
        await it.press("ctrl+e")
        await it.until(lambda: it.terminal.keys.keys["copy"] == ("f5", "ctrl+e"))
        assert "F5, Ctrl+E" in it.drawn
        await it.press("escape", "end", "ctrl+e")
        assert it.window == "Ask"
    assert tomllib.loads(path.read_text())["shortcuts"]["copy"] == ["f5", "ctrl+e"]
    assert all(kept in path.read_text() for kept in ("# mine", "# home row", "# as ever"))


async def test_one_of_several_keys_is_taken_away_and_the_rest_stay(face):
    async with face() as it:
        await _to_shortcut(it, "Rename")
        await it.press("delete")
        assert it.window == "Choose"
        await it.press("down", "enter")
        await it.until(lambda: it.terminal.keys.keys["rename"] == ("f2",))
        await it.press("delete")
        await it.until(lambda: it.terminal.keys.keys["rename"] == ())
        assert "f2" not in it.terminal.keys.actions
        await it.press("backspace")
        await it.until(lambda: it.terminal.keys.keys["rename"] == ("f2", "shift+f6"))


async def test_a_key_that_another_action_had_goes_to_the_new_one_and_that_is_told(face, tmp_path):
    (tmp_path / "config" / "settings.toml").write_text('[shortcuts]\ncopy = ["Ctrl+E", "F5"]\n')
    async with face() as it:
        await _to_shortcut(it, "Move")
        await it.press("insert", "ctrl+e")
        await it.until(lambda: it.terminal.keys.actions["ctrl+e"] == "move")
        assert it.terminal.keys.keys["copy"] == ("f5",) and not it.terminal.keys.problems
        assert "Ctrl+E was for “Copy”; now it is for “Move”." in it.drawn


async def test_a_key_no_terminal_sends_is_refused_with_the_reason(face, tmp_path):
    async with face() as it:
        await _to_shortcut(it, "Copy")
        await it.press("enter", "ctrl+f3")
        assert "Ctrl+F3 cannot be used" in it.drawn and it.terminal.keys.keys["copy"] == ("f5",)
        assert not (tmp_path / "config" / "settings.toml").exists()


async def test_f10_can_be_given_to_an_action_while_a_key_is_waited_for(face):
    async with face() as it:
        await _to_shortcut(it, "Copy")
        await it.press("enter", "f10")
        await it.until(lambda: it.terminal.keys.actions["f10"] == "copy")
        assert it.window == "SettingsWindow"


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


async def test_what_was_typed_before_comes_back_with_the_arrows(face):
    async with face() as it:
        for mask in ("*.md", "*.py"):
            await it.press("plus")
            await it.type(mask)
            await it.press("enter")
        await it.press("plus", "x")
        line = it.terminal.screen._input
        seen = []
        for key in ("up", "up", "up", "down", "down"):
            await it.press(key)
            seen.append(line.value)
        assert seen == ["*.py", "*.md", "*.md", "*.py", "x"]


async def test_a_broken_settings_file_is_told_and_left_alone(face, tmp_path):
    path = tmp_path / "config" / "settings.toml"
    path.write_text("theme = [")
    async with face() as it:
        assert "cannot be read" in it.status
        await it.press("alt+s", "tab", "enter")
        assert path.read_text() == "theme = ["


async def test_clashing_keys_in_the_file_are_told(face, tmp_path):
    (tmp_path / "config" / "settings.toml").write_text('[shortcuts]\ncopy = "ctrl+e"\nmove = "ctrl+e"\n')
    async with face() as it:
        assert "wanted by Copy and Move" in it.status


async def test_volumes_can_be_chosen(face):
    async with face() as it:
        await it.press("ctrl+v")
        await it.until(lambda: it.window == "VolumePicker")
        assert "Root" in it.drawn
        await it.press("enter")
        await it.until(lambda: not it.commander.workspace.dialogs)


async def test_info_tells_size_and_rights(face):
    async with face() as it:
        await it.press("end", "alt+i")
        await it.until(lambda: "Permissions" in it.drawn)
        assert "10 B" in it.drawn
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")


async def test_about_names_the_version(face):
    async with face() as it:
        await it.commander.run(it.terminal.person, "app.about")
        await it.until(lambda: "0.1.0" in it.drawn)


async def test_a_dialog_closed_elsewhere_closes_here(face):
    async with face() as it:
        await it.press("alt+s")
        assert it.window == "SettingsWindow"
        await it.commander.run(it.terminal.person, "dialog", {"action": "close", "type": "settings"})
        await it.until(lambda: it.window == "MainScreen")


async def test_jobs_can_be_looked_at(face):
    async with face() as it:
        await it.press("end", "f5", "enter")
        await it.until(lambda: (it.right / "readme.md").exists())
        await it.press("ctrl+j")
        await it.until(lambda: "copy done" in it.drawn or "done" in it.drawn)


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


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=5))
def test_narrowing_never_invents_and_an_empty_text_keeps_all(texts, typed):
    choices = [Choice(str(place), text) for place, text in enumerate(texts)]
    assert set(narrowed(choices, typed)) <= set(choices)
    assert narrowed(choices, "") == choices


def test_what_begins_so_comes_first():
    found = narrowed([Choice("a", "Resort"), Choice("b", "Sort"), Choice("c", "Now sort")], "sort")
    assert [choice.text for choice in found] == ["Sort", "Now sort", "Resort"]


def test_the_home_folder_is_shortened():
    from cmdr.tui.panes.frame import abbreviate_home

    home = os.fsencode("/home/ann")
    assert [abbreviate_home(path, home) for path in (b"/home/ann", b"/home/ann/x", b"/home/anna")] == [
        "~",
        "~/x",
        "/home/anna",
    ]


async def test_the_history_names_a_destination_only_where_it_says_something(face):
    async with face() as it:
        await it.type("readme")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.press("x", "ctrl+s")
        await it.until(lambda: "Saved" in it.drawn)
        await it.press("escape", "alt+z")
        await it.until(lambda: "write" in it.drawn)
        (row,) = [line for line in it.drawn.splitlines() if "write" in line]
        assert "readme.md  by" in row
        assert "→" not in row


async def test_the_room_of_a_volume_is_shown_even_if_it_was_known_before_the_window_stood(face, monkeypatch):
    """The answer came while the window was being put up, and nobody wrote it down."""
    monkeypatch.setattr("cmdr.core.panes.free_space.space_at", lambda path: (3 << 30, 4 << 30))
    monkeypatch.setattr("cmdr.core.panes.browser.volumes", lambda: (Volume("usb", b"/mnt/usb", "vfat"),))
    async with face() as it:
        await it.press("ctrl+v")
        await it.until(lambda: it.window == "VolumePicker" and "3.0 GiB free of 4.0 GiB" in it.drawn)


async def test_the_palette_offers_nothing_that_only_a_program_can_use(face):
    async with face() as it:
        await it.press("f9")
        await it.type("rest set")
        assert "Give a set another name." not in it.drawn
        await it.press(*["backspace"] * 8)
        await it.type("current selection")
        assert "What the person has selected" not in it.drawn
