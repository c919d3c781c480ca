"""Archives in a real browser: packed, opened and unpacked as in the terminal."""

import os
import re
import zipfile

from playwright.sync_api import expect


def test_what_is_chosen_is_packed_and_unpacked_again_elsewhere(it):
    left, right = it.tree.left, it.tree.right
    it.cursor_to("file3.txt")
    it.press("Space", "ArrowDown", "Space")
    it.open("Alt+F5", title="Pack 2 items into (.zip or .tar.gz)")
    field = it.window.locator("input[type=text]")
    expect(field).to_have_value(str(right / f"{left.name}.zip"))
    # The name without its ending is marked, so that one types another one over it.
    it.type("both")
    expect(field).to_have_value(str(right / "both.zip"))
    it.press("Enter")
    it.says("pack done")
    assert sorted(zipfile.ZipFile(right / "both.zip").namelist()) == ["file3.txt", "file4.txt"]
    expect(it.page.locator("#left .totals")).not_to_contain_text("selected")
    it.press("Tab")
    it.cursor_to("both.zip")
    it.open("Alt+F9", title="Unpack both.zip into a folder of its own in")
    expect(it.window.locator("input[type=text]")).to_have_value(str(left))
    it.press("Enter")
    expect(it.window).to_contain_text("Please confirm")
    it.yes()
    it.says("unpack done")
    assert (left / "both" / "file3.txt").read_bytes() == (left / "file3.txt").read_bytes()


def test_who_packs_what_cannot_be_packed_is_asked_again(it):
    """The page packed without a word about what would not be in the archive."""
    os.mkfifo(it.tree.left / "docs" / "pipe")
    it.cursor_to("docs")
    it.open("Alt+F5", title="Pack docs into")
    it.press("Enter")
    expect(it.window).to_contain_text("Please confirm")
    expect(it.window).to_contain_text("pipe")
    it.press("Escape")
    it.says("Nothing was changed")
    assert not (it.tree.right / "docs.zip").exists()


def test_enter_on_an_archive_asks_what_is_wanted_of_it(it):
    left = it.tree.left
    with zipfile.ZipFile(left / "words.zip", "w") as packed:
        packed.writestr("inside.txt", "hello")
    it.press("Control+r")
    it.cursor_to("words.zip")
    expect(it.row("words.zip")).to_have_class(re.compile("kind-archive"))
    it.open("Enter", title="words.zip")
    expect(it.window.locator(".choice")).to_contain_text(
        ["Look inside", "Unpack to the other pane", "Unpack here", "Show in the file manager"]
    )
    it.press("Enter")
    expect(it.window).to_contain_text("inside.txt")
    it.press("Escape")
    it.shut()
    it.open("Enter", title="words.zip")
    it.type("unpack here")
    it.press("Enter")
    expect(it.window).to_contain_text("Please confirm")
    it.yes()
    it.says("unpack done")
    assert (left / "words" / "inside.txt").read_text() == "hello"


def test_enter_among_scattered_entries_goes_where_the_file_is_and_the_way_up_goes_back(it):
    left = it.tree.left
    it.open("Alt+l", title="Report on")
    it.type("largest files")
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_contain_text("largest-files")
    it.press("Backspace")
    expect(it.page.locator("#left .path")).to_have_text(str(left))
    it.open("Alt+l", title="Report on")
    it.type("largest files")
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_contain_text("largest-files")
    it.page.locator("#left .row", has_text="guide.md").click()
    it.press("Enter")
    expect(it.page.locator("#left .path")).to_have_text(str(left / "docs"))
