"""Stop is stop in the page: the key and a button in every window; a second press does not allow again."""

import pytest
from playwright.sync_api import expect

WINDOWS = {
    "panes": (),
    "help": ("F1",),
    "all commands": ("F9",),
    "find, with text": ("Control+f", "a"),
    "settings": ("Alt+s",),
    "jobs": ("Control+j",),
    "copy": ("F5",),
    "trash": ("F8",),
    "a new folder, with text": ("F7", "n"),
    "viewer": ("F3",),
}


def opened(it, window):
    if window in ("copy", "trash", "viewer"):
        it.row("readme.md").click()
    for key in WINDOWS[window]:
        it.press(key)
        if key == WINDOWS[window][0]:
            expect(it.page.locator("dialog[open]")).to_have_count(1)


@pytest.mark.parametrize("window", WINDOWS)
def test_one_press_stops_the_agents_in_every_window_and_a_second_one_allows_nothing(it, window):
    opened(it, window)
    assert "stopped all agents" not in it.served.call("state")
    it.press("Control+k")
    expect(it.page.locator("#activity")).to_have_text("agents are stopped")
    assert "stopped all agents" in it.served.call("state")
    it.press("Control+k")
    it.says("All agents are stopped")
    assert "stopped all agents" in it.served.call("state")
    if WINDOWS[window]:
        it.press("Escape")
        it.shut()


def test_a_window_has_the_button_too_and_allowing_is_done_in_the_window_of_the_agents(it):
    it.open("F7")
    it.window.get_by_role("button", name="Stop agents").click()
    expect(it.page.locator("#activity")).to_have_text("agents are stopped")
    expect(it.window.locator(".told")).to_contain_text("All agents are stopped")
    assert "stopped all agents" in it.served.call("state")
    it.press("Escape")
    it.shut()
    it.page.locator("#stop").click()
    it.window.get_by_role("button", name="Let agents call again").click()
    expect(it.page.locator("#stop")).to_have_text("Stop agents")
    assert "stopped all agents" not in it.served.call("state")


def test_a_question_that_was_closed_stays_told_holds_up_nothing_and_is_answered_later(it):
    left, right = it.tree.left, it.tree.right
    (right / "readme.md").write_text("other")
    it.press("Control+r")
    it.row("readme.md").click()
    it.open("F5")
    it.press("Enter")
    expect(it.window).to_contain_text("This name is taken")
    it.press("Escape")
    it.shut()
    it.says("The copy asks about readme.md: Ctrl+Y")
    it.open("F7")
    it.type("new")
    it.press("Enter")
    it.shut()
    expect(it.row("new")).to_be_visible()
    assert (left / "new").is_dir()
    expect(it.page.locator("#jobs")).to_contain_text("The copy asks about readme.md")
    it.press("Control+y")
    expect(it.window).to_contain_text("This name is taken")
    it.window.get_by_role("button", name="Skip").click()
    it.shut()
    expect(it.page.locator("#jobs")).to_be_hidden()
