"""Help, palette, settings and the other windows."""

import os
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.volume import Volume
from cmdr.tui.windows.choose import Choice, narrowed


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
        assert it.window == "Reading"


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
        assert "wanted by copy and move" in it.status


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
    from cmdr.tui.pane_frame import tilde

    home = os.fsencode("/home/ann")
    assert [tilde(path, home) for path in (b"/home/ann", b"/home/ann/x", b"/home/anna")] == ["~", "~/x", "/home/anna"]


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
    monkeypatch.setattr("cmdr.core.space.space_at", lambda path: (3 << 30, 4 << 30))
    monkeypatch.setattr("cmdr.core.browser.volumes", lambda: (Volume("usb", b"/mnt/usb", "vfat"),))
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
