"""A file on the screen: as text, as bytes or as a picture; reads only what is shown, whatever the size."""

import asyncio

from rich.segment import Segment
from textual.message import Message

from cmdr.core.errors import CommandError
from cmdr.core.panes.viewer import ENCODINGS, OpenView, Pixel, image_pixels, open_view
from cmdr.model.panes.sorting import extension
from cmdr.tui.terminal.safe_text import fit, printable
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.viewer.file_rows import HEX_BYTES, FileCache, image_lines, marked_line, sliced, wrapped
from cmdr.tui.widgets.lines import LineWidget

_IMAGE_EXTENSIONS = frozenset(b"png jpg jpeg gif webp bmp ico tif tiff avif ppm".split())


class FileView(LineWidget):
    """Draws from a small store of lines around what is seen; the store is filled in threads."""

    DEFAULT_CSS = "FileView { width: 1fr; height: 1fr; }"

    class Moved(Message):
        """Something about the view changed that a title may want to tell."""

    def __init__(self, appearance: Appearance, *, wrap: bool = True, id: str | None = None) -> None:
        super().__init__(appearance, id=id)
        self.path = b""
        self.view: OpenView | None = None
        self.problem = ""
        self.wrap = wrap
        self.hex = False
        self.needle = ""
        self.top = 0
        """First line, or first row of bytes."""
        self.sub = 0
        """Rows of the first line that are scrolled away, when wrapping."""
        self.left = 0
        self._following_end = False
        """Whether the end is on its way: it is where the counting of the lines ends."""
        self._pixels: list[list[Pixel]] | None = None
        self._image_error = ""
        """Why what is named like an image is not shown as one."""
        self._cache = FileCache()
        self._rows: list[list[Segment]] | None = None
        self._filling: asyncio.Task[None] | None = None
        self._fill_requested_again = False

    async def open(self, path: bytes) -> None:
        """Show another file."""
        self.close_file()
        self.path = path
        try:
            if extension(path.rpartition(b"/")[2]) in _IMAGE_EXTENSIONS:
                await self._load_image()
            self.view = await open_view(path, self._file_changed, lists=True)
            self.hex = self.view.is_binary and self._pixels is None
        except CommandError as error:
            self.problem = str(error)
        await self.fill()

    def close_file(self) -> None:
        """Let the file go."""
        if self.view is not None:
            self.view.close()
        self.view = None
        self.problem, self.needle = "", ""
        self.top = self.sub = self.left = 0
        self._following_end = False
        self._pixels, self._image_error = None, ""
        self._cache.clear()
        self._redraw()

    async def _load_image(self) -> None:
        try:
            width, height = max(8, self.size.width), max(4, self.size.height)
            self._pixels, self._image_error = await image_pixels(self.path, width, height * 2), ""
        except CommandError as error:
            self._pixels, self._image_error = None, str(error)

    @property
    def is_image(self) -> bool:
        """Whether an image is shown."""
        return self._pixels is not None and not self.hex

    def describe(self) -> str:
        """Where we are, in a few words."""
        if self.view is None:
            return self.problem
        if self.is_image:
            return f"{self.view.size:,} B"
        share = ""
        if self.hex:
            rows = max(1, -(-self.view.size // HEX_BYTES))
            share = f"{min(100, (self.top + self.size.height) * 100 // rows)}%"
            return f"{self.top * HEX_BYTES:#x} of {self.view.size:#x}  {share}  {self._image_error}".rstrip()
        known = self.view.lines
        more = "" if self.view.is_counted else "+"
        share = f"{min(100, (self.top + self.size.height) * 100 // max(1, known))}%" if self.view.is_counted else ""
        return f"line {min(self.top + 1, max(known, 1)):,} of {known:,}{more}  {share}  {self.view.encoding}"

    def on_resize(self) -> None:
        self._redraw()
        if self._pixels is not None:
            self.run_worker(self._load_image(), exclusive=True)
        self._request_fill()

    def on_unmount(self) -> None:
        self.close_file()

    def scroll_by(self, rows: int) -> None:
        """Scroll by rows."""
        if self.view is None or self.is_image:
            return
        self._following_end = False
        if self.hex:
            last = max(0, -(-self.view.size // HEX_BYTES) - self.size.height)
            self.top = max(0, min(self.top + rows, last))
        elif self.wrap:
            self._move_wrapped(rows)
        else:
            self.top = max(0, min(self.top + rows, max(0, self.view.lines - 1)))
        self._redraw()
        self._request_fill()

    def to(self, line: int) -> None:
        """Scroll to a line, or to a row of bytes; beyond the end, to the last one."""
        self._following_end = False
        self.top, self.sub = max(0, line), 0
        self._clamp_top()
        self._redraw()
        self._request_fill()

    def to_end(self) -> None:
        """The last page."""
        if self.view is None:
            return
        rows = -(-self.view.size // HEX_BYTES) if self.hex else self.view.lines
        self.to(max(0, rows - self.size.height + (0 if self.hex else 1)))
        self._following_end = not self.hex and not self.view.is_counted

    def _clamp_top(self) -> None:
        if self.view is not None and (self.hex or self.view.is_counted):
            rows = -(-self.view.size // HEX_BYTES) if self.hex else self.view.lines
            self.top = min(self.top, max(0, rows - 1))

    def scroll_sideways(self, cells: int) -> None:
        """Move unwrapped lines sideways."""
        self.left = max(0, self.left + cells)
        self._redraw()

    def toggle_wrap(self) -> None:
        """Wrap lines, or cut them."""
        self.wrap, self.sub, self.left = not self.wrap, 0, 0
        self._redraw()

    async def toggle_hex(self) -> None:
        """Bytes or text, at the same place."""
        if self.view is None:
            return
        if self.view.is_list:
            self.top = 0
            await self.view.as_bytes(not self.hex)
        elif self.hex:
            self.top = await self.view.line_at(self.top * HEX_BYTES)
        else:
            self.top = await self.view.offset_of(self.top) // HEX_BYTES
        self.hex, self.sub = not self.hex, 0
        await self.fill()

    async def next_encoding(self) -> None:
        """Read the text in the next encoding."""
        if self.view is not None:
            place = ENCODINGS.index(self.view.encoding) if self.view.encoding in ENCODINGS else -1
            await self.view.recode(ENCODINGS[(place + 1) % len(ENCODINGS)])
            self._cache.clear()
            await self.fill()

    async def fill(self) -> None:
        """Read what is seen and a little around it."""
        if self.view is not None:
            try:
                await self._cache.fill(self.view, self.top, max(1, self.size.height), as_bytes=self.hex)
            except CommandError as error:
                self.problem = str(error)
        self._redraw()

    def line(self, y: int) -> list[Segment]:
        styles = self.appearance.styles
        if self._rows is None:
            self._rows = self._make_rows()
        return self._rows[y] if y < len(self._rows) else [Segment(" " * self.size.width, styles["base"])]

    def _make_rows(self) -> list[list[Segment]]:
        styles, (width, height) = self.appearance.styles, self.size
        if self.problem:
            return [[], [Segment(fit(" " + printable(self.problem), width), styles["warning"])]]
        if self._pixels is not None and not self.hex:
            return image_lines(self._pixels)
        if self.hex:
            return [self._cache.hex_line(self.top + row, styles) for row in range(height)]
        rows: list[list[Segment]] = []
        line, skip = self.top, self.sub
        while len(rows) < height and (text := self._cache.line(line)) is not None:
            parts = wrapped(text, width)[skip:] if self.wrap else [sliced(text, self.left, width)]
            rows += [marked_line(part, self.needle, styles) for part in parts]
            line, skip = line + 1, 0
        return rows[:height]

    def _move_wrapped(self, rows: int) -> None:
        width = max(1, self.size.width)
        while rows > 0 and self.view is not None and self.top < self.view.lines:
            height = len(wrapped(self._cache.line(self.top) or "", width))
            if self.sub + 1 < height:
                self.sub += 1
            elif self.top + 1 < max(1, self.view.lines):
                self.top, self.sub = self.top + 1, 0
            else:
                break
            rows -= 1
        while rows < 0 and (self.top or self.sub):
            if self.sub:
                self.sub -= 1
            else:
                self.top -= 1
                self.sub = len(wrapped(self._cache.line(self.top) or "", width)) - 1
            rows += 1

    def _request_fill(self) -> None:
        self._fill_requested_again = True
        if self._filling is None or self._filling.done():
            self._filling = asyncio.get_running_loop().create_task(self._fill_requested())

    async def _fill_requested(self) -> None:
        # Who moved on meanwhile sees another part than the one that is just being read.
        while self._fill_requested_again:
            self._fill_requested_again = False
            await self.fill()

    def _file_changed(self) -> None:
        self._clamp_top()
        if self.view is not None and (self.view.follows or self._following_end):
            self.to_end()
        elif self._cache.line_count < self.size.height:
            self._request_fill()
        self._redraw()

    def _redraw(self) -> None:
        self._rows = None
        if self.is_mounted:
            self.refresh()
            self.post_message(self.Moved())
