"""Notifications of the desktop through the terminal: which of the sequences it understands, and what goes into them.

Three are in use: OSC 9 (iTerm2, ConEmu, WezTerm, Ghostty), OSC 99 (kitty) and OSC 777 (urxvt, foot, VTE, Konsole). A
terminal that knows none of them is sent none: the bell has to be enough.
"""

import os
import subprocess
from collections.abc import Mapping
from enum import Enum

from cmdr.tui.terminal.safe_text import fit, printable, width_of

MAX_CELLS = 120
"""Columns of a text in a notification or title."""
_ASK_TIMEOUT_S = 2.0
_ESC, _END = "\x1b", "\x1b\\"


class Protocol(Enum):
    """How a terminal is told to notify."""

    OSC_9 = "9"
    OSC_99 = "99"
    OSC_777 = "777"
    NONE = ""


_BY_PROGRAM = {
    "iTerm.app": Protocol.OSC_9,
    "WezTerm": Protocol.OSC_9,
    "ghostty": Protocol.OSC_9,
    "WarpTerminal": Protocol.OSC_9,
    "kitty": Protocol.OSC_99,
    "foot": Protocol.OSC_777,
}
_BY_VARIABLE = (
    ("KITTY_WINDOW_ID", Protocol.OSC_99),
    ("WEZTERM_PANE", Protocol.OSC_9),
    ("ITERM_SESSION_ID", Protocol.OSC_9),
    ("GHOSTTY_RESOURCES_DIR", Protocol.OSC_9),
    ("ConEmuPID", Protocol.OSC_9),
    ("KONSOLE_VERSION", Protocol.OSC_777),
    ("VTE_VERSION", Protocol.OSC_777),
)
_BY_TERM = (("xterm-kitty", Protocol.OSC_99), ("rxvt-unicode", Protocol.OSC_777), ("foot", Protocol.OSC_777))
_WITHOUT_TITLE = ("dumb", "linux", "cons25", "vt1", "vt2", "unknown")
"""Beginnings of `TERM` that print what they do not understand."""


def protocol_for(environment: Mapping[str, str]) -> Protocol:
    """What the terminal understands, by what it says of itself; inside tmux, the terminal around it."""
    if "STY" in environment:
        return Protocol.NONE  # screen hands nothing on
    program = environment.get("TERM_PROGRAM", "")
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if program == "vscode":
        return Protocol.NONE  # it may have been started from one that has a name in the variables below
    for start, protocol in _BY_TERM:
        if environment.get("TERM", "").startswith(start):
            return protocol
    return next((protocol for name, protocol in _BY_VARIABLE if environment.get(name)), Protocol.NONE)


def takes_title(environment: Mapping[str, str]) -> bool:
    """Whether the terminal can be given a title without printing it."""
    term = environment.get("TERM", "")
    return bool(term) and not term.startswith(_WITHOUT_TITLE)


def notification(protocol: Protocol, title: str, body: str) -> str:
    """The sequence that notifies, with nothing in it that could end it or begin another."""
    title, body = plain(title), plain(body)
    match protocol:
        case Protocol.OSC_9:
            # Never a text that begins with a number: there are other orders below 9, told apart by that.
            return f"{_ESC}]9;{title}: {body}{_END}"
        case Protocol.OSC_99:
            return f"{_ESC}]99;i=cmdr:d=0:p=title;{title}{_END}{_ESC}]99;i=cmdr:d=1:p=body;{body}{_END}"
        case Protocol.OSC_777:
            return f"{_ESC}]777;notify;{title};{body}{_END}"
        case Protocol.NONE:
            return ""


def plain(text: str) -> str:
    """Words of somebody else as one printable line of bounded length, without what separates fields."""
    clean = printable(" ".join(text.split())).replace(";", ",")
    return fit(clean, MAX_CELLS) if width_of(clean) > MAX_CELLS else clean


def through_tmux(sequence: str) -> str:
    """The same, wrapped so that tmux hands it on to the terminal around it."""
    return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC * 2)}{_END}" if sequence else ""


def tmux_hands_on(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether tmux was allowed to hand sequences on; asks it, so this belongs in a thread."""
    words = ("tmux", "show-options", "-Apv", *_pane(environment), "allow-passthrough")
    try:
        asked = subprocess.run(words, capture_output=True, timeout=_ASK_TIMEOUT_S, check=False, env=dict(environment))
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.stdout.strip() in (b"on", b"all")


def _pane(environment: Mapping[str, str]) -> tuple[str, ...]:
    pane = environment.get("TMUX_PANE", "")
    return ("-t", pane) if pane else ()
