"""Files that pages look into, kept open for a while: the next stretch of a large one needs no new count of lines."""

import asyncio
import os

from cmdr.core.errors import CommandError
from cmdr.core.panes.viewer import OpenView, open_view
from cmdr.core.threads import in_thread

KEPT = 4
IDLE = 60.0
PATIENCE = 10.0

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
            while len(self._open) > KEPT:
                self._let_go(next(iter(self._open)))
        if view.closing is not None:
            view.closing.cancel()
        view.closing = asyncio.get_running_loop().call_later(IDLE, self._let_go, path, view)
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
        found = await asyncio.wait_for(in_thread(os.stat, path), PATIENCE)
    except TimeoutError:  # before the other: it is one of them
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except OSError as error:
        raise CommandError(f"The file cannot be read: {error.strerror}.") from error
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
