"""The person's own keys in a real browser: from the settings, changed while the page is open, and told."""

import re

from playwright.sync_api import expect


def bind(it, action, keys):
    """What changing a key in the terminal does: the page only hears of it."""
    it.order("settings.bind", action=action, keys=keys)


PRESSED = {
    "F5": "f5", "e": "e", "+": "+", " ": "space", "PageUp": "pageup", "ArrowUp": "up", "Escape": "escape", "?": "?",
    "[": "[", "ContextMenu": "contextmenu", "Delete": "delete", "A": "a", "1": "1", "Shift": "", "Dead": "",
}  # fmt: skip


def test_pressed_keys_are_called_as_the_table_calls_them(it):
    script = """(keys) => import('/static/page/keys/key_names.js').then(
        ({pressed}) => keys.map(([key, how]) => pressed(new KeyboardEvent('keydown', {key, ...how}))))"""
    plain = [[key, {}] for key in PRESSED]
    assert it.page.evaluate(script, plain) == list(PRESSED.values())
    held = [["PageUp", {"ctrlKey": True}], ["X", {"altKey": True, "shiftKey": True}], ["+", {"metaKey": True}],
            ["?", {"altKey": True, "shiftKey": True}], [" ", {"shiftKey": True}],
            ["1", {"shiftKey": True}]]  # fmt: skip
    assert it.page.evaluate(script, held) == ["ctrl+pageup", "alt+shift+x", "ctrl++", "alt+?", "shift+space", "1"]


def test_the_page_has_a_function_for_each_action_that_it_is_served_and_no_other(it):
    script = """() => Promise.all(
        ['core/actions', 'panes/moving', 'keys/key_map'].map((name) => import(`/static/page/${name}.js`)))
        .then(
        ([{ACTIONS}, {PLACES}, {allActions}]) => [
            Object.keys({...ACTIONS, ...PLACES}), allActions().map(({id, command}) => [id, command])])"""
    functions, actions = it.page.evaluate(script)
    assert {id for id, command in actions if not command} <= set(functions) <= {id for id, _ in actions}


def test_what_is_drawn_is_the_table_that_cmdr_serves(it):
    table = it.context.request.get(f"{it.origin}/page/actions", headers=it.headers).json()
    actions = {action["id"]: action for section in table["sections"] for action in section["actions"]}
    bar = [table["bound"].get(f"f{number}") for number in range(1, 10)]
    expect(it.page.locator("#keys button")).to_have_text(
        [f"F{number} {actions[id]['word']}" for number, id in enumerate(bar, 1)]
    )
    expect(it.page.locator("#menu button")).to_have_text([actions[id]["word"] for id in table["topBar"]])
    it.cursor_to("file3.txt")
    it.press("Shift+F10")
    offered = it.page.locator("dialog[open] [role=menuitem]")
    titles = [actions[id]["title"] for group in table["entryMenu"] for id in group if id in actions]
    expect(offered).to_have_count(len(titles))
    assert [text.removesuffix("…") for text in offered.all_inner_texts()] == titles
    it.press("Escape")
    it.cursor_to("docs")
    it.press("Shift+F10")
    offered.first.wait_for()
    assert "Edit" not in offered.all_inner_texts()
    it.press("Escape")
    it.open("F1", title="Keys")
    shown = [title for section in table["sections"] for title in (action["title"] for action in section["actions"])]
    expect(it.window.locator("dd")).to_have_text(shown)


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
    means = "import('/static/page/keys/key_map.js').then(map => map.actionOf(new KeyboardEvent('keydown', {key: 'j'})))"
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
    it.press("Alt+Shift+t")
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
