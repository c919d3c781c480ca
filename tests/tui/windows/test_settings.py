"""The settings and the person's own keys."""

import tomllib


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
