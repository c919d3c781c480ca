"""The first frame: files on the screen before the application is loaded, keys kept, the terminal given back."""

import os
import signal
import sys
import termios
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pty_terminal import PtyTerminal, Screen

CMDR = str(Path(sys.executable).with_name("cmdr"))
TAKEN_OVER = b"\x1b[?1004h"
"""What the application sends when it takes the screen over; everything before it is the first frame."""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "left" / "docs").mkdir(parents=True)
    (tmp_path / "right" / "pictures").mkdir(parents=True)
    for number in range(40):
        (tmp_path / "left" / f"file{number:02}.txt").write_text("x" * number)
    return tmp_path


def start(home, *, columns=100, rows=24, **variables):
    return PtyTerminal(
        [CMDR, str(home / "left"), str(home / "right")],
        columns=columns,
        rows=rows,
        HOME=str(home),
        XDG_RUNTIME_DIR=str(home / "run"),
        XDG_STATE_HOME=str(home / "state"),
        XDG_CONFIG_HOME=str(home / "config"),
        CMDR_MCP_ENABLED="false",
        **variables,
    )


def wait_for_picture(it):
    """The screen as the first frame drew it."""
    it.wait(lambda _: TAKEN_OVER in it.raw)
    picture, _, rest = bytes(it.raw).partition(TAKEN_OVER)
    drawn = Screen(it.screen.columns, it.screen.rows)
    drawn.feed(picture)
    return drawn, rest


def without_free_space(lines):
    """The free space is asked for later: a dead disk would hold the frame up."""
    return [line for line in lines if not line.startswith("└")]


@pytest.mark.parametrize(
    ("columns", "settings"),
    [
        (100, ""),
        (81, '[general]\nview = "brief"\nshow_hidden = true\n'),
        (120, '[general]\nparent_row = false\n[appearance]\nkey_bar = false\ntheme = "light"\n'),
    ],
)
def test_the_application_draws_what_the_first_frame_showed(home, columns, settings):
    (home / "config" / "cmdr").mkdir(parents=True)
    (home / "config" / "cmdr" / "settings.toml").write_text(settings)
    with start(home, columns=columns) as it:
        drawn, _ = wait_for_picture(it)
        assert "file03.txt" in drawn.text
        it.wait(" free ")
        assert without_free_space(it.screen.lines) == without_free_space(drawn.lines)
        # Neither switched to again nor cleared: nothing flickers.
        assert b"\x1b[?1049h" not in bytes(it.raw).partition(TAKEN_OVER)[2]
        assert b"\x1b[2J" not in it.raw


@pytest.mark.cold_start
def test_names_never_vanish_between_the_picture_and_the_application(home):
    with start(home) as it:
        it.wait(lambda _: it.raw.count(b"file05.txt"))
        while b" free " not in it.raw:
            assert "file05.txt" in it.screen.text
            it.read(5)


def test_a_terminal_that_does_not_know_its_size_gets_a_picture_too(home):
    with start(home, columns=0, rows=0) as it:
        it.screen = Screen(80, 24)
        it.wait("file05.txt")
        it.wait(" free ")
        assert not it.screen.strange


def test_hostile_names_are_safe_in_the_first_frame(home):
    for name in (
        b"\x1b[2J\x1b[H",
        b"a\nb",
        b"\x9b31m",
        b"\xff\xfe",
        "\u202egpj.exe".encode(),
        b"\x1b]0;t\x07",
        b"0\t0",
    ):
        with open(os.path.join(bytes(home / "left"), name), "wb"):
            pass
    with start(home, rows=60) as it:
        drawn, _ = wait_for_picture(it)
        assert "file03.txt" in drawn.text
        assert not drawn.strange


@pytest.mark.cold_start
def test_keys_typed_before_the_application_is_there_are_obeyed_and_not_echoed(home):
    with start(home) as it:
        it.wait("file05.txt")
        assert TAKEN_OVER not in it.raw
        it.send("down", "down", "insert")
        it.wait(lambda screen: screen.lines[-2].startswith(" file02.txt"))
        it.wait("1 of 41 selected")
        assert "[B" not in it.screen.text


@pytest.mark.cold_start
def test_quitting_at_once_ends_in_good_order_while_the_rest_is_still_loaded(home):
    with start(home) as it:
        it.wait("file05.txt")
        it.send("f10")
        assert it.wait_end()[0] == 0
        assert is_cooked(it)


def test_the_terminal_is_given_back_as_it_was_found(home):
    with start(home) as it:
        it.wait("file05.txt")
        it.wait(lambda _: TAKEN_OVER in it.raw)
        assert not local_flags(it) & (termios.ECHO | termios.ICANON)
        it.send("f10")
        assert it.wait_end()[0] == 0
        assert bytes(it.raw).count(b"\x1b[?1049l") == 1
        assert is_cooked(it)


