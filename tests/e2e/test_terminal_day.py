"""A whole day's work in a real pseudo-terminal: every key as a person would press it, every file as it must be."""

import os
import sys
import time
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def home(tmp_path):
    left, right = tmp_path / "left", tmp_path / "right"
    (left / "docs").mkdir(parents=True)
    right.mkdir()
    (tmp_path / "run").mkdir(mode=0o700)
    for number in range(1, 6):
        (left / f"report{number}.txt").write_text(f"report {number}\n")
    (left / "main.py").write_text("print('hello')\n")
    (right / "report1.txt").write_text("older and longer\n")
    return tmp_path


def start(home, *arguments, **variables):
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_PORT": "0",
        **variables,
    }
    panes = arguments or (str(home / "left"), str(home / "right"))
    return PtyTerminal([CMDR, *panes], **environment)


def escape(it, gone):
    """Esc, and nothing more until it has worked: a key right behind it would make it an Alt key."""
    it.send("escape")
    it.wait(gone, gone=True)
    it.settle(0.25)


def quit_well(it):
    it.send("f10")
    code, seconds = it.wait_end()
    assert code == 0
    assert not it.screen.strange, it.screen.strange[:5]
    return seconds


def eventually(it, truth, seconds=60.0):
    """Wait for the disk to say so, reading the screen: a program whose screen nobody reads stands still."""
    deadline = time.monotonic() + seconds
    while not truth():
        assert time.monotonic() < deadline, it.screen.text
        it.read(0.02)


def test_a_day_at_work(home):
    left, right = home / "left", home / "right"
    with start(home) as it:
        it.wait("report5.txt")

        # Filter, and all again.
        it.send("/", "main")
        it.wait("report5.txt", gone=True)
        escape(it, "Filter: main_")
        it.wait("report5.txt")

        # Select by mask, copy with a conflict, keep both.
        it.send("+")
        it.wait("Masks like")
        it.send("backspace", "report*", "enter")
        it.wait("5 of 7 selected")
        it.send("f5")
        it.wait("Copy 5 items to")
        it.send("enter")
        it.wait("report1.txt is taken")
        it.send("r")
        it.wait("copy done")
        assert (right / "report1.txt").read_text() == "older and longer\n"
        assert (right / "report1 (1).txt").read_text() == "report 1\n"
        assert sorted(path.name for path in right.iterdir())[-1] == "report5.txt"

        # Undo it: asked about, default no, then yes.
        it.send("ctrl+z")
        it.wait("Please confirm")
        it.settle(0.8)
        it.send("enter")
        it.settle()
        assert "Please confirm" in it.screen.text
        it.send("y")
        eventually(it, lambda: [path.name for path in right.iterdir()] == ["report1.txt"])
        it.wait("done")

        # Change one's mind.
        it.send("end", "f6")
        it.wait("Move report5.txt to")
        escape(it, "Move report5.txt to")
        assert (left / "report5.txt").exists()

        # Rename many.
        it.send("+")
        it.wait("Masks like")
        it.send("backspace", "report*", "enter")
        it.wait("5 of 7 selected")
        it.send("f2")
        it.wait("Rename many")
        it.send("report", "tab", "note")
        it.wait("5 names would change")
        it.send("f2")
        eventually(it, lambda: (left / "note5.txt").exists())
        it.wait("note5.txt")

        # View, edit, save.
        it.send("home", "down", "down", "f3")
        it.wait("print('hello')")
        escape(it, "F4 hex")
        it.wait("1Help")
        it.send("f4")
        it.wait("F2 save")
        it.settle()
        it.send("# new")
        it.send("enter")
        it.wait("* main.py")
        it.send("f2")
        eventually(it, lambda: (left / "main.py").read_text() == "# new\nprint('hello')\n")
        it.wait("Saved")
        escape(it, "utf-8")
        it.wait("1Help")

        # Tabs.
        it.send("ctrl+t")
        it.wait(" 2 left")
        it.send("home", "down", "enter")
        it.wait("2 docs")
        it.send("ctrl+w")
        it.wait("2 docs", gone=True)

        # To the trash, and back from the history.
        it.send("end", "f8")
        it.wait("Move to trash")
        it.settle(0.8)
        it.send("y")
        eventually(it, lambda: not (left / "note5.txt").exists())
        it.wait("done")
        it.send("alt+z")
        it.wait("History")
        it.wait("trash")
        it.send("enter")
        it.wait("Please confirm")
        it.settle(0.8)
        it.send("y")
        eventually(it, lambda: (left / "note5.txt").exists())
        it.wait("done")

        # A setting.
        it.send("alt+s")
        it.wait("General")
        it.send("tab")
        it.wait("Sizes")
        it.send("down", "enter")
        it.wait("decimal")
        escape(it, "Settings")
        quit_well(it)

    kept = tomllib.loads((home / "config" / "cmdr" / "settings.toml").read_text())
    assert kept["appearance"]["sizes"] == "decimal"
    with start(home) as it:
        it.wait("note5.txt")
        it.send("alt+s")
        it.wait("General")
        it.send("tab")
        it.wait("decimal")
        escape(it, "Settings")
        quit_well(it)


def test_keys_typed_ahead_act_on_what_they_were_meant_for(home):
    with start(home) as it:
        it.wait("report5.txt")
        it.settle()
        it.send("f7")
        it.send("fresh")
        it.send("enter")
        eventually(it, lambda: (home / "left" / "fresh").is_dir())
        it.wait("fresh")
        quit_well(it)


def test_ctrl_c_does_not_end_it_and_an_own_editor_gets_the_terminal(home):
    script = home / "editor"
    script.write_text('#!/bin/sh\necho "editing $1"\nread line\necho "$line" >> "$1"\n')
    script.chmod(0o755)
    (home / "config" / "cmdr").mkdir(parents=True, mode=0o700)
    (home / "config" / "cmdr" / "settings.toml").write_text(f'[advanced]\neditor = "{script}"\n')
    with start(home) as it:
        it.wait("report5.txt")
        it.send("ctrl+c")
        it.settle()
        it.send("home", "down", "down", "f4")
        it.wait("editing")
        it.send("more\n")
        eventually(it, lambda: (home / "left" / "main.py").read_text().endswith("more\n"))
        it.wait("report5.txt")
        it.send("down")
        it.settle()
        quit_well(it)
