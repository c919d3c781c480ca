"""The selection in the page is what the mouse showed: what is acted on is what was clicked."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def it(it):
    """A page with two files selected by keys."""
    it.open("+", title="Select")
    it.answer("file1*")
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 15 selected")
    return it


def selected(it):
    return [name.split("● ")[-1] for name in it.page.locator("#left .row.selected .name").all_inner_texts()]


def test_trash_from_the_menu_of_an_entry_that_is_not_selected_takes_that_one_alone(it):
    """Was: the files that had been selected before went to the trash."""
    it.row("file3.txt").click(button="right")
    it.page.get_by_role("menuitem", name="Move to the trash…").click()
    expect(it.window).to_contain_text("file3.txt")
    expect(it.window).not_to_contain_text("file10.txt")
    it.yes()
    it.says("trash done")
    assert not (it.tree.left / "file3.txt").exists()
    assert (it.tree.left / "file1.txt").exists()
    assert (it.tree.left / "file10.txt").exists()


def test_the_menu_of_a_selected_entry_acts_on_all_that_is_selected(it):
    it.row("file1.txt").click(button="right")
    it.page.get_by_role("menuitem", name="Copy…").click()
    expect(it.window).to_contain_text("Copy 2 items to")
    it.press("Escape")
    it.shut()
    assert selected(it) == ["file1.txt", "file10.txt"]


def test_a_plain_click_selects_nothing_any_more(it):
    it.row("file3.txt").click()
    expect(it.page.locator("#left .row.selected")).to_have_count(0)
    expect(it.row("file3.txt")).to_have_class(re.compile(r"\bcursor\b"))
    it.open("F8", title="file3.txt")
    it.press("Escape")


def test_a_click_on_a_selected_entry_leaves_the_cursor_there_alone(it):
    it.row("file10.txt").click()
    expect(it.page.locator("#left .row.selected")).to_have_count(0)
    expect(it.row("file10.txt")).to_have_class(re.compile(r"\bcursor\b"))


def test_a_click_on_nothing_clears_the_selection_and_leaves_the_cursor(it):
    before = it.page.locator("#left .row.cursor .name").inner_text()
    box = it.page.locator("#left .rows").bounding_box()
    it.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 5)
    expect(it.page.locator("#left .row.selected")).to_have_count(0)
    assert it.page.locator("#left .row.cursor .name").inner_text() == before


def test_control_turns_one_over_and_shift_selects_from_the_last_one_to_this(it):
    it.row("file3.txt").click(modifiers=["Control"])
    expect(it.page.locator("#left .totals")).to_contain_text("3 of 15 selected")
    it.row("file1.txt").click(modifiers=["Control"])
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 15 selected")
    it.row("file4.txt").click()
    it.row("file7.txt").click(modifiers=["Shift"])
    expect(it.page.locator("#left .totals")).to_contain_text("4 of 15 selected")
    # From the same one again, in the other direction; with Control besides to what is there.
    it.row("file3.txt").click(modifiers=["Shift"])
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 15 selected")
    assert selected(it) == ["file3.txt", "file4.txt"]
    it.row("file7.txt").click(modifiers=["Control"])
    it.row("file8.txt").click(modifiers=["Control", "Shift"])
    expect(it.page.locator("#left .totals")).to_contain_text("4 of 15 selected")
    assert selected(it) == ["file3.txt", "file4.txt", "file7.txt", "file8.txt"]


def test_a_click_is_drawn_before_the_key_behind_it_acts_however_slow_cmdr_is(it):
    it.page.evaluate("""() => { const send = fetch, held = [];
        globalThis.fetch = (...asked) => new Promise(done => held.push(() => done(send(...asked))));
        globalThis.answerAgain = () => { globalThis.fetch = send; held.forEach(go => go()); }; }""")
    it.row("file3.txt").click()
    it.press("F8")
    it.page.evaluate("() => new Promise(done => setTimeout(done, 200)).then(answerAgain)")
    expect(it.window).to_contain_text("file3.txt")
    expect(it.window).not_to_contain_text("file10.txt")
    it.press("Escape")
