"""Files that are looked at: opened, counted, searched and followed in threads, never on the loop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread, opened_in_thread
from cmdr.files.errors import DiskError
from cmdr.files.viewing.images import Pixel, Thumbnail
from cmdr.files.viewing.viewed_file import ENCODINGS, NotViewable, ViewedFile

__all__ = ["ENCODINGS", "OpenView", "Pixel", "image_pixels", "open_view"]

P = ParamSpec("P")
T = TypeVar("T")

TIMEOUT_S = 10.0
FOLLOW_INTERVAL_S = 0.5


class OpenView:
    """One file being looked at. `changed` is called when more is known about it."""

    def __init__(self, file: ViewedFile, changed: Callable[[], None]) -> None:
        self._file = file
        self._changed = changed
        self._counting: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._search = 0
        self._count()

    @property
    def size(self) -> int:
        """Bytes."""
        return self._file.size

    @property
    def lines(self) -> int:
        """Lines counted so far."""
        return self._file.lines

    @property
    def is_counted(self) -> bool:
        """Whether that is all of them."""
        return self._file.is_counted

    @property
    def encoding(self) -> str:
        """How its bytes are read."""
        return self._file.encoding

    @property
    def is_binary(self) -> bool:
        """Whether it is better shown as bytes."""
        return self._file.is_binary

    @property
    def is_list(self) -> bool:
        """Whether it is an archive, of which its list is shown."""
        return self._file.is_list

    @property
    def follows(self) -> bool:
        """Whether growth is watched."""
        return self._following is not None

    async def text(self, first: int, count: int) -> list[str]:
        """Some lines."""
        return await self._ask(self._file.text, first, count)

    async def bytes(self, offset: int, count: int) -> bytes:
        """Some bytes."""
        return await self._ask(self._file.read, offset, count)

    async def offset_of(self, line: int) -> int:
        """Where a line begins."""
        return await self._ask(self._file.offset_of, line) or 0

    async def line_at(self, offset: int) -> int:
        """The line of a byte."""
        return await self._ask(self._file.line_at, offset)

    async def find(self, text: str, start: int, *, backwards: bool, regex: bool) -> tuple[int, int] | None:
        """Search; a newer search stops an older one."""
        self._search += 1
        number = self._search
        return await self._ask(
            lambda: self._file.find(
                text, start, backwards=backwards, regex=regex, stopped=lambda: self._search != number
            )
        )

    def stop_search(self) -> None:
        """Nobody waits for the search any more."""
        self._search += 1

    async def recode(self, encoding: str) -> None:
        """Read it in another encoding."""
        await self._ask(self._file.recode, encoding)
        self._count()

    async def as_bytes(self, on: bool) -> None:
        """Show the bytes of an archive themselves, or its list again."""
        await self._ask(self._file.as_bytes, on)
        self._count()

    def follow(self, on: bool) -> None:
        """Watch the file grow, or stop watching."""
        if self._following is not None:
            self._following.cancel()
            self._following = None
        if on:
            self._following = asyncio.get_running_loop().create_task(self._follow())

    def close(self) -> None:
        """Let go."""
        self.stop_search()
        for task in (self._counting, self._following):
            if task is not None:
                task.cancel()
        self._file.close()

    async def _ask(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await in_thread(work, *args, **kwargs)
        except (NotViewable, OSError) as error:
            raise CommandError(str(error)) from error

    def _count(self) -> None:
        if self._counting is None or self._counting.done():
            self._counting = asyncio.get_running_loop().create_task(self._count_all())

    async def _count_all(self) -> None:
        with suppress(NotViewable, OSError):
            while await in_thread(self._file.count_more):
                self._changed()
        self._changed()

    async def _follow(self) -> None:
        with suppress(NotViewable, OSError):
            while True:
                await asyncio.sleep(FOLLOW_INTERVAL_S)
                if await in_thread(self._file.grow):
                    await in_thread(self._file.count_more, 1 << 20)
                    self._changed()


async def open_view(path: bytes, changed: Callable[[], None], *, lists: bool = False) -> OpenView:
    """Open a file to look at it; with `lists`, of an archive what is in it."""
    try:
        return OpenView(await asyncio.wait_for(opened_in_thread(_viewed, path, lists), TIMEOUT_S), changed)
    except (NotViewable, DiskError) as error:
        raise CommandError(str(error)) from error
    except TimeoutError:
        raise CommandError("No answer from the disk. Its mount may be dead.") from None


def _viewed(path: bytes, lists: bool) -> ViewedFile:
    file = ViewedFile(path)
    if lists:
        try:
            file.show_list()
        except BaseException:
            file.close()
            raise
    return file


async def image_pixels(path: bytes, width: int, height: int) -> list[list[Pixel]]:
    """A picture as rows of pixels; nothing of it goes on when nobody waits for it any more."""
    small: Thumbnail | None = None

    def decoded() -> list[list[Pixel]]:
        nonlocal small
        small = Thumbnail(path, width, height)
        return small.run()

    try:
        return await asyncio.wait_for(in_thread(decoded), TIMEOUT_S)
    except TimeoutError:  # an OSError too
        raise CommandError("No answer from the disk. Its mount may be dead.") from None
    except (NotViewable, OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    finally:
        if small is not None:
            small.stop()
