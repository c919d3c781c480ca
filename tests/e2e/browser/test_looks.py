"""How the page looks and reads: names that want to harm it, small windows, and everybody who cannot see or click."""

import os
import re

import pytest
from playwright.sync_api import expect

WINDOWS = {
    "Control+g": "Go to path",
    "F5": "Copy",
    "F2": "Rename",
    "F8": "Please confirm",
    "F3": "readme.md",
    "F4": "readme.md",
    "Alt+i": "Info",
    "Alt+e": "Attributes of",
    "Alt+F5": "Pack",
    "Alt+F9": "Unpack",
    "Control+f": "Find",
    "Control+v": "Volumes",
    "Control+\\": "Places",
    "Alt+l": "Report on",
    "Alt+g": "What fills",
    "Alt+d": "Compare",
    "+": "Select",
    "/": "Filter",
    "F1": "Keys",
    "F9": "All commands",
    "Alt+z": "History",
    "Control+j": "Jobs",
    "Alt+a": "Agents",
    "Alt+s": "Settings",
    "Shift+F10": "Open",
}
COLOURED = ("F5", "F8", "Alt+e", "F3", "Alt+g", "F9", "Alt+s", "Shift+F10")
"""The windows that are looked at in the dark too: together they show every colour."""
HOSTILE = [
    b"<img src=x onerror=alert(1)>.png",
    b"<script>alert(1);",
    b"javascript:alert(1)",
    "txt.\u202egpj.exe".encode(),
    b"red\x1b[31m\x07\r\nnew line",
    b"broken\xff\xfe",
    b"n" * 255,
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033da\u0334\u0319\u0324l\u0328g\u0337o\u031b".encode(),
    "שלום (1).txt".encode(),
]


def violations(page):
    """What axe finds, in words; the page must have been opened past its own content rules."""
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [(each["id"], each["help"], [node["target"] for node in each["nodes"]][:3]) for each in found]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_and_reach_every_window(here, node, theme):
    """No violation that axe knows of; the keyboard is on what matters, and back in the pane afterwards."""
    it = here(bypass_csp=True, color_scheme=theme)
    it.page.add_script_tag(path=node.modules / "axe-core" / "axe.min.js")
    it.press("Control+b")
    expect(it.page.locator("#left .rows")).not_to_have_class(re.compile("brief"))
    assert violations(it.page) == []
    it.cursor_to("readme.md")
    rows = it.page.locator("#left .rows")
    for key, title in WINDOWS.items():
        if theme == "dark" and key not in COLOURED:
            continue
        it.open(key, title=title)
        if key == "Alt+g":
            it.window.locator("caption").wait_for()
        focused = it.page.evaluate("document.activeElement.className + document.activeElement.tagName")
        assert "close" not in focused, key
        assert focused != "BODY", key
        assert violations(it.page) == [], key
        it.press("Escape")
        it.shut()
        expect(rows).to_be_focused()
    it.served.call("rename", path=str(it.tree.left / "file1.txt"), newName="x.txt", reason="because")
    it.open("Control+y", title="proposes a change")
    expect(it.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    assert violations(it.page) == []


def test_hostile_names_are_names_and_nothing_else(it):
    left = os.fsencode(it.tree.left)
    for name in HOSTILE:
        with open(left + b"/" + name, "wb") as file:
            file.write(b"<script>alert(1)</script>\x1b[31m")
    reports = []
    it.page.expose_function("reported", lambda directive: reports.append(directive))
    it.page.evaluate(
        "() => document.addEventListener('securitypolicyviolation', event => reported(event.violatedDirective))"
    )
    it.press("Control+b", "Control+r")
    expect(it.page.locator("#left .totals")).to_contain_text("24 entries")
    measure = "() => [...document.querySelectorAll('#left .row')].map(row => row.getBoundingClientRect().height)"
    heights = it.page.evaluate(measure)
    assert set(heights) == {24}
    assert it.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    shown = it.names()
    assert "txt.\\u{202e}gpj.exe" in shown
    assert "red\\u{1b}[31m\\u{7}\\u{d}\\u{a}new line" in shown
    for name in ("<script>alert(1);", "red\\u{1b}[31m\\u{7}\\u{d}\\u{a}new line", "n" * 255):
        it.cursor_to(name.replace("\\", "\\\\"))
        it.open("F3", title=name[:40])
        expect(it.window.locator(".text")).to_contain_text("<script>alert(1)</script>␛[31m")
        it.press("Escape")
        it.shut()
        it.open("F5", title=name[:40])
        box = it.window.bounding_box()
        assert box["width"] <= 1280
        it.press("Escape")
        it.shut()
    it.press("Control+a")
    it.open("F8", title="Please confirm")
    assert it.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    it.press("Escape")
    it.shut()
    assert it.page.locator("main img, main script, dialog script").count() == 0
    it.close()
    assert reports == []


@pytest.mark.parametrize(("width", "height"), [(800, 600), (640, 380), (390, 800)])
def test_a_small_window_shows_one_pane_and_everything_fits(here, width, height):
    it = here(viewport={"width": width, "height": height})
    assert it.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    expect(it.row("..")).to_have_count(1)
    if width < 760:
        expect(it.page.locator("#right")).to_be_hidden()
        it.page.get_by_role("button", name="Other pane").click()
        expect(it.page.locator("#right")).to_be_visible()
        it.page.get_by_role("button", name="Other pane").click()
    expect(it.page.locator("#left")).to_be_visible()
    expect(it.row("..")).to_have_count(1)
    for word in it.page.locator("#menu button").all():
        box = word.bounding_box()
        assert box["x"] + box["width"] <= width, word.inner_text()
    it.press("End")
    expect(it.row("readme.md")).to_have_class(re.compile("cursor"))
    for key, title in WINDOWS.items():
        it.open(key, title=title)
        box = it.window.bounding_box()
        assert box["x"] >= 0, key
        assert box["y"] >= 0, key
        assert box["x"] + box["width"] <= width, key
        assert box["y"] + box["height"] <= height, key
        it.press("Escape")
        it.shut()


def test_many_entries_scroll_like_ten(it):
    """Only the rows that are seen exist, at the top and at the very end."""
    many = it.tree.root / "many"
    many.mkdir()
    for number in range(3000):
        (many / f"{number:05}.txt").touch()
    it.press("Control+b")
    it.go(many)
    it.press("End")
    expect(it.row("02999.txt")).to_have_class(re.compile("cursor"))
    assert it.page.locator("#left .row").count() < 60
    # A key acts on the row it was typed for, also when that row has yet to come.
    it.burst("01234", "F3")
    expect(it.window).to_contain_text("/01234.txt")
    it.press("Escape")
    it.shut()
    it.press("Home")
    expect(it.row("..")).to_have_class(re.compile("cursor"))
