"""The desktop around us: its clipboard and its file manager, through the programs that are there."""

import shutil
import subprocess
import sys
from collections.abc import Callable

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread

_CLIPBOARDS: tuple[tuple[str, ...], ...] = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("clip.exe",),
)
_SECONDS = 3.0


class Desktop:
    """Talks to the desktop; a terminal face may add its own ways."""

    def __init__(self) -> None:
        self.terminal_clipboard: Callable[[str], None] | None = None
        """Sends text through the terminal itself (OSC 52), when there is one."""
        self.suspend: Callable[[], None] | None = None
        """Gives the terminal back to the shell, when there is one."""

    async def copy(self, text: str) -> str:
        """Put text on the clipboard and say which way it went."""
        for program in _CLIPBOARDS:
            if shutil.which(program[0]):
                taken = await in_thread(_feed, program, text)
                if taken:
                    return program[0]
        if self.terminal_clipboard is not None:
            self.terminal_clipboard(text)
            return "the terminal (OSC 52)"
        raise CommandError("No clipboard here: install wl-copy, xclip or xsel, or use the terminal face.")

    async def reveal(self, path: bytes) -> str:
        """Show an entry in the system's file manager."""
        opener = ("open", "-R") if sys.platform == "darwin" else ("xdg-open",)
        if not shutil.which(opener[0]):
            raise CommandError(f"No file manager here: {opener[0]} was not found.")
        if not await in_thread(_launch, opener, path):
            raise CommandError(f"{opener[0]} could not show it; is a desktop running?")
        return opener[0]


def _feed(program: tuple[str, ...], text: str) -> bool:
    try:
        done = subprocess.run(
            program,
            input=text.encode("utf-8", "surrogateescape"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _launch(opener: tuple[str, ...], path: bytes) -> bool:
    try:
        done = subprocess.run(
            [*opener, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Some openers stay in the foreground while the window is open; that is success.
        return True
    except OSError:
        return False
    return done.returncode == 0
