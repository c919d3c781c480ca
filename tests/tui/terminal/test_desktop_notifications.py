"""Which terminal is told how, and that nothing in a text ends the sequence it stands in."""

import os
import shutil
import subprocess

import pytest

from cmdr.tui.terminal.desktop_notifications import (
    MAX_CELLS,
    Protocol,
    notification,
    plain,
    protocol_for,
    takes_title,
    through_tmux,
    tmux_hands_on,
)


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Protocol.OSC_9),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, Protocol.OSC_9),
        ({"TERM": "xterm-256color", "ConEmuPID": "7"}, Protocol.OSC_9),
        ({"TERM": "xterm-kitty"}, Protocol.OSC_99),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TMUX": "x", "KITTY_WINDOW_ID": "1"}, Protocol.OSC_99),
        ({"TERM": "rxvt-unicode-256color"}, Protocol.OSC_777),
        ({"TERM": "foot"}, Protocol.OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, Protocol.OSC_777),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"}, Protocol.NONE),
        ({"TERM": "screen", "STY": "1.x", "KITTY_WINDOW_ID": "1"}, Protocol.NONE),
        ({"TERM": "linux"}, Protocol.NONE),
        ({"TERM": "xterm-256color"}, Protocol.NONE),
        ({}, Protocol.NONE),
    ],
)
def test_a_terminal_is_told_in_the_way_it_understands(environment, protocol):
    assert protocol_for(environment) is protocol


def test_a_console_that_would_print_a_title_gets_none():
    assert takes_title({"TERM": "xterm-256color"}) and takes_title({"TERM": "vte-256color"})
    assert not any(takes_title({"TERM": term}) for term in ("", "dumb", "linux", "vt100"))
    assert not takes_title({})


@pytest.mark.parametrize("protocol", [Protocol.OSC_9, Protocol.OSC_99, Protocol.OSC_777])
def test_no_word_ends_the_sequence_or_begins_another(protocol):
    hostile = "x\x1b\\\x1b]52;c;AAAA\x07\x9c\x9d\n;p=body;\u202e" + "y" * 5000
    sent = notification(protocol, hostile, hostile)
    starts = 2 if protocol is Protocol.OSC_99 else 1
    assert sent.count("\x1b]") == starts and sent.count("\x1b\\") == starts
    assert sent.count("\x1b") == 2 * starts
    assert not any(ord(char) < 0x20 and char != "\x1b" for char in sent)
    assert not any(0x7F <= ord(char) <= 0x9F for char in sent)
    assert len(sent) < 2 * starts * (MAX_CELLS + 40)


def test_what_no_terminal_understands_is_not_sent():
    assert notification(Protocol.NONE, "a", "b") == ""
    assert through_tmux("") == ""


def test_a_text_keeps_its_words():
    assert plain(" two\n words ") == "two words"
    assert notification(Protocol.OSC_777, "cmdr, 1 waiting", "claude: Copy 1 file") == (
        "\x1b]777;notify;cmdr, 1 waiting;claude: Copy 1 file\x1b\\"
    )


def test_tmux_gets_it_wrapped():
    assert through_tmux("\x1b]9;a\x1b\\") == "\x1bPtmux;\x1b\x1b]9;a\x1b\x1b\\\x1b\\"


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.parametrize(("allowed", "hands_on"), [("on", True), ("off", False)])
def test_tmux_is_asked_whether_it_hands_on(tmp_path, allowed, hands_on):
    socket = str(tmp_path / "tmux")
    command = ("tmux", "-S", socket)
    subprocess.run([*command, "-f", "/dev/null", "new-session", "-d", "sleep 600"], check=True)
    try:
        subprocess.run([*command, "set-option", "-g", "allow-passthrough", allowed], check=True)
        told = subprocess.run([*command, "display-message", "-p", "#{pid},#{pane_id}"], check=True, capture_output=True)
        pid, pane = told.stdout.decode().strip().split(",")
        environment = {**os.environ, "TMUX": f"{socket},{pid},0", "TMUX_PANE": pane}
        assert tmux_hands_on(environment) is hands_on
    finally:
        subprocess.run([*command, "kill-server"], check=True)


def test_without_tmux_nothing_is_handed_on():
    assert not tmux_hands_on({"PATH": "/nowhere", "TMUX": "/nowhere,1,0"})
