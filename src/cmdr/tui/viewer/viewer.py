"""The viewer: one file over the whole screen, and searching in it; several can be open, and Tab goes round them."""

from __future__ import annotations

import asyncio
from enum import Enum, auto
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from cmdr.tui.input.key_forwarding import forward_to_front
from cmdr.tui.terminal.safe_text import shown
from cmdr.tui.viewer.file_rows import HEX_BYTES
from cmdr.tui.viewer.file_view import FileView
from cmdr.tui.widgets.lines import Bar
from cmdr.tui.windows.window import OverlayScreen

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


class SearchResult(Enum):
    """Where the text was."""

    AHEAD = auto()
    ROUND_THE_END = auto()
    NOWHERE = auto()


async def search(file: FileView, text: str, *, backwards: bool = False, regex: bool = False) -> SearchResult:
    """Go to the next place of a text. A new text may stand right here; the one before is looked for beyond."""
    view = file.view
    if view is None:
        return SearchResult.NOWHERE
    here = file.top * HEX_BYTES if file.hex else await view.offset_of(file.top)
    start = here
    if not backwards and file.needle == text:
        start = here + HEX_BYTES if file.hex else await view.offset_of(file.top + 1)
    file.needle = text
    where = SearchResult.AHEAD
    found = await view.find(text, start, backwards=backwards, regex=regex)
    if found is None and file.needle == text:
        where = SearchResult.ROUND_THE_END
        found = await view.find(text, view.size if backwards else 0, backwards=backwards, regex=regex)
    if found is not None:
        file.to(found[0] // HEX_BYTES if file.hex else await view.line_at(found[0]))
    await file.fill()
    return where if found is not None else SearchResult.NOWHERE


_LINES_ABOVE = 2
"""Lines shown before the one that is gone to."""
_KEYS = " F2 wrap  F4 hex  F5 line  F7 search  n/N next  F8 code  f follow  Esc closes "


class Viewer(OverlayScreen[None], inherit_bindings=False):
    """Title, file, keys."""

    DEFAULT_CSS = "Viewer { layout: vertical; } Viewer > Bar { height: 1; }"

    def __init__(self, path: bytes, terminal: TerminalApp, line: int | None = None, needle: str = "") -> None:
        """With a `line`, counted from 1, that is where it opens; what is looked for there is marked."""
        super().__init__()
        self.path = path
        self._line, self._needle = line, needle
        self._terminal = terminal
        appearance = terminal.appearance
        self.file = FileView(appearance, wrap=terminal.commander.settings.flag("advanced.viewer_wrap"))
        self._title = Bar(appearance, "title_active")
        self._bar = Bar(appearance, "bar")
        self._regex = False

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.file
        yield self._bar

    def on_mount(self) -> None:
        self._bar.say(_KEYS)
        self._title.say(self._named())
        self._laid_out = asyncio.Event()
        self.call_after_refresh(self._laid_out.set)
        self.run_update(self._open)

    def _named(self) -> str:
        folder, _, name = self.path.rpartition(b"/")
        return f" {shown(name)}   {shown(folder)}"

    async def _open(self) -> None:
        await self._laid_out.wait()  # an image is made for the size it has
        await self.file.open(self.path)
        if self._line is not None:
            self.file.needle = self._needle
            self.file.to(max(0, self._line - 1 - _LINES_ABOVE))
            return
        found = self._terminal.commander.editor.documents.selection()
        if found is not None and found.path == self.path:
            self.file.to(max(0, found.selection.start.line - 2))

    def on_file_view_moved(self, message: FileView.Moved) -> None:
        """Tell where we are."""
        message.stop()
        follows = "  following" if self.file.view is not None and self.file.view.follows else ""
        self._title.say(self._named(), f"{self.file.describe()}{follows} ")

    async def on_key(self, event: events.Key) -> None:
        if forward_to_front(self, event):
            return
        event.stop()
        event.prevent_default()
        self._bar.say(_KEYS)  # what was said about the last key has been read
        page = max(1, self.file.size.height - 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "space": page, "k": -1, "j": 1, "b": -page}
        match event.key:
            case "escape" | "f3" | "f10" | "q":
                self.dismiss(None)
            case key if key in moves:
                self.file.scroll_by(moves[key])
            case "home" | "g":
                self.file.to(0)
            case "end" | "G" | "upper_g":
                self.file.to_end()
            case "left":
                self.file.scroll_sideways(-8)
            case "right":
                self.file.scroll_sideways(8)
            case "f2" | "w":
                self.file.toggle_wrap()
            case "f4" | "h":
                await self.file.toggle_hex()
            case "f5":
                self._ask_line()
            case "f7" | "slash":
                self._ask_search()
            case "n" | "N" | "upper_n":
                self._search(self.file.needle, backwards=event.key != "n")
            case "f8" | "e":
                await self.file.next_encoding()
            case "f" if self.file.view is not None:
                self.file.view.follow(not self.file.view.follows)
                self.file.to_end()
            case "tab":
                self._next_viewer()

    def _ask_line(self) -> None:
        from cmdr.tui.windows.ask import Ask

        def go(text: str) -> None:
            if place := _number(text, 16 if self.file.hex else 10):
                self.file.to(place // HEX_BYTES if self.file.hex else place - 1)
            else:
                self.file.to(0)

        self._terminal.ask(Ask("Go to byte (0x10 or 10: hexadecimal)" if self.file.hex else "Go to line", ""), go)

    def _ask_search(self) -> None:
        from cmdr.tui.windows.ask import Ask

        window = Ask(
            "Search",
            self.file.needle,
            options=(("text", "text"), ("regex", "regular expression")),
            asks="Search for",
            select=(0, len(self.file.needle)),
            past=self._terminal.main.prompt_history["search"],
        )

        def go(text: str) -> None:
            self._regex = window.option == "regex"
            self.file.needle = ""
            self._search(text)

        self._terminal.ask(window, go)

    def _search(self, text: str, *, backwards: bool = False) -> None:
        if text:
            self.run_update(lambda: self._find(text, backwards))

    async def _find(self, text: str, backwards: bool) -> None:
        from cmdr.core.errors import CommandError

        self._bar.say(" Searching… Esc closes")
        try:
            found = await search(self.file, text, backwards=backwards, regex=self._regex)
        except CommandError as error:
            self._bar.say(f" {error}")
            return
        round_the_end = f" Went on from the {'end' if backwards else 'top'}: {text}"
        messages = {
            SearchResult.AHEAD: _KEYS,
            SearchResult.ROUND_THE_END: round_the_end,
            SearchResult.NOWHERE: f" Not found: {text}",
        }
        self._bar.say(messages[found])

    def _next_viewer(self) -> None:
        """The oldest viewer comes to the front; the workspace keeps the order, so agents see it too."""
        from cmdr.model.names import to_wire
        from cmdr.model.panes.workspace import DialogType

        viewers = self._terminal.commander.workspace.dialogs_of(DialogType.FILE_VIEWER)
        if len(viewers) > 1 and viewers[0].path is not None:
            self._terminal.main.enqueue(
                "dialog", {"action": "focus", "type": "file-viewer", "path": to_wire(viewers[0].path)}
            )


def _number(text: str, base: int) -> int:
    """A number as it was typed, or 0."""
    try:
        return max(0, int(text.strip(), base))
    except ValueError:
        return 0
