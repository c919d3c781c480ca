"""The person's own keys in a real browser: from the settings, changed while the page is open, and told."""

import re

from playwright.sync_api import expect


def bind(it, action, keys):
    """What changing a key in the terminal does: the page only hears of it."""
    it.order("settings.bind", action=action, keys=keys)


NAMES = {
    "F5": "F5", "ctrl+e": "Ctrl+e", "Ctrl+E": "Ctrl+e", "PgUp": "PageUp", "ctrl+pageup": "Ctrl+PageUp", "plus": "+",
    "+": "+", "Ctrl++": "Ctrl++", "alt+full_stop": "Alt+.", "ctrl+underscore": "Ctrl+_", "shift+alt+x": "Alt+Shift+x",
    "Del": "Delete", "ctrl+↑": "Ctrl+ArrowUp", "Esc": "Escape", "Shift+?": "?", "alt+left_square_bracket": "Alt+[",
    " space ": "Space", "constructor": "constructor",
}  # fmt: skip
KEPT = {"Ctrl+PageUp": "ctrl+pageup", "+": "plus", "Ctrl++": "ctrl+plus", "Alt+[": "alt+left_square_bracket",
        "Ctrl+ArrowUp": "ctrl+up", "F5": "f5", "Alt+Shift+x": "alt+shift+x"}  # fmt: skip


def test_keys_are_understood_however_they_are_written(it):
    script = "([name, keys]) => import('/static/page/key_names.js').then(made => keys.map(made[name]))"
    assert it.page.evaluate(script, ["normal", list(NAMES)]) == list(NAMES.values())
    assert it.page.evaluate(script, ["kept", list(KEPT)]) == list(KEPT.values())
    assert it.page.evaluate(script, ["normal", list(KEPT.values())]) == list(KEPT)


def test_own_keys_replace_the_usual_ones_while_the_page_is_open(it):
    """The keys of the settings held in the terminal alone."""
    it.cursor_to("file3.txt")
    bind(it, "copy", ["Ctrl+E"])
    expect(it.page.locator("#keys")).not_to_contain_text("F5")
    it.press("F5")
    it.open("Control+e", title="Copy file3.txt to")
    it.press("Escape")
    it.shut()
    it.open("F1", title="Keys")
    expect(it.window.locator("dt").filter(has_text="Ctrl+E")).to_have_count(1)
    it.press("Escape")
    it.open("F9", title="All commands")
    it.type("copy")
    expect(it.window.locator(".choice").first).to_contain_text("Ctrl+E")
    it.press("Escape")
    # A usual key that somebody else took is gone from its own action; a command can have a key, too.
    bind(it, "file.getInfo", ["F6"])
    expect(it.page.locator("#keys")).to_contain_text("F6 Get info")
    it.open("F6", title="Info: file3.txt")
    it.press("Escape")
    bind(it, "down", ["j"])
    means = "import('/static/page/key_map.js').then(map => map.actionOf(new KeyboardEvent('keydown', {key: 'j'})))"
    it.page.wait_for_function(f"() => {means}")
    it.open("F1", title="Keys")
    expect(it.window).to_contain_text("Your own")
    it.press("Escape")
    it.shut()
    it.press("j")
    expect(it.row("file4.txt")).to_have_class(re.compile("cursor"))
    bind(it, "copy", None)
    expect(it.page.locator("#keys")).to_contain_text("F5 Copy")


def test_a_key_that_the_browser_keeps_leaves_the_usual_ones(it):
    bind(it, "new_tab", ["Ctrl+T"])
    it.press("Alt+t")
    expect(it.page.locator("#left .tab")).to_have_count(2)
    it.open("Alt+s", title="Settings")
    expect(it.window).to_contain_text("Ctrl+T cannot be used here for New tab: it belongs to the browser")
    it.press("Escape")


def test_a_key_is_changed_by_pressing_it_and_given_back(it):
    it.open("Alt+s", title="Settings")
    it.window.get_by_role("button", name="New folder: F7, change").click()
    it.press("Control")
    it.press("Escape")
    it.window.get_by_role("button", name="New folder: F7, change").click()
    it.press("Control+ArrowLeft")
    expect(it.window.get_by_role("button", name="New folder: Ctrl+←, change")).to_be_focused()
    kept = (it.served.home / ".config" / "cmdr" / "settings.toml").read_text()
    assert 'mkdir = ["ctrl+left"]' in kept
    it.press("Escape")
    it.shut()
    it.open("Control+ArrowLeft", title="New folder")
    it.press("Escape")
    it.open("Alt+s", title="Settings")
    it.window.get_by_role("button", name="New folder, as it was").click()
    expect(it.window.get_by_role("button", name="New folder: F7, change")).to_be_visible()
    it.press("Escape")


def test_rows_are_selected_to_the_ends_and_by_pages(it):
    totals = it.page.locator("#left .totals")
    it.cursor_to("file3.txt")
    it.press("Shift+End")
    expect(totals).to_contain_text("selected")
    expect(it.row("file2.txt")).not_to_have_class(re.compile("selected"))
    expect(it.row("file3.txt")).to_have_class(re.compile("selected"))
    expect(it.row("file4.txt")).to_have_class(re.compile("selected"))
    # From a selected row on it deselects.
    it.press("Shift+Home")
    expect(totals).not_to_contain_text("selected")
    expect(it.row("..")).to_have_class(re.compile("cursor"))


def test_the_tabs_own_history_and_the_volumes_are_chosen_from_a_list(alone):
    it = alone
    left = it.tree.left
    it.press("Alt+ArrowDown")
    it.says("nowhere else yet")
    it.go(left / "docs")
    it.open("Alt+ArrowDown", title="Folders this tab has been in")
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(left))
    it.open("Control+v", title="Volumes, left pane")
    it.press("Escape")
    # What only the terminal's keys did: the folder under the cursor over there, a copy beside, adding a folder up.
    it.cursor_to("docs")
    it.press("Alt+o")
    expect(it.page.locator("#right .path")).to_have_text(str(left / "docs"))
    it.press("Control+Space")
    it.says("docs holds")
    it.cursor_to("file1.txt")
    it.open("Shift+F5", title="Copy file1.txt here as")
    it.type("copied")
    it.press("Enter")
    it.says("copy done")
    assert (left / "copied.txt").exists()
