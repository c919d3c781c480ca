"""What was open is open again: tabs, pins, order, view and focus across a restart on a real pseudo-terminal."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def home(tmp_path):
    for name in ("left/docs/deep", "left/src", "right"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "left" / "docs" / "deep" / "deepest.txt").touch()
    (tmp_path / "left" / "src" / "main.py").touch()
    (tmp_path / "right" / "small.txt").write_text("x")
    (tmp_path / "right" / "large.txt").write_text("x" * 5000)
    return tmp_path


def start(home, *arguments):
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_ENABLED": "false",
    }
    return PtyTerminal([CMDR, *map(str, arguments)], cwd=str(home), **environment)


def quit_well(it):
    it.settle()
    it.send("f10")
    assert it.wait_end()[0] == 0
    assert not it.screen.strange


def open_two_tabs(home):
    """Left: `left` in a tab, `docs/deep` in another and in front; right: by size, and with the focus."""
    with start(home, home / "left", home / "right") as it:
        it.wait("small.txt")
        it.settle()
        it.send("ctrl+t")
        it.wait("2 left")
        it.settle()
        it.send("enter")
        it.wait("deep")
        it.send("enter")
        it.wait("deepest.txt")
        it.send("tab", "ctrl+s")
        it.wait("Sort by")
        it.send("size", "enter")
        it.wait("size↓")
        quit_well(it)


def test_tabs_order_and_focus_come_back_and_a_tab_behind_is_read_when_it_is_wanted(home):
    open_two_tabs(home)
    with start(home) as it:
        it.wait("deepest.txt")
        it.wait("size↓")
        it.wait("1 left")
        it.wait("2 deep")
        it.wait("small.txt")
        text = it.screen.text
        assert text.index("large.txt") < text.index("small.txt")
        it.wait("large.txt  5,000 B")  # the focus is on the right again
        it.send("tab", "ctrl+pagedown")
        it.wait("docs")
        it.wait("src")
        quit_well(it)


def test_a_vanished_folder_gives_way_to_the_nearest_that_is_there_and_says_so(home):
    open_two_tabs(home)
    (home / "left" / "docs" / "deep" / "deepest.txt").unlink()
    (home / "left" / "docs" / "deep").rmdir()
    with start(home) as it:
        it.wait("deep cannot be shown; this is")
        it.wait("left/docs ")
        it.send("tab")
        quit_well(it)


def test_a_named_folder_opens_in_place_of_the_tab_in_front(home):
    open_two_tabs(home)
    with start(home, home / "left" / "src") as it:
        it.wait("main.py")
        it.wait("1 left")
        it.wait("2 src")
        it.wait("large.txt")
        quit_well(it)


def test_the_setting_switches_it_off(home):
    open_two_tabs(home)
    (home / "config" / "cmdr" / "settings.toml").write_text("[general]\nrestore_tabs = false\n")
    with start(home) as it:
        it.wait("config")
        it.settle()
        assert "deepest.txt" not in it.screen.text
        quit_well(it)


def test_a_damaged_file_is_no_reason_not_to_start(home):
    open_two_tabs(home)
    kept = home / "state" / "cmdr" / "tabs.json"
    kept.write_bytes(kept.read_bytes()[:40] + b"\xff\x00{")
    with start(home) as it:
        it.wait("config")
        quit_well(it)
    assert kept.read_bytes().startswith(b"{")


def test_a_terminal_that_is_closed_ends_cmdr(home):
    """The thread that writes had died on the terminal, and giving that back waited for it without end."""
    with start(home, home / "left", home / "right") as it:
        it.wait("small.txt")
        it.settle()
        it.send("f1")
        it.wait("Help")
        it.hang_up()
        it.wait_end()
    assert not (home / "run" / "cmdr" / "instance.json").exists()
