"""Permissions and time in a real browser: boxes and a number that follow each other, one file or many."""

import os
import re
import stat

from playwright.sync_api import expect


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def opened(it, title):
    """The window, and the boxes in it by name."""
    for path in it.tree.left.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)
    window = it.open("Alt+e", title=title)
    return window, lambda name: window.get_by_role("checkbox", name=name, exact=True)


def test_a_box_is_ticked_and_enter_changes_the_file_as_other_operations_do(it):
    it.cursor_to("file1.txt")
    window, box = opened(it, "Attributes of file1.txt")
    octal = window.get_by_label("Octal")
    expect(octal).to_have_value("0644")
    expect(window.get_by_label("Modified")).to_have_attribute("placeholder", re.compile("; or a time, now, the path"))
    it.press("ArrowRight", "ArrowRight", "Space")
    expect(box("user run")).to_be_checked()
    expect(octal).to_have_value("0744")
    expect(window).to_contain_text("rwxr--r--")
    it.press("Enter")
    it.says("attributes of 1 file changed")
    assert mode_of(it.tree.left / "file1.txt") == 0o744
    it.open("Control+z", title="Please confirm")
    it.yes()
    it.says("undo done")
    assert mode_of(it.tree.left / "file1.txt") == 0o644


def test_the_boxes_follow_the_typed_number_and_what_is_no_number_is_told(it):
    it.cursor_to("file1.txt")
    window, box = opened(it, "Attributes of file1.txt")
    octal = window.get_by_label("Octal")
    octal.fill("4750")
    expect(box("set user ID")).to_be_checked()
    expect(window).to_contain_text("rwsr-x---")
    box("user write").uncheck()
    expect(octal).to_have_value("4550")
    octal.fill("89")
    it.press("Enter")
    expect(window).to_contain_text("is no octal mode")
    it.press("Escape")
    it.shut()
    assert mode_of(it.tree.left / "file1.txt") == 0o644


def test_many_keep_what_is_not_touched_and_a_time_is_set(it):
    left = it.tree.left
    for name in ("docs", "file1.txt"):
        it.row(name).click(modifiers=["Control"])
    expect(it.page.locator("#left .totals")).to_contain_text("2 of")
    window, box = opened(it, "Attributes of 2 items")
    expect(box("user run")).to_have_js_property("indeterminate", True)
    expect(window.get_by_label("Octal")).to_have_value("")
    box("others read").uncheck()
    window.get_by_label("Modified").fill("2020-01-02 03:04:05")
    it.press("Enter")
    it.says("changed")
    assert (mode_of(left / "docs"), mode_of(left / "file1.txt")) == (0o751, 0o640)
    assert os.stat(left / "file1.txt").st_mtime == os.stat(left / "docs").st_mtime
    expect(it.page.locator("#left .totals")).not_to_contain_text("selected")
