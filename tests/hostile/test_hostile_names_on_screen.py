"""Thousands of hostile names through every widget, in a real pseudo-terminal: no byte of them ever acts."""

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))
NASTY = [
    b"[@click=app.quit]x[",
    b"[red]not red[bold]",
    b"\x1b[2J\x1b[H",
    b"\x1b]0;title\x07",
    b"\x1b]52;c;aGk=\x07",
    b"\x1bc",
    b"\x1b[?1049l",
    b"\x1b[6n",
    b"\x9b31m",
    b"a\nb",
    b"a\rb",
    b"a\tb",
    b"\x07bell",
    b"back\x08\x08",
    b"\x7f",
    b"\xff\xfe",
    b"\xc3",
    b"-rf",
    b"--help",
    b"$(reboot)",
    b"`id`",
    b"'; DROP",
    b"%s%n",
    b"\\x1b[0m",
    b"\\u{1b}",
    b" leading",
    b"dot.",
    "\u202egpj.exe".encode(),
    "\u2066x\u2069".encode(),
    "a\u200bb".encode(),
    "e\u0301".encode(),
    "\u0301start".encode(),
    "👨‍👩‍👧‍👦".encode(),
    "❤\ufe0f".encode(),
    "日本語".encode(),
    "ｆｕｌｌ".encode(),
    "\u2028line".encode(),
    "\u0085nel".encode(),
    "\ufeffbom".encode(),
    "\ue000private".encode(),
    "𝔘𝔫𝔦".encode(),
    b"x" * 255,
    ("界" * 85).encode(),
    b"\xed\xa0\x80",
    "ﷺ".encode(),
    "한글".encode(),
    "ก็็็็".encode(),
    "A\u0300\u0301\u0302\u0303".encode(),
]


def names(count, seed):
    rng = random.Random(seed)
    found = set(NASTY)
    while len(found) < count:
        length = rng.randint(1, 40)
        if rng.random() < 0.5:
            name = bytes(rng.choice([rng.randint(1, 255), 0x1B, 0x5B, 0x6D]) for _ in range(length))
        else:
            name = rng.choice(NASTY)[: rng.randint(1, 60)] + str(rng.random()).encode()[:6] + rng.choice(NASTY)[:60]
        name = name.replace(b"/", b"_").replace(b"\0", b"_")[:255]
        if name and not name.startswith(b"."):
            found.add(name)
    return sorted(found)


@pytest.fixture
def ground(tmp_path):
    left, right = tmp_path / "left", tmp_path / "right"
    left.mkdir()
    right.mkdir()
    (tmp_path / "run").mkdir(mode=0o700)
    yield tmp_path
    shutil.rmtree(os.fsencode(left), ignore_errors=True)


def environment(home):
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_ENABLED": "false",
    }


def clean(terminal):
    assert not terminal.screen.strange, terminal.screen.strange[:5]


def test_every_widget_shows_hostile_names_as_ink(ground):
    folder = os.fsencode(ground / "left")
    for name in names(2500, seed=7):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(name * 3 + b"\n" + b"\x1b[31mred\x1b]0;x\x07\n")
    with PtyTerminal(
        [CMDR, str(ground / "left"), str(ground / "right")], columns=110, rows=34, **environment(ground)
    ) as it:
        it.wait("2,500 entries")
        for _ in range(130):
            it.send("pagedown")
            it.read(0.005)
        it.settle()
        clean(it)
        it.send("ctrl+b")
        for _ in range(70):
            it.send("right")
            it.read(0.005)
        it.settle()
        clean(it)
        it.send("home", "ctrl+x")
        for _ in range(40):
            it.send("down")
            it.read(0.02)
        it.settle(0.3)
        clean(it)
        it.send("ctrl+x", "home")
        for key in ("f3", "alt+i", "f5", "f2", "ctrl+g", "alt+r"):
            for _ in range(3):
                it.send("down")
                it.settle(0.05)
                it.send(key)
                it.settle(0.3)
                clean(it)
                it.send("escape")
                it.settle(0.25)
        it.send("alt+b")
        it.settle()
        it.send("ctrl+t")
        it.settle()
        clean(it)
        it.send("f10")
        code, _ = it.wait_end()
        assert code == 0
        assert b"\x1b]52" not in it.raw


def test_a_folder_with_a_hostile_name_is_entered_bookmarked_and_left(ground):
    for place, name in enumerate(NASTY[:20]):
        inner = os.path.join(os.fsencode(ground / "left"), b"%02d" % place + name[:200])
        os.makedirs(inner)
    with PtyTerminal([CMDR, str(ground / "left"), str(ground / "right")], **environment(ground)) as it:
        it.wait("20 entries")
        it.wait(" free ─")  # names are there before anything else; keys typed then are tested elsewhere
        for place in range(20):
            it.send("enter")
            it.wait("This folder is empty")
            it.send("alt+b", "ctrl+t")
            it.wait(f" 2 {place:02}")  # its tab: a key behind one that takes too long would act before it
            clean(it)
            it.send("ctrl+w")
            it.wait(f" 2 {place:02}", gone=True)
            it.send("backspace")
            it.wait("20 entries")
            it.send("down")
        it.send("ctrl+d")
        it.wait("Bookmarks")
        it.settle()
        clean(it)
        it.send("escape")
        it.settle(0.3)
        it.send("f10")
        assert it.wait_end()[0] == 0
