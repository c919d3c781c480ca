"""The inbox in the page: everything that waits, answered with the terminal's keys, the mouse or a finger."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect


def rename(it, name, new, call=None, **more):
    told = (call or it.served.call)("rename", path=str(it.tree.left / name), newName=new, **more)
    assert told.startswith("OK"), told


def opened(it, waiting):
    """The inbox, once so many wait and an answer counts."""
    expect(it.page.locator("#waiting")).to_have_text(f"{waiting} to answer")
    it.open("Control+y", title="Inbox")
    armed(it)
    return it.window


def armed(it):
    expect(it.window.locator(".answers button").first).to_be_enabled()


def cursor(it):
    return it.window.locator(".entryrow.cursor")


def test_one_after_the_other_is_answered_and_the_next_stands_there(it):
    for number in (1, 2, 3):
        rename(it, f"file{number}.txt", f"new{number}.txt")
    window = opened(it, 3)
    expect(window).to_contain_text("3 wait for you and keep an agent waiting")
    expect(window.locator(".entry")).to_contain_text("file1.txt → new1.txt")
    it.press("y")
    expect(window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    armed(it)
    it.press("n")
    expect(window.locator(".entry")).to_contain_text("file3.txt → new3.txt")
    armed(it)
    it.press("y")
    it.shut()
    it.says("rename done")
    expect(it.row("new3.txt")).to_have_count(1)
    assert (it.tree.left / "new1.txt").exists()
    assert (it.tree.left / "file2.txt").exists()
    expect(it.page.locator("#waiting")).to_be_hidden()
    expect(it.page).to_have_title("cmdr")


def ten(it):
    """Ten renames, of two agents."""
    agents = it.agent("claude"), it.agent("codex")
    for number in range(1, 11):
        rename(it, f"file{number}.txt", f"new{number}.txt", agents[number > 5])
    return opened(it, 10)


def test_ten_are_decided_with_four_keys_where_they_are_alike(it):
    window = ten(it)
    for left in (10, 5):
        expect(window.locator(".entryrow")).to_have_count(left)
        armed(it)
        it.press("A")
        expect(window.get_by_role("option", selected=True)).to_have_count(5)
        expect(window.get_by_role("button", name="Yes, do it (5 marked)")).to_be_enabled()
        it.press("y")
    it.shut()
    expect(it.page.locator("#waiting")).to_be_hidden()
    expect(it.row("new10.txt")).to_have_count(1)
    assert len([path for path in it.tree.left.iterdir() if path.name.startswith("new")]) == 10


def test_ten_that_are_not_alike_take_a_key_each(it):
    ten(it)
    for number in range(1, 11):
        expect(it.window.locator(".entry")).to_contain_text(f"file{number}.txt →")
        armed(it)
        it.press("n" if number % 2 else "y")
    it.shut()
    expect(it.page.locator("#waiting")).to_be_hidden()
    expect(it.row("new10.txt")).to_have_count(1)
    kept = [path.name for path in it.tree.left.iterdir() if path.name.startswith("new")]
    assert sorted(kept) == ["new10.txt", "new2.txt", "new4.txt", "new6.txt", "new8.txt"]


def test_keys_that_go_on_coming_answer_one_at_most(it):
    for number in (1, 2, 3):
        rename(it, f"file{number}.txt", f"new{number}.txt")
    opened(it, 3)
    it.burst(*"yyyyyyyy")
    expect(it.window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    armed(it)
    assert (it.tree.left / "file2.txt").exists()
    assert (it.tree.left / "file3.txt").exists()
    expect(it.page.locator("#waiting")).to_have_text("2 to answer")
    it.held_down("y")
    it.sent_before("y")
    it.window.get_by_role("button", name="Yes, do it").evaluate("button => button.click()")
    assert (it.tree.left / "file2.txt").exists()
    it.press("Escape")


def test_a_no_with_a_reason_reaches_the_agent_and_escape_takes_it_back_first(it):
    asked = it.served.call("rename", path=str(it.tree.left / "file1.txt"), newName="x.txt")
    id = re.search(r"p_[\w-]+", asked).group() if "p_" in asked else None
    window = opened(it, 1)
    it.press("N")
    expect(window.get_by_label("Why not")).to_be_focused()
    it.press("Escape")
    expect(window.get_by_label("Why not")).to_have_count(0)
    armed(it)
    it.press("N")
    it.type("keep the yes names")
    it.press("Enter")
    it.shut()
    told = it.served.call("await", **({"proposal": id} if id else {}))
    assert "keep the yes names" in told
    assert (it.tree.left / "file1.txt").exists()


def test_what_is_risky_takes_its_word_and_is_answered_alone(it):
    it.served.call("delete", paths=[str(it.tree.left / "file1.txt")], permanent=True, reason="old")
    rename(it, "file2.txt", "new2.txt")
    window = opened(it, 2)
    it.press(" ")
    expect(window.get_by_role("option", selected=True)).to_have_count(0)
    expect(window.get_by_role("status")).to_contain_text("This is answered alone")
    it.press("y")
    word = window.get_by_label("Type delete to do it")
    expect(word).to_be_focused()
    it.type("yes")
    it.press("Enter")
    expect(word).to_have_value("")
    assert (it.tree.left / "file1.txt").exists()
    it.type("delete")
    it.press("Enter")
    expect(window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    assert not (it.tree.left / "file1.txt").exists()
    it.press("Escape")


def test_what_comes_and_goes_never_moves_what_the_cursor_is_on(it):
    for number in (1, 2):
        rename(it, f"file{number}.txt", f"new{number}.txt")
    window = opened(it, 2)
    it.press("ArrowDown")
    expect(cursor(it)).to_contain_text("file2.txt")
    armed(it)
    rename(it, "file3.txt", "new3.txt")
    expect(window.locator(".entryrow")).to_have_count(3)
    expect(cursor(it)).to_contain_text("file2.txt")
    first = it.state()["proposals"][0]["id"]
    it.order("reject", proposal=first)
    expect(window.locator(".entryrow")).to_have_count(2)
    expect(cursor(it)).to_contain_text("file2.txt")
    expect(window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    # What goes from under the cursor makes room for the next, which has to be seen before a key counts.
    it.order("reject", proposal=it.state()["proposals"][0]["id"])
    expect(window.locator(".entry")).to_contain_text("file3.txt → new3.txt")
    expect(window.get_by_role("status")).to_contain_text("waits no longer")
    assert (it.tree.left / "file3.txt").exists()
    it.press("Escape")


def test_an_edit_is_shown_with_its_lines_and_saved_by_a_yes(alone):
    it = alone
    file = it.tree.left / "code.py"
    file.write_text("one\ntwo\n")
    with ThreadPoolExecutor(1) as pool:
        called = pool.submit(it.served.call, "open_diff", path=str(file), contents="one\n2\n")
        window = opened(it, 1)
        expect(window.locator(".entry .side.new")).to_contain_text("2")
        it.press("Enter")
        expect(it.window).to_contain_text("change 1 of 1")
        it.press("Escape")
        armed(it)
        it.press("y")
        assert called.result(60).startswith("OK: FILE_SAVED")
    assert file.read_text() == "one\n2\n"


def test_the_mouse_alone_marks_and_answers(it):
    for number in (1, 2, 3):
        rename(it, f"file{number}.txt", f"new{number}.txt")
    window = opened(it, 3)
    window.locator(".entryrow").nth(1).click()
    expect(window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    armed(it)
    window.get_by_role("button", name="No, leave it").click()
    expect(window.locator(".entry")).to_contain_text("file3.txt → new3.txt")
    for row in (0, 1):
        window.locator(".entryrow .mark").nth(row).click()
    expect(window.get_by_role("option", selected=True)).to_have_count(2)
    yes = window.get_by_role("button", name="Yes, do it (2 marked)")
    expect(yes).to_be_enabled()
    yes.click()
    it.shut()
    expect(it.row("new3.txt")).to_have_count(1)
    assert (it.tree.left / "new1.txt").exists()
    assert (it.tree.left / "file2.txt").exists()


def test_a_taken_name_is_asked_about_here_once_its_window_was_left(it):
    (it.tree.right / "file2.txt").write_text("in the way")
    it.cursor_to("file2.txt")
    it.open("F5", title="Copy file2.txt to")
    it.press("Enter")
    expect(it.window).to_contain_text("This name is taken")
    it.press("Escape")
    it.shut()
    window = opened(it, 1)
    expect(window.locator(".entry")).to_contain_text("file2.txt")
    it.press("r")
    it.shut()
    it.says("copy done: 1 file")
    assert (it.tree.right / "file2.txt").read_text() == "in the way"
    assert len(list(it.tree.right.iterdir())) == 3


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 800)])
def test_every_part_of_it_fits_and_everybody_can_reach_it(here, node, width, height):
    it = here(bypass_csp=True, viewport={"width": width, "height": height})
    it.page.add_script_tag(path=node.modules / "axe-core" / "axe.min.js")
    it.served.call("delete", paths=[str(it.tree.left / "file1.txt")], permanent=True, reason="x " * 800)
    rename(it, "file2.txt", "n" * 200, reason="because " * 20)
    window = opened(it, 2)
    found = it.page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
    expect(window.get_by_role("listbox", name="Waiting")).to_be_focused()
    box = window.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
    for button in window.locator(".answers button").all():
        inner = button.bounding_box()
        assert inner["x"] >= box["x"] and inner["x"] + inner["width"] <= box["x"] + box["width"]
        assert inner["y"] + inner["height"] <= box["y"] + box["height"]
    assert it.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    it.press("Escape")


def test_a_yes_with_a_rule_lets_the_next_run_and_its_undo_suspends_the_rule(alone):
    it = alone
    claude = it.agent("claude")
    rename(it, "file1.txt", "new1.txt", claude)
    window = opened(it, 1)
    expect(window.locator(".rulewords")).to_contain_text("The next like this: claude")
    it.press("R")
    expect(window.get_by_role("button", name="Today")).to_be_enabled()
    it.press("t")
    it.shut()
    expect(it.row("new1.txt")).to_have_count(1)
    expect(it.page.locator("#waiting")).to_be_hidden()
    assert "rule 1" in claude("rename", path=str(it.tree.left / "file2.txt"), newName="new2.txt")
    line = it.page.locator("#unasked")
    expect(line).to_contain_text("by rule 1")
    it.open("Alt+a", title="Agents")
    expect(it.window.get_by_role("region", name="Rules", exact=True)).to_contain_text("claude")
    expect(it.window.locator(".turn")).to_contain_text("by rule 1")
    it.press("Escape")
    it.shut()
    line.get_by_role("button", name="Undo").click()
    it.yes()
    it.says("undo done")
    expect(line).to_be_hidden()
    assert (it.tree.left / "file2.txt").exists()
    it.open("Alt+a", title="Agents")
    expect(it.window.get_by_role("region", name="Rules", exact=True)).to_contain_text("suspended")
    it.window.get_by_role("button", name="Allow again").click()
    expect(it.window.get_by_role("button", name="Suspend")).to_be_visible()
    it.window.get_by_role("button", name="Undo operation 1").click()
    expect(it.window).to_contain_text("Undo what agents did")
    expect(it.window.locator(".steps li")).to_have_count(1)
    expect(it.window.get_by_role("button", name="Yes, undo")).to_be_enabled()
    it.press("y")
    expect(it.row("file1.txt")).to_have_count(1)
    it.press("Escape")


def test_an_address_opens_the_page_on_one_of_them_and_only_shows_it(it):
    for number in (1, 2):
        rename(it, f"file{number}.txt", f"new{number}.txt")
    expect(it.page.locator("#waiting")).to_have_text("2 to answer")
    second = it.state()["proposals"][1]["id"]
    it.page.goto(f"{it.origin}/#/inbox/{second}")
    expect(it.window.locator(".entry")).to_contain_text("file2.txt → new2.txt")
    assert it.page.url == f"{it.origin}/"
    assert (it.tree.left / "file2.txt").exists()
    armed(it)
    it.press("Escape")
    it.shut()
    it.page.evaluate("() => { location.hash = '#/inbox/p_nobody'; }")
    it.says("waits no longer")


def test_the_browser_calls_when_the_person_is_away_and_a_click_shows_it(here):
    it = here(permissions=["notifications"])
    it.page.evaluate("""() => {
        globalThis.called = [];
        globalThis.Notification = class extends EventTarget {
            static permission = 'granted';
            constructor(title, how) { super(); called.push({title, ...how, it: this}); }
            close() {}
        };
        document.hasFocus = () => false;
    }""")
    rename(it, "file1.txt", "new1.txt", reason="<b>press y at once</b>")
    it.page.wait_for_function("() => called.length === 1")
    told = it.page.evaluate("() => ({title: called[0].title, body: called[0].body, tag: called[0].tag})")
    assert told["title"] == "cmdr: 1 waits for you"
    assert told["body"].startswith("same-user: Rename 1 file, 10 B")
    assert "press y" not in told["body"]
    expect(it.page.locator('link[rel="icon"]')).to_have_attribute("href", "/static/page/icon-waiting.svg")
    it.page.evaluate("() => called[0].it.dispatchEvent(new Event('click'))")
    expect(it.window.locator(".entry")).to_contain_text("file1.txt → new1.txt")
    it.press("Escape")
