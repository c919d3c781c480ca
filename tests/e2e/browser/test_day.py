"""A day's work in a real browser: files, agents, windows, several faces at once, and what happens when cmdr ends."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from browser_page import CMDR, login_link, serve_again
from playwright.sync_api import expect
from pty_terminal import PtyTerminal


def test_files_are_filtered_selected_copied_renamed_and_undone(it):
    left, right = it.tree.left, it.tree.right
    (right / "file2.txt").write_text("in the way")
    it.open("/", title="Filter")
    it.answer("*.txt")
    expect(it.page.locator("#left .totals")).to_contain_text("Filter: *.txt · 10 entries")
    it.open("+", title="Select")
    it.answer("file1*")
    it.says("2 matched")
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 10 selected")
    it.press("Escape")
    expect(it.page.locator("#left .totals")).to_contain_text("2 of 15 selected")
    it.open("F5", title="Copy 2 items to")
    it.press("Enter")
    it.says("copy done: 2 files")
    assert sorted(path.name for path in right.iterdir()) == ["backup.tar", "file1.txt", "file10.txt", "file2.txt"]
    # A taken name is asked about; the answer says what becomes of it.
    it.cursor_to("file2.txt")
    it.open("F5", title="Copy file2.txt to")
    it.press("Enter")
    expect(it.window).to_contain_text("This name is taken")
    it.sent_before("o")
    expect(it.window.get_by_role("button", name="Skip (s)")).to_be_focused()
    it.press("r")
    it.says("copy done: 1 file")
    assert (right / "file2.txt").read_text() == "in the way"
    # Undo takes it back after a yes.
    it.open("Control+z", title="Please confirm")
    it.yes()
    it.says("undo done")
    assert sorted(path.name for path in right.iterdir()) == ["backup.tar", "file1.txt", "file10.txt", "file2.txt"]
    # One name, then many by a pattern; every new name is seen before.
    it.cursor_to("readme.md")
    it.open("F2", title="Rename readme.md")
    it.type("liesmich")
    it.press("Enter")
    it.says("rename done")
    assert (left / "liesmich.md").exists()
    it.open("+")
    it.answer("file*.txt")
    expect(it.page.locator("#left .totals")).to_contain_text("10 of 15 selected")
    it.open("F2", title="Rename many")
    it.press("Control+r")
    it.type(r"file(\d+)")
    it.press("Tab")
    it.type("page-$1")
    expect(it.window).to_contain_text("10 names would change, by regular expression")
    expect(it.window.locator(".pair").filter(has_text="file1.txt")).to_contain_text("→page-1.txt")
    # A name typed by hand that another file would get as well stops it, until it is given up.
    it.window.get_by_role("button", name="page-1.txt").click()
    it.answer("page-2.txt")
    expect(it.window).to_contain_text("two files would get this name")
    expect(it.window.get_by_role("button", name="Rename (F2)")).to_be_disabled()
    it.press("Delete")
    expect(it.window.get_by_role("button", name="Rename (F2)")).to_be_enabled()
    it.press("F2")
    it.says("rename done: 10")
    assert (left / "page-10.txt").exists()


def test_trash_and_cancel_leave_what_they_should(alone):
    it = alone
    it.cursor_to("file3.txt")
    it.open("F8", title="Move to trash")
    it.press("Escape")
    it.says("Nothing was changed")
    assert (it.tree.left / "file3.txt").exists()
    it.open("F8", title="Move to trash")
    it.yes()
    it.says("trash done")
    assert not (it.tree.left / "file3.txt").exists()
    it.open("F5")
    it.press("Escape")
    it.shut()
    assert [path.name for path in it.tree.right.iterdir()] == ["backup.tar"]
    it.cursor_to("file4.txt")
    it.press("Space")
    it.open("F7", title="New folder")
    it.answer("new one")
    it.says("mkdir done")
    expect(it.row("new one")).to_have_class(re.compile("cursor"))
    # A new folder has nothing to do with what is selected.
    expect(it.row("file4.txt")).to_have_class(re.compile("selected"))
    it.press("Escape")
    expect(it.row("file4.txt")).not_to_have_class(re.compile("selected"))
    it.open("Alt+z", title="History")
    expect(it.window.locator("tbody tr")).to_have_count(2)
    it.press("Escape")


def test_a_folder_that_holds_more_than_was_shown_is_asked_about(alone):
    it = alone
    it.cursor_to("docs")
    it.open("F8", title="Move to trash")
    (it.tree.left / "docs" / "unseen").write_text("22")
    it.yes()
    expect(it.window).to_contain_text("This folder holds something else than was shown")
    expect(it.window).to_contain_text("1 folder, 2 files, 7 B")
    expect(it.window.get_by_role("button", name="Leave it (s)")).to_be_focused()
    it.press("o")
    it.says("trash done: 2 files, 1 folder")
    assert not (it.tree.left / "docs").exists()


def test_a_key_acts_on_the_row_that_is_drawn_under_the_cursor_however_slow_cmdr_is(it):
    it.cursor_to("file3.txt")
    it.page.evaluate(
        """() => { const send = fetch, held = [];
        globalThis.fetch = (...asked) => new Promise(done => held.push(() => done(send(...asked))));
        globalThis.answerAgain = () => { globalThis.fetch = send; held.forEach(go => go()); }; }"""
    )
    # The cursor is drawn further down at once; then the key waits longer than it would for the order before it.
    it.press("ArrowDown", "F3")
    expect(it.row("file4.txt")).to_have_class(re.compile(r"\bcursor\b"))
    it.page.evaluate("() => new Promise(done => setTimeout(done, 200)).then(answerAgain)")
    expect(it.window).to_contain_text("/file4.txt")


def test_a_file_is_viewed_searched_edited_and_saved(it):
    left = it.tree.left
    (left / "long.log").write_text("".join(f"line {number}\n" for number in range(20_000)))
    (left / "hidden.txt").write_text("a\u202eb")
    it.press("Control+r")
    it.cursor_to("long.log")
    it.open("Enter", title="long.log")
    expect(it.window.locator(".text")).to_contain_text("line 499")
    it.press("/")
    it.type("line 15000")
    it.press("Enter")
    expect(it.window.locator(".found")).to_have_text("line 15000")
    it.press("F3")
    it.shut()
    it.cursor_to("readme.md")
    it.open("F4", title="readme.md")
    it.type("Please ")
    expect(it.window).to_contain_text("changed")
    it.press("Escape")
    expect(it.window).to_contain_text("Esc once more")
    it.press("Control+s")
    expect(it.window.locator(".note")).to_have_text("saved")
    it.press("Escape")
    it.shut()
    assert (left / "readme.md").read_text() == "Please # Read me"
    it.cursor_to("hidden.txt")
    it.press("F4")
    it.says("cannot be seen")
    it.press("Control+x")
    expect(it.page.locator(".quick")).to_contain_text("a·b")
    it.cursor_to("readme.md")
    expect(it.page.locator(".quick")).to_contain_text("Please # Read me")
    it.press("Control+x")
    expect(it.page.locator(".quick")).to_have_count(0)
    it.open("Alt+i", title="Info: readme.md")
    expect(it.window).to_contain_text("Permissions")
    it.press("Escape")


def test_tabs_search_places_and_the_tree_by_size(it):
    left = it.tree.left
    (left / "docs" / "large.bin").write_bytes(b"x" * 500_000)
    it.press("Alt+Shift+t")
    expect(it.page.locator("#left .tab")).to_have_count(2)
    it.go(left / "docs")
    expect(it.page.locator("#left .tab.front")).to_contain_text("docs")
    it.press("Alt+PageUp")
    expect(it.page.locator("#left .path")).to_have_text(str(left))
    it.press("Alt+PageDown")
    it.page.get_by_role("button", name="Close tab docs").click()
    expect(it.page.locator("#left .tabs")).to_be_hidden()
    # As in the terminal, Alt+T brings a closed tab back, Alt+Y and Alt+U go where one was before and after.
    it.press("Alt+t")
    expect(it.page.locator("#left .tab.front")).to_contain_text("docs")
    it.press("Alt+y")
    expect(it.page.locator("#left .path")).to_have_text(str(left))
    it.press("Alt+u")
    expect(it.page.locator("#left .path")).to_have_text(str(left / "docs"))
    it.press("Alt+w")
    expect(it.page.locator("#left .tabs")).to_be_hidden()
    # Letters search; the find window asks the index.
    it.type("pack")
    expect(it.row("package.json")).to_have_class(re.compile("cursor"))
    it.press("Escape")
    it.open("Control+f", title="Find")
    it.type("guide")
    expect(it.window).to_contain_text("1 found")
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(left / "docs"))
    expect(it.row("guide.md")).to_have_class(re.compile("cursor"))
    it.press("Backspace")
    expect(it.page.locator("#left .path")).to_have_text(str(left))
    it.open("Alt+g", title="What fills this folder")
    expect(it.window.locator("svg rect").first).to_be_visible()
    it.window.get_by_role("button", name="docs/").click()
    expect(it.window.locator("caption")).to_have_text(str(left / "docs"))
    expect(it.window.locator("tbody tr").first).to_contain_text("large.bin")
    it.window.get_by_role("button", name="Show in the pane").click()
    expect(it.page.locator("#left .path")).to_have_text(str(left / "docs"))
    it.open("Alt+l", title="Report on")
    it.type("largest files")
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_contain_text("largest-files")


def test_the_mouse_alone_does_the_usual_work(it):
    it.row("file4.txt").click(modifiers=["Control"])
    it.row("file6.txt").click(modifiers=["Shift"])
    expect(it.page.locator("#left .totals")).to_contain_text("3 of")
    it.row("file5.txt").click(button="right")
    it.page.get_by_role("menuitem", name="Copy…").click()
    it.window.get_by_role("button", name="OK").click()
    it.says("copy done: 3 files")
    it.row("docs").dblclick()
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.left / "docs"))
    it.page.get_by_role("button", name="Up one folder, left pane").click()
    expect(it.page.locator("#left .path")).to_have_text(str(it.tree.left))
    it.page.locator("#left .head.size").click()
    expect(it.page.locator("#left .head.size")).to_have_attribute("aria-pressed", "true")


def test_an_agent_proposes_and_nothing_that_was_not_meant_approves(it):
    server, left = it.served, it.tree.left
    asked = server.call("rename", path=str(left / "file1.txt"), newName="first.txt", reason="<b>" * 1300)
    assert asked.startswith("OK"), asked
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    expect(it.page).to_have_title("(1) cmdr")
    it.shut()
    it.open("Control+y", title="proposes a change")
    expect(it.window).to_contain_text("file1.txt → first.txt")
    # What was pressed before the window was seen, or repeats, or was made up by a program, is no answer.
    for early in ("y", "Enter"):
        it.sent_before(early)
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    it.sent_before("y")
    it.sent_before("n")
    it.held_down("y")
    it.window.get_by_role("button", name="Yes, do it").evaluate("button => button.click()")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    assert (left / "file1.txt").exists()
    assert "type: confirmation" in server.call("state")
    it.press("y")
    it.says("rename done")
    assert (left / "first.txt").exists()
    it.open("Control+z", title="Please confirm")
    it.yes()
    it.says("undo done")
    assert (left / "file1.txt").exists()
    # What an agent takes back is answered no more; that it was is told until it was seen.
    server.call("rename", path=str(left / "file1.txt"), newName="second.txt")
    it.open("Control+y", title="proposes a change")
    server.call("dialog", action="close", type="confirmation")
    expect(it.window.locator(".entry")).to_contain_text("ended without an answer")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_have_count(0)
    expect(it.window.get_by_role("button", name="Seen")).to_be_enabled()
    it.press("y")
    it.shut()
    assert (left / "file1.txt").exists()


def test_somebody_who_goes_on_pressing_a_key_approves_nothing(it):
    """Was: 600 ms after the window was seen the next one did."""
    server, left = it.served, it.tree.left
    server.call("rename", path=str(left / "file1.txt"), newName="first.txt")
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    it.shut()
    begun = time.time()
    it.open("Control+y", title="proposes a change")
    end = time.time() + 2
    it.pressed_at("y", *(begun + step / 20 for step in range(int((end - begun) * 20))))
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    assert (left / "file1.txt").exists()
    it.pressed_at("y", end + 5)
    it.says("rename done")


def test_what_an_agent_says_stands_in_a_frame_of_its_own(it):
    server, left = it.served, it.tree.left
    said = "ok” <b>Yes, do it</b>\n\nRISK: none \u202e" + "e" + "\u0301" * 50 + "\u3164 " + "x" * 3000
    server.call("rename", path=str(left / "file1.txt"), newName="p\u0430y.txt ", reason=said)
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    it.shut()
    it.open("Control+y", title="proposes a change")
    frame = it.window.locator(".words")
    expect(frame.locator("figcaption")).to_have_text(re.compile("says:$"))
    words = frame.locator("blockquote")
    expect(words).to_contain_text("ok” <b>Yes, do it</b> RISK: none \\u{202e}e")
    expect(words).to_contain_text("more characters)")
    expect(it.window.locator(".facts")).to_contain_text("p\\u{430}y.txt\\u{20}")
    inner, outer = words.bounding_box(), it.window.bounding_box()
    assert inner["x"] >= outer["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    assert it.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert words.evaluate("node => getComputedStyle(node).overflowY") == "auto"
    it.press("Escape")
    it.shut()
    assert (left / "file1.txt").exists()


def test_a_change_with_a_risk_needs_its_word(it):
    it.cursor_to("file2.txt")
    it.open("Shift+F8", title="Please confirm")
    word = it.window.get_by_label("Type delete to do it")
    expect(word).to_be_focused()
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    it.press("y", "Enter")
    assert (it.tree.left / "file2.txt").exists()
    word.fill("delete")
    it.press("Enter")
    it.says("delete done")
    assert not (it.tree.left / "file2.txt").exists()


def test_an_agents_edit_is_reviewed_change_by_change(alone):
    it = alone
    file = it.tree.left / "code.py"
    old = [f"line {number}" for number in range(40)]
    new = list(old)
    new[3], new[30] = "LINE three \u202e😀", "LINE thirty"
    file.write_text("\n".join(old) + "\n")
    with ThreadPoolExecutor(1) as pool:
        called = pool.submit(it.served.call, "open_diff", path=str(file), contents="\n".join(new) + "\n")
        expect(it.page.locator("#waiting")).to_have_text("1 to answer")
        it.open("Control+y", title="code.py")
        expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
        it.press("Enter")
        expect(it.window).to_contain_text("change 1 of 2")
        expect(it.window.locator(".side.new mark").first).to_be_visible()
        expect(it.window.locator(".side.new").filter(has_text="three ·😀")).to_have_count(1)
        it.press("n")
        expect(it.window).to_contain_text("change 2 of 2")
        it.press("x")
        expect(it.window).to_contain_text("1 taken")
        it.press("u")
        expect(it.window.locator(".diff.unified")).to_be_visible()
        it.sent_before("a")
        expect(it.window.get_by_role("button", name="Accept (a)")).to_be_enabled()
        it.press("a")
        it.shut()
        assert called.result(60).startswith("OK: FILE_SAVED")
    lines = file.read_text().splitlines()
    assert lines[3].startswith("LINE three")
    assert lines[30] == "line 30"


def test_an_agents_edit_of_many_files_is_reviewed_file_by_file(alone):
    it = alone
    files = [it.tree.left / name for name in ("one.py", "two.py", "three.py")]
    for file in files:
        file.write_text("".join(f"line {number}\n" for number in range(20)))
    with ThreadPoolExecutor(1) as pool:
        paths = [str(file) for file in files]
        it.served.headers = {"authorization": f"Bearer {it.served.token}"}
        called = pool.submit(it.served.call, "replace", find="line 1", **{"with": "LINE one"}, paths=paths)
        expect(it.page.locator("#waiting")).to_have_text("1 to answer")
        it.open("Control+y", title="Edit 3 files, 6 places")
        expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
        it.press("Enter")
        expect(it.window.locator(".reviewfile")).to_have_count(3)
        expect(it.window).to_contain_text("change 1 of 2")
        it.press("x", "f")
        expect(it.window.locator(".reviewfile.here")).to_contain_text("two.py")
        expect(it.window.locator(".reviewfile").first).to_contain_text("1/2")
        it.press("X")
        expect(it.window.locator(".reviewfile.here")).to_contain_text("three.py")
        expect(it.window.locator(".reviewfile.dropped")).to_contain_text("two.py")
        it.sent_before("a")
        expect(it.window.get_by_role("button", name="Accept all (a)")).to_be_enabled()
        it.press("a")
        it.shut()
        assert called.result(60).startswith("OK: FILES_SAVED: 2 of 3 files, 3 of 6 changes, operation ")
    assert [file.read_text().count("LINE one") for file in files] == [10, 0, 11]


def test_agents_only_show_and_the_kill_switch_stops_them(it):
    server, left = it.served, it.tree.left
    server.call("nav_to_path", pane="left", path=str(left / "docs"))
    it.page.locator("#left .agents button").click()
    expect(it.page.locator("#left .path")).to_have_text(str(left / "docs"))
    server.call("dialog", action="open", type="file-viewer", path=str(left / "readme.md"))
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    it.shut()
    it.open("Control+y", title="readme.md")
    expect(it.window.locator(".text")).to_contain_text("# Read me")
    it.press("Escape")
    expect(it.page.locator("#waiting")).to_be_hidden()
    (left / "docs" / "fresh.txt").write_text("x")
    server.call("refresh", pane="left")
    expect(it.row("fresh.txt")).to_have_class(re.compile("fresh"))
    it.press("Control+k")
    it.says("All agents are stopped")
    expect(it.page.locator("#activity")).to_have_text("agents are stopped")
    assert "stopped all agents" in server.call("state")
    it.open("Alt+a", title="All agents are stopped")
    it.window.get_by_role("button", name="Let agents call again").click()
    expect(it.page.locator("#stop")).to_have_text("Stop agents")
    it.press("Escape")


def test_settings_are_kept_and_the_look_follows(alone):
    it = alone
    root = it.page.locator("html")
    expect(root).to_have_attribute("data-theme", "auto")
    it.open("Alt+s", title="Settings")
    it.window.get_by_label("Theme").select_option("dark")
    expect(root).to_have_attribute("data-theme", "dark")
    expect(it.window.get_by_role("status")).to_contain_text("appearance.theme")
    it.window.get_by_label("Dates").select_option("relative")
    it.window.get_by_label("Show the key bar").uncheck()
    expect(it.page.locator("#keys")).to_be_hidden()
    it.press("Escape")
    it.press("Control+b")
    expect(it.row("readme.md").locator(".date")).to_have_text(re.compile(r"^\d+ (s|min|h|d)$"))
    it.page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    kept = (it.served.home / ".config" / "cmdr" / "settings.toml").read_text()
    assert 'theme = "dark"' in kept


def test_two_pages_and_a_terminal_work_on_one_workspace(at, tmp_path):
    for name in ("left/docs", "right", "run"):
        (tmp_path / name).mkdir(parents=True, mode=0o700)
    (tmp_path / "left" / "shared.txt").write_text("x")
    environment = {
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "CMDR_MCP_PORT": "0",
    }
    with PtyTerminal(
        [CMDR, str(tmp_path / "left"), str(tmp_path / "right")], cwd=str(tmp_path), **environment
    ) as terminal:
        terminal.wait(" free ")  # more than the first frame
        with terminal.read_meanwhile():
            port = int(re.search(r":(\d+)/", login_link(environment))[1])
            it = at(SimpleNamespace(environment=environment, port=port, tree=None))
            other = it.new_page()
        terminal.send("down", "insert")
        terminal.wait("1 of 2 selected")
        with terminal.read_meanwhile():
            for page in (it.page, other):
                expect(page.locator("#left .totals")).to_contain_text("1 of 2 selected")
            it.page.bring_to_front()
            it.open("F5", title="Copy shared.txt to")
            it.press("Enter")
            it.says("copy done")
            expect(other.locator("#right .row .name").filter(has_text="shared.txt")).to_have_count(1)
            assert (tmp_path / "right" / "shared.txt").exists()
            other.bring_to_front()
            other.keyboard.press("Tab")
            expect(it.page.locator("#right")).to_have_class(re.compile("active"))
            it.close()
        terminal.send("f10")
        terminal.wait_end()


def test_a_page_finds_its_cmdr_again_and_says_what_to_do_until_then(alone):
    it = alone
    notice = it.page.locator("#notice")
    expect(notice).to_be_hidden()
    it.served.close()
    expect(notice).to_contain_text("does not answer")
    serve_again(it.served)
    expect(notice).to_contain_text("Type “cmdr web” in a terminal")
    # A new link, opened anywhere in this browser, brings the old page back by itself.
    other = it.new_page(logs_in=True)
    expect(notice).to_be_hidden()
    it.page.bring_to_front()
    it.cursor_to("file5.txt")
    other.close()
    it.complaints.clear()  # the browser itself reports requests that nobody answered


def test_all_of_a_plan_can_be_read_before_one_answers(it):
    """A program among sixty pictures was never named."""
    server, left = it.served, it.tree.left
    names = [f"img{number:03}.jpg" for number in range(60)]
    names.insert(40, "hello.py")
    for name in names:
        (left / name).write_text("x")
    (left / "shots").mkdir()
    for number in range(600):
        (left / "shots" / f"{number}.jpg").write_text("x")
    paths = [str(left / name) for name in [*names, "shots"]]
    asked = server.call("delete", paths=paths, permanent=True, reason="blurry pictures")
    assert asked.startswith("OK"), asked
    expect(it.page.locator("#waiting")).to_have_text("1 to answer")
    it.open("Control+y", title="proposes a change")
    expect(it.window).to_contain_text("hello.py  (unlike most)")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    it.press("F3")
    steps = it.page.locator("dialog[open] .steps li")
    expect(steps).to_have_count(500)
    it.page.get_by_role("button", name="Show more (162 left)").click()
    expect(steps).to_have_count(662)
    expect(steps.filter(has_text="/hello.py")).to_have_count(1)
    expect(it.page.get_by_role("button", name="All 662 are shown")).to_be_disabled()
    it.press("Escape")
    expect(it.window).to_contain_text("RISK: deletes for good")
    assert (left / "img000.jpg").exists()
