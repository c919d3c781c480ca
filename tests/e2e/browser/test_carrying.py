"""Files between the person's own machine and the panes, in a real browser: dropped, picked, downloaded."""

import zipfile

from playwright.sync_api import expect

DROP = """([side, files]) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name));
    const pane = document.querySelector(`#${side} .rows`);
    for (const type of ['dragover', 'drop'])
        pane.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: transfer}));
}"""


def test_dropped_files_go_into_the_pane_and_a_taken_name_is_asked_about(it):
    right = it.tree.right
    (right / "taken.txt").write_text("before")
    odd = "new\u202e <b>.txt"
    it.page.evaluate(DROP, ["right", [["taken.txt", "after"], [odd, "odd"], ["large.bin", "x" * 2_000_000]]])
    expect(it.window).to_contain_text("This name is taken")
    expect(it.window.get_by_role("button", name="Skip (s)")).to_be_focused()
    it.press("r")
    it.says("copy done: 3 files")
    assert (right / "taken.txt").read_text() == "before"
    assert (right / odd).read_text() == "odd"
    assert (right / "large.bin").stat().st_size == 2_000_000
    assert sorted(path.read_text() for path in right.glob("taken*")) == ["after", "before"]
    it.open("Control+z", title="Please confirm")
    it.yes()
    it.says("undo done")
    assert sorted(path.name for path in right.iterdir()) == ["backup.tar", "taken.txt"]


def test_files_are_picked_and_nothing_of_the_upload_is_left(alone, tmp_path):
    it = alone
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "empty").write_text("")
    it.page.on("filechooser", lambda _: None)
    it.cursor_to("readme.md")  # by now the browser knows that its own window for files is not to open
    with it.page.expect_file_chooser() as chooser:
        it.press("Alt+Shift+u")
    chooser.value.set_files([tmp_path / "mine.txt", tmp_path / "empty"])
    it.says("copy done: 2 files")
    assert (it.tree.left / "mine.txt").read_text() == "mine"
    assert (it.tree.left / "empty").read_text() == ""
    expect(it.row("mine.txt")).to_be_visible()
    it.open("Alt+z", title="History")
    expect(it.window.locator("tbody tr")).to_have_count(1)
    it.press("Escape")
    (staged,) = it.served.home.glob("**/cmdr/uploads")
    assert list(staged.iterdir()) == []


def test_a_file_is_downloaded_as_it_is_and_several_as_a_zip(it, tmp_path):
    it.cursor_to("readme.md")
    with it.page.expect_download() as one:
        it.press("Alt+Shift+d")
    one.value.save_as(tmp_path / "one")
    assert one.value.suggested_filename == "readme.md"
    assert (tmp_path / "one").read_text() == (it.tree.left / "readme.md").read_text()
    it.open("+", title="Select")
    it.answer("file1*;docs")
    it.row("file1.txt").click(button="right")
    with it.page.expect_download() as several:
        it.page.get_by_role("menuitem", name="Download").click()
    several.value.save_as(tmp_path / "several.zip")
    assert several.value.suggested_filename == f"{it.tree.left.name}.zip"
    with zipfile.ZipFile(tmp_path / "several.zip") as archive:
        assert archive.testzip() is None
        assert {"file1.txt", "file10.txt"} <= set(archive.namelist())


def test_a_file_dropped_beside_the_panes_does_not_lead_away_from_the_page(it):
    stopped = """() => { const event = new DragEvent('drop', {bubbles: true, cancelable: true});
        document.body.dispatchEvent(event); return event.defaultPrevented; }"""
    assert it.page.evaluate(stopped) is True


def box(seen):
    """Where something is; a row may be drawn anew at the very moment it is asked for."""
    while (found := seen.bounding_box()) is None:
        seen.wait_for()
    return found


def drag(it, row, to):
    """Drag a row as a hand does: away from where it was, then over the place."""
    start, end = box(row), box(to)
    mouse = it.page.mouse
    mouse.move(start["x"] + 40, start["y"] + 10)
    mouse.down()
    mouse.move(start["x"] + 60, start["y"] + 20, steps=4)
    mouse.move(end["x"] + 60, end["y"] + 12, steps=8)
    mouse.up()


def test_rows_are_dragged_into_the_other_pane_and_onto_a_folder(it):
    field = it.window.locator("input[type=text]")
    drag(it, it.row("file2.txt"), it.page.locator("#right .rows"))
    expect(it.window).to_contain_text("Copy file2.txt to")
    expect(field).to_have_value(str(it.tree.right))
    it.press("Enter")
    it.says("copy done: 1 file")
    assert (it.tree.right / "file2.txt").exists()
    drag(it, it.row("file3.txt"), it.row("docs"))
    expect(it.window).to_contain_text("Copy file3.txt to")
    expect(field).to_have_value(str(it.tree.left / "docs"))
    it.press("Escape")
    it.shut()
    # What is dragged is what the hand holds: the selection only if it began on it.
    for name in ("file4.txt", "file5.txt"):
        it.row(name).click(modifiers=["Control"])
    expect(it.page.locator("#left .totals")).to_contain_text("2 of")
    for name, what in (("file5.txt", "2 items"), ("file6.txt", "file6.txt")):
        drag(it, it.row(name), it.page.locator("#right .rows"))
        expect(it.window).to_contain_text(f"Copy {what} to")
        it.press("Escape")
        it.shut()
    drag(it, it.row("file7.txt"), it.row("file8.txt"))
    it.shut()


def test_a_page_with_unsaved_text_asks_before_it_goes(it):
    it.cursor_to("readme.md")
    it.open("F4", title="readme.md")
    it.type("x")
    asked = []
    it.page.once("dialog", lambda dialog: asked.append(dialog.type))
    it.page.close(run_before_unload=True)
    expect(it.window).to_contain_text("changed")
    assert asked == ["beforeunload"]
    it.complaints.clear()  # the question itself was noted, too


def test_a_name_that_is_too_long_for_its_row_stands_in_full_below(it):
    name = "n" * 120 + ".txt"
    (it.tree.left / name).write_text("x")
    it.press("Control+r")
    it.cursor_to(name)
    expect(it.page.locator("#here")).to_contain_text(name)
