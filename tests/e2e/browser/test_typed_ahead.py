"""Keys act in the order they were typed, however much faster they come than cmdr answers."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture(params=["at once", "slowly"])
def it(it, request):
    """A page whose cmdr answers at once, or every time only after all keys of a burst were typed."""
    if request.param == "slowly":
        it.page.evaluate("""() => { const send = fetch;
            globalThis.fetch = (...asked) => new Promise(done => setTimeout(() => done(send(...asked)), 150)); }""")
    return it


def test_a_window_gets_what_was_typed_behind_the_key_that_opens_it(it):
    # What is new is under the cursor before the next key acts.
    it.burst("F7", "new one", "Enter", "Enter", "F7", "inner", "Backspace", "Home", "x", "End", "y", "Enter")
    expect(it.row("xinney")).to_have_class(re.compile("cursor"))
    assert (it.tree.left / "new one" / "xinney").is_dir()


def test_keys_behind_a_change_of_place_act_in_the_new_place(it):
    (it.tree.right / "sub").mkdir()
    (it.tree.right / "sub" / "a.txt").write_text("in a")
    (it.tree.right / "sub" / "b.txt").write_text("in b")
    it.cursor_to("file5.txt")
    it.burst("Tab", "Control+r", "Home", "ArrowDown", "Enter", "ArrowDown", "ArrowDown", "F3")
    expect(it.window).to_contain_text("in b")
    it.burst("Escape", "Backspace", "Tab", "ArrowDown")
    expect(it.page.locator("#right .path")).to_have_text(str(it.tree.right))
    expect(it.row("file6.txt")).to_have_class(re.compile("cursor"))
    it.burst("Control+g", str(it.tree.left / "docs"), "Enter", "End", "F3")
    expect(it.window).to_contain_text("Guide")
    it.press("Escape")
    it.shut()


def test_a_search_leads_to_its_entry_before_the_next_key_acts(it):
    it.burst("readm", "F3")
    expect(it.window).to_contain_text("# Read me")
    it.burst("Escape", "docs", "Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.left / "docs"))


def test_the_palette_and_the_find_window_choose_what_was_typed(it):
    it.burst("F9", "about cmdr", "Enter")
    expect(it.window).to_contain_text("Version")
    it.press("Escape")
    it.shut()
    it.burst("Control+f", "guide", "Enter", "F3")
    expect(it.window.locator(".text")).to_contain_text("Guide")
    it.press("Escape")
    it.shut()
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.left / "docs"))


def test_enter_takes_nothing_from_the_list_for_what_was_typed_before(it):
    (it.tree.left / "docs" / "guide-two.md").write_text("second")
    it.open("Control+f", title="Find")
    it.type("guide")
    expect(it.window).to_contain_text("2 found")
    it.burst("-two", "Enter")
    expect(it.row("guide-two.md")).to_have_class(re.compile("cursor"))


def test_a_pattern_goes_from_field_to_field_and_a_path_is_completed_first(it):
    it.burst("+", "file*", "Enter", "F2", "file", "Tab", "page-", "F2")
    it.says("rename done: 10")
    assert (it.tree.left / "page-1.txt").exists()
    it.burst("Control+g", f"{it.tree.left}/do", "Tab", "guide.md", "Control+a", f"{it.tree.right}", "Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.right))


def test_what_is_on_the_clipboard_goes_into_the_window_that_opens_but_into_no_question(it):
    it.open("Control+g", title="Go to path")
    it.answer(str(it.tree.left / "docs"), "Control+a", "Control+c", "Escape")
    it.shut()
    it.burst("Control+g", "Control+v", "Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.left / "docs"))
    it.burst("Shift+F8", "Control+v")
    expect(it.window.get_by_label("Type delete to do it")).to_have_value("")
    it.press("Escape")
    it.shut()


def test_a_text_is_written_into_the_editor_that_opens(it):
    it.cursor_to("readme.md")
    it.burst("F4", "a", "Enter", "b", "ArrowLeft", "c", "Delete", "Control+s")
    expect(it.window.locator(".note")).to_have_text("saved")
    assert (it.tree.left / "readme.md").read_text() == "a\nc# Read me"
    it.press("Escape")


def test_nothing_typed_ahead_answers_a_question(it):
    it.cursor_to("file3.txt")
    it.burst("F8", "y", "Enter", "y")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    assert (it.tree.left / "file3.txt").exists()
    it.yes()
    it.says("trash done")
    it.cursor_to("file4.txt")
    it.burst("Shift+F8", "delete", "Enter")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    assert (it.tree.left / "file4.txt").exists()
    it.press("Escape")


def test_keys_behind_an_answer_act_once_it_is_given(it):
    it.cursor_to("file3.txt")
    it.open("F8", title="Move to trash")
    it.yes("y", "End", "F3")
    expect(it.window).to_contain_text("# Read me")
    assert not (it.tree.left / "file3.txt").exists()
    it.press("Escape")


def test_a_key_that_is_held_down_does_not_go_on_after_it_was_lifted(it):
    it.page.evaluate("""() => { const send = fetch, held = [];
        globalThis.fetch = (...asked) => new Promise(done => held.push(() => done(send(...asked))));
        globalThis.answerAgain = () => { globalThis.fetch = send; held.forEach(go => go()); }; }""")
    it.cursor_to("file3.txt")
    for _ in range(10):
        it.page.keyboard.down("Insert")
    it.page.keyboard.up("Insert")
    it.page.evaluate("() => answerAgain()")
    # The first one, and the one that waited behind it.
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 15 selected")
    it.press("F3")
    expect(it.window).to_contain_text("/file5.txt")
    it.press("Escape")


def test_escape_gives_up_what_takes_long_and_the_keys_behind_it(it):
    it.page.evaluate("""() => { const send = fetch; globalThis.fetch = (...asked) => (
        String(asked[1]?.body).includes('nav_to_parent') ? new Promise(() => {}) : send(...asked)); }""")
    it.press("Backspace", "F7", "x")
    # The page counts how long it waits by its own clock; this lets it see another one.
    it.page.evaluate(
        "() => { const before = performance.now; performance.now = () => before.call(performance) + 1000; }"
    )
    it.press("Escape")
    it.says("Not waiting for it any longer")
    it.shut()
    it.press("End")
    expect(it.row("readme.md")).to_have_class(re.compile("cursor"))