def test_stepping_aside_gives_a_shell_in_the_folder_of_the_pane_an_ordinary_terminal(home):
    with start(home, SHELL="/bin/sh") as it:
        it.wait(" free ")
        step_aside(it)
        assert is_cooked(it)
        it.send("pwd; touch a_made_here; echo $((6*7))\r")
        it.wait(lambda _: b"42" in it.raw.rpartition(b"\x1b[?1049l")[2])
        come_back(it)
        it.wait(lambda screen: "a_made_here" in screen.text and "Rename" in screen.lines[-1])
        it.send("down")
        it.wait(lambda screen: screen.lines[-2].startswith(" a_made_here"))


def test_coming_back_from_the_shell_draws_everything_again_each_time(home):
    with start(home, SHELL="/bin/sh") as it:
        it.wait(" free ")
        for _ in range(2):
            step_aside(it)
            come_back(it)
            it.wait(lambda _: "Rename" in came_back(it) and "file05.txt" in came_back(it))


@pytest.mark.parametrize("ending", [signal.SIGHUP, signal.SIGTERM])
def test_it_ends_also_while_the_terminal_is_lent_to_a_shell(home, ending):
    with start(home, SHELL="/bin/sh") as it:
        it.wait(" free ")
        step_aside(it)
        os.kill(it.pid, ending)
        assert it.wait_end()[0] == 0


def test_one_command_runs_with_the_chosen_files_and_neither_ctrl_c_nor_ctrl_z_reaches_cmdr(home):
    with start(home, SHELL="/bin/sh") as it:
        it.wait(" free ")
        it.send("end", "!")
        it.wait("Run in")
        it.send('echo "<$@>" "<$f>"; cat', "enter")
        it.wait(lambda _: b"<file39.txt> <file39.txt>" in it.raw)
        it.settle()
        it.send("ctrl+z", "still here\r")
        it.wait(lambda _: it.raw.count(b"still here") == 2)
        it.send("ctrl+c")
        it.wait("Enter goes back to cmdr")
        it.send("enter")
        it.wait(lambda _: it.raw.count(b"\x1b[?1049h") == 2)
        it.wait("ended with")
        it.send("f10")
        assert it.wait_end()[0] == 0


def test_a_terminal_that_nobody_reads_holds_up_nothing_and_is_drawn_anew_when_somebody_does(home):
    """All of cmdr stood still, agents with it, as soon as some thirty drawings had not been read."""
    with start(home) as it:
        it.wait(" free ")
        for _ in range(40):
            it.send(*["end", "home"] * 20)
        it.send("f7", "made meanwhile", "enter")
        it.wait(lambda _: (home / "left" / "made meanwhile").is_dir(), reading=False)
        it.settle()
        it.send("down")
        it.wait(lambda screen: "made meanwhile" in screen.text and "file05.txt" in screen.text)
        it.send("f10")
        assert it.wait_end()[0] == 0
        assert is_cooked(it)


@pytest.mark.cold_start
def test_a_signal_during_the_first_frame_gives_the_terminal_back(home):
    with start(home) as it:
        it.wait(lambda _: b"\x1b[?1049h" in it.raw)
        os.kill(it.pid, signal.SIGTERM)
        assert it.wait_end()[0] == 0
        assert b"\x1b[?1049l" in it.raw
        assert is_cooked(it)


@pytest.mark.cold_start
def test_a_start_that_fails_behind_the_picture_says_why_on_the_ordinary_screen(home):
    with start(home, CMDR_ROOTS="relative/path") as it:
        assert it.wait_end()[0] == 1
        told = bytes(it.raw).rpartition(b"\x1b[?1049l")[2]
        assert b"relative/path" in told
        assert is_cooked(it)


def step_aside(it):
    left = it.raw.count(b"\x1b[?1049l")
    it.send("alt+x")
    it.wait(lambda _: it.raw.count(b"\x1b[?1049l") > left and b"comes back" in it.raw.rpartition(b"\x1b[?1049l")[2])


def come_back(it):
    taken = it.raw.count(b"\x1b[?1049h")
    it.send("exit\r")
    it.wait(lambda _: it.raw.count(b"\x1b[?1049h") > taken)


def came_back(it):
    """What was drawn since the screen was taken last: the terminal had cleared it."""
    return bytes(it.raw).rpartition(b"\x1b[?1049h")[2].decode("utf-8", "replace")


def local_flags(it):
    return termios.tcgetattr(it.fd)[3]


def is_cooked(it):
    wanted = termios.ECHO | termios.ICANON | termios.ISIG
    return local_flags(it) & wanted == wanted
