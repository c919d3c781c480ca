"""Files that pages look into: a stretch of lines or bytes at a time, kept open for a while; a small text whole."""

import asyncio
import os

from cmdr.core.dispatch.parameter import Json
from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.panes.viewer import OpenView, open_view
from cmdr.core.threads import in_thread
from cmdr.model.invisible_chars import INVISIBLE, visible
from cmdr.model.names import to_wire

MAX_OPEN = 4
IDLE_S = 60.0
STAT_TIMEOUT_S = 10.0
MAX_LINES = 500
MAX_LINE_CHARS = 4000
"""Characters of one line that are shown; nobody reads a longer one, and a page that holds it stands still."""
HEX_BYTES = 16 * 256

Identity = tuple[int, int, int, int]


class View:
    """One file that is looked into, and how far its lines are counted."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self._news = asyncio.Event()
        self._file: OpenView | None = None
        self.closing: asyncio.TimerHandle | None = None

    @property
    def file(self) -> OpenView:
        """The open file."""
        assert self._file is not None
        return self._file

    async def open(self, path: bytes) -> None:
        """Open it, of an archive the list of what is in it; its lines are counted behind."""
        self._file = await open_view(path, self._news.set, lists=True)

    async def counted(self, lines: int) -> None:
        """Wait until so many lines are counted, or all of them."""
        while not self.file.is_counted and self.file.lines <= lines:
            await self._more()

    async def counted_to(self, offset: int) -> None:
        """Wait until the line of a byte is known."""
        while not self.file.is_counted and await self.file.offset_of(self.file.lines) <= offset:
            await self._more()

    async def _more(self) -> None:
        self._news.clear()
        await self._news.wait()


class Views:
    """The files looked into last."""

    def __init__(self) -> None:
        self._open: dict[bytes, View] = {}

    async def of(self, path: bytes) -> View:
        """A file, opened anew when it is another one by now or has changed."""
        identity = await _identity(path)
        view = self._open.get(path)
        if view is None or view.identity != identity:
            view = View(identity)
            await view.open(path)
            self._let_go(path)
            self._open[path] = view
            while len(self._open) > MAX_OPEN:
                self._let_go(next(iter(self._open)))
        if view.closing is not None:
            view.closing.cancel()
        view.closing = asyncio.get_running_loop().call_later(IDLE_S, self._let_go, path, view)
        return view

    def _let_go(self, path: bytes, view: View | None = None) -> None:
        kept = self._open.get(path)
        if kept is None or (view is not None and kept is not view):
            return
        del self._open[path]
        if kept.closing is not None:
            kept.closing.cancel()
        kept.file.close()


async def _identity(path: bytes) -> Identity:
    try:
        found = await asyncio.wait_for(in_thread(os.stat, path), STAT_TIMEOUT_S)
    except TimeoutError:  # before the other: it is one of them
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"The file cannot be read: {error.strerror}.") from error
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


async def lines_of(view: View, first: int) -> dict[str, Json]:
    """Some lines of a file from `first` on, or bytes where it is no text."""
    file = view.file
    told: dict[str, Json] = {"size": file.size, "encoding": file.encoding, "first": first, "binary": file.is_binary}
    if file.is_binary:
        data = await file.bytes(first * 16, HEX_BYTES)
        return told | {"lines": _hex(data, first * 16), "more": first * 16 + len(data) < file.size}
    await view.counted(first + MAX_LINES + 1)
    lines = await file.text(first, MAX_LINES + 1)
    return told | {"lines": [_shown(line) for line in lines[:MAX_LINES]], "more": len(lines) > MAX_LINES}


async def find_in(view: View, text: str, line: int, *, backwards: bool) -> dict[str, Json]:
    """The next line after `line`, or the last one before it, that holds a text; null when there is none."""
    if not text:
        raise CommandError("There is nothing to look for.")
    file = view.file
    if file.is_binary:
        start = line * 16 if backwards else (line + 1) * 16
    else:
        wanted = line if backwards else line + 1
        await view.counted(wanted + 1)
        if wanted > file.lines and not backwards:
            return {"line": None}
        start = await file.offset_of(wanted)
    found = await file.find(text, max(0, start), backwards=backwards, regex=False)
    if found is None:
        return {"line": None}
    if file.is_binary:
        return {"line": found[0] // 16}
    await view.counted_to(found[0])
    return {"line": await file.line_at(found[0])}


async def text_to_edit(path: bytes, limit: int) -> dict[str, Json]:
    """A whole text with what proves, when it is saved, that nobody changed the file meanwhile."""
    file = await load_text(path, limit)
    if INVISIBLE.search(file.text):
        raise CommandError("The file holds characters that cannot be seen. View it with F3; edit it in a terminal.")
    return {"name": to_wire(path.rpartition(b"/")[2]), "text": file.text, "digest": file.digest}


def whole_number(text: str, what: str) -> int:
    """A number from a query; -1 stands before the first line."""
    if text == "-1":
        return -1
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise CommandError(f"{what} is a number.")
    return int(text)


def _shown(line: str) -> str:
    return visible(line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…")


def _hex(data: bytes, offset: int) -> list[Json]:
    """Sixteen bytes a line, as bytes and as what they would say."""
    lines: list[Json] = []
    for at in range(0, len(data), 16):
        piece = data[at : at + 16]
        said = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in piece)
        lines.append(f"{offset + at:010x}  {piece.hex(' '):<47}  {said}")
    return lines
