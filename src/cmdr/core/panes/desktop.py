"""The desktop around us: its clipboard and its file manager, through the programs that are there."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from urllib.parse import quote_from_bytes

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.names import raw_bytes
from cmdr.model.panes.workspace import Dialog

_CLIPBOARDS: tuple[tuple[str, ...], ...] = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("clip.exe",),
)
_TIMEOUT_S = 3.0
_SELECT = tuple(
    "gdbus call --session --timeout 2 --dest org.freedesktop.FileManager1 --object-path /org/freedesktop/FileManager1 "
    "--method org.freedesktop.FileManager1.ShowItems".split()
)


class Desktop:
    """Talks to the desktop; a terminal face may add its own ways."""

    def __init__(self) -> None:
        self.terminal_clipboard: Callable[[str], None] | None = None
        """Sends text through the terminal itself (OSC 52), when there is one."""
        self.suspend: Callable[[], None] | None = None
        """Gives the terminal back to the shell, when there is one."""
        self.shows: Callable[[Dialog], bool] | None = None
        """Whether the person sees a dialog, where there is a screen; agents' windows wait until they are asked for."""
        self.pages = 0
        """How many of the person's pages are open in browsers."""
        self.terminal_suspended = False
        """Whether the person's own editor has the terminal at the moment."""

    @property
    def person_is_there(self) -> bool:
        """Whether somebody looks at the panes: in the terminal, or in a page."""
        return self.shows is not None or self.pages > 0

    async def copy(self, text: str) -> str:
        """Put text on the clipboard and say which way it went."""
        installed = [program for program in _CLIPBOARDS if shutil.which(program[0])]
        for program in installed:
            if await in_thread(_feed, program, text):
                return program[0]
        if self.terminal_clipboard is not None:
            self.terminal_clipboard(text)
            return "the terminal (OSC 52)"
        if installed:
            raise CommandError(f"No clipboard here: {installed[-1][0]} reaches no display. Use the terminal face.")
        raise CommandError("No clipboard here: install wl-copy, xclip or xsel, or use the terminal face.")

    async def reveal(self, path: bytes) -> str:
        """Show an entry in the system's file manager, selected where the desktop can do that."""
        if sys.platform == "darwin":
            ways: tuple[tuple[tuple[str, ...], tuple[bytes, ...]], ...] = ((("open", "-R"), (path,)),)
        else:
            if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                raise CommandError(
                    "No desktop here: cmdr runs without a display, so there is no file manager to show it."
                )
            # File managers select an entry when asked over the bus. An opener would start a file's own program, so it
            # is only ever given the folder.
            ways = ((_SELECT, (_listed(path), b"")), (("xdg-open",), (os.path.dirname(path),)))
        for program, targets in ways:
            if shutil.which(program[0]) is None:
                continue
            if await in_thread(_launch, program, targets):
                return "the file manager" if program is _SELECT else program[0]
        raise CommandError(f"The file manager did not answer ({ways[-1][0][0]}); is a desktop running?")


def _listed(path: bytes) -> bytes:
    """A list of one file, as the bus wants it; every odd byte is escaped, so none can end the text early."""
    return b"['file://" + quote_from_bytes(path).encode() + b"']"


def _feed(program: tuple[str, ...], text: str) -> bool:
    try:
        return _run(program, raw_bytes(text)).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _launch(opener: tuple[str, ...], targets: tuple[bytes, ...]) -> bool:
    try:
        return _run((*opener, *targets)).returncode == 0
    except subprocess.TimeoutExpired:
        # Some openers stay in the foreground while the window is open; that is success.
        return True
    except OSError:
        return False


def _run(argv: Sequence[str | bytes], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        argv,
        input=given,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_TIMEOUT_S,
        check=False,
    )
