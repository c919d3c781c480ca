"""The terminal during startup: raw mode and the alternate screen, with the first frame while the rest is loaded.

Keys typed meanwhile are neither echoed nor lost; they wait in the terminal until somebody reads them. Whatever
happens, the terminal is restored as it was found.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

_ENTER = b"\x1b[?1049h\x1b[?25l"
_LEAVE = b"\x1b[m\x1b[?1049l\x1b[?25h"
_LOCAL, _INPUT = 3, 0
"""Where the flags stand in what `tcgetattr` tells."""


class StartupTerminal:
    """Switches the screen at `with`, and back at its end unless the application has taken it over meanwhile."""

    def __init__(self, keyboard: int, screen: int) -> None:
        self._keyboard = keyboard
        self._screen = screen
        self.saved_attributes: list[Any] = termios.tcgetattr(keyboard)
        """How the terminal was set when it was found."""
        self.shows_first_frame = False
        """Whether the first frame is on the screen and the application has not taken it over yet."""

    @classmethod
    def current(cls) -> Self | None:
        """The terminal this program runs in, or None where keys and screen are not both one."""
        try:
            if sys.__stdin__ is None or sys.__stderr__ is None or not sys.__stderr__.isatty():
                return None
            return cls(sys.__stdin__.fileno(), sys.__stderr__.fileno())
        except (OSError, ValueError, termios.error):
            return None

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._end)
        raw = termios.tcgetattr(self._keyboard)
        raw[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[_INPUT] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        termios.tcsetattr(self._keyboard, termios.TCSANOW, raw)
        self.shows_first_frame = True
        self._write(_ENTER)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._restore()

    def _restore(self) -> None:
        if self.shows_first_frame:
            self.shows_first_frame = False
            self._write(_LEAVE)
        with suppress(termios.error):
            termios.tcsetattr(self._keyboard, termios.TCSANOW, self.saved_attributes)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines, as the application will count them."""
        columns, lines = os.get_terminal_size(self._screen)
        if columns and lines and not {"COLUMNS", "LINES"} & os.environ.keys():
            return columns, lines
        import shutil  # takes long to load, and is seldom needed here

        return shutil.get_terminal_size()

    def show(self, frame: str) -> None:
        """Draw, from the upper left corner on."""
        self._write(b"\x1b[H" + frame.encode("utf-8", "replace"))

    def _write(self, data: bytes) -> None:
        with suppress(OSError):
            while data:
                data = data[os.write(self._screen, data) :]

    def _end(self, number: int, frame: FrameType | None) -> NoReturn:
        """Asked to end before anybody else listens."""
        self._restore()
        sys.exit()
