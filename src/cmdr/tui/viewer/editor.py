"""Editing files: small text in the built-in editor, saved by the operation engine, the rest in the person's own."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.widgets import TextArea
from textual.widgets.text_area import Document, Selection

from cmdr.core.editing.text_files import load_text
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.invisible_chars import INVISIBLE
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import extension
from cmdr.model.results.app import Saved
from cmdr.model.texts.text_format import FileText
from cmdr.tui.input.key_forwarding import edits_text, forward_to_front
from cmdr.tui.terminal.foreground import run_in_foreground, run_suspended
from cmdr.tui.terminal.safe_text import shown
from cmdr.tui.widgets.lines import Bar
from cmdr.tui.widgets.text_fields import TextBox
from cmdr.tui.windows.window import OverlayScreen

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


async def edit(terminal: TerminalApp, path: bytes, line: int = 1) -> None:
    """Open the right editor; the one in here at a line."""
    settings = terminal.commander.settings
    chosen = settings.text("advanced.editor")
    if chosen:
        await edit_outside(terminal, path, chosen)
        return
    try:
        file = await load_text(path, settings.number("advanced.editor_limit_kib") * 1024)
    except CommandError as error:
        await _elsewhere(terminal, path, str(error))
        return
    if INVISIBLE.search(file.text):
        await _elsewhere(terminal, path, "The file holds characters that cannot be seen.")
        return

    terminal.push_screen(Editor(path, file, terminal, line))


async def _elsewhere(terminal: TerminalApp, path: bytes, why: str) -> None:
    if not await in_thread(os.access, path, os.R_OK):
        terminal.main.show_message(why, bad=True)
        return
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if editor:
        await edit_outside(terminal, path, editor)
    else:
        terminal.main.show_message(f"{why} Set $EDITOR to edit it, or view it with F3.", bad=True)


async def edit_outside(terminal: TerminalApp, path: bytes, editor: str) -> None:
    """Give the terminal to an editor; agents are served meanwhile."""
    try:
        # The path is absolute, so it never looks like an option; not every editor knows `--`.
        argv = [*shlex.split(editor), os.fsdecode(path)]
    except ValueError:
        terminal.main.show_message(f"The editor setting cannot be read: {editor}", bad=True)
        return
    await run_suspended(terminal, lambda: run_in_foreground(argv))


class Place(NamedTuple):
    """Where words stand in a text, and whether the search went round its end."""

    start: int
    end: int
    went_round: bool


def next_place(text: str, words: str, after: int) -> Place | None:
    """The next place of some words; small letters match capitals too."""
    pattern = re.compile(re.escape(words), re.NOFLAG if words != words.lower() else re.IGNORECASE)
    ahead = pattern.search(text, after)
    found = ahead or pattern.search(text)
    return None if found is None or not words else Place(found.start(), found.end(), went_round=ahead is None)


def go_to_next(area: TextArea, words: str) -> Place | None:
    """Select the next place behind the cursor and bring it into view."""
    document = area.document
    assert isinstance(document, Document)
    found = next_place(area.text, words, document.get_index_from_location(max(area.selection)))
    if found is not None:
        start, end = document.get_location_from_index(found.start), document.get_location_from_index(found.end)
        area.selection = Selection(start, end)
        area.scroll_cursor_visible(center=True)
    return found


HIGHLIGHT_LINES = 1000
"""Above this, colouring would cost more time per key than a person can bear."""
_LANGUAGES = {
    b"py": "python", b"md": "markdown", b"json": "json", b"toml": "toml", b"yaml": "yaml", b"yml": "yaml",
    b"html": "html", b"css": "css", b"js": "javascript", b"rs": "rust", b"go": "go", b"sql": "sql", b"java": "java",
    b"sh": "bash", b"bash": "bash", b"xml": "xml",
}  # fmt: skip
_KEYS = " F2 save   F7 search   Shift+F7 again   Ctrl+Z undo   Ctrl+Y redo   Esc closes "
_NO_COLOURS = " F2 save   F7 search   Esc closes   (colours need cmdr-fm[syntax]: cmdr doctor) "


class TextScreen(OverlayScreen[None], inherit_bindings=False):
    """A text to edit over the whole screen, between a title and a line of keys."""

    DEFAULT_CSS = """
    TextScreen { layout: vertical; }
    TextScreen > Bar { height: 1; }
    TextScreen > TextBox { height: 1fr; border: none; padding: 0; }
    TextScreen > TextBox:focus { border: none; }
    """

    def __init__(self, text: str, keys: str, terminal: TerminalApp) -> None:
        super().__init__()
        self._terminal = terminal
        self._keys = keys
        self._title = Bar(terminal.appearance, "title_active")
        self._bar = Bar(terminal.appearance, "bar")
        self.area = TextBox(text, show_line_numbers=True, tab_behavior="indent", soft_wrap=False)

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.area
        yield self._bar

    def on_mount(self) -> None:
        self.area.theme = (
            "css" if self.app.native_ansi_color else "vscode_dark" if self.app.current_theme.dark else "github_light"
        )
        self.area.focus()
        self._bar.say(self._keys)


class Editor(TextScreen, inherit_bindings=False):
    """One file. Closing a changed one asks first."""

    def __init__(self, path: bytes, file: FileText, terminal: TerminalApp, line: int = 1) -> None:
        super().__init__(file.text, _KEYS, terminal)
        self._path = path
        self._line = line
        self._file = file
        lines = file.text.count("\n") + 1
        self._language = _LANGUAGES.get(extension(path.rpartition(b"/")[2])) if lines <= HIGHLIGHT_LINES else None
        self._words = ""
        """What was looked for last."""
        documents = terminal.commander.editor.documents
        self._buffer = documents.hold(path, file, lambda: asyncio.ensure_future(self.save()))

    def on_unmount(self) -> None:
        self._terminal.commander.editor.documents.release(self._buffer)

    def on_mount(self) -> None:
        """Colour what is written in a language that is known, or say how that is had."""
        if self._language in self.area.available_languages and not self.app.native_ansi_color:
            if importlib.util.find_spec("tree_sitter") is not None:
                self.area.language = self._language
            else:
                self._keys = _NO_COLOURS
        if self._line > 1:
            self.area.move_cursor((self._line - 1, 0), center=True)
        self._tell()

    @property
    def dirty(self) -> bool:
        """Whether there is something to save."""
        return self.area.text != self._file.text

    def on_text_area_changed(self) -> None:
        """The mark follows the text."""
        self._terminal.commander.editor.documents.typed(self._buffer, self.area.text)
        self._tell()

    def on_text_area_selection_changed(self) -> None:
        """Tell the place."""
        start, end = self.area.selection
        self._terminal.commander.editor.documents.selected(self._buffer, self.area.text, start, end)
        self._tell()

    async def on_key(self, event: events.Key) -> None:
        if forward_to_front(self, event):
            return
        if event.key in ("f2", "ctrl+s"):
            event.stop()
            self.run_update(self._save)
        elif event.key in ("f7", "ctrl+f"):
            event.stop()
            self._ask_words()
        elif event.key in ("shift+f7", "f3"):
            event.stop()
            self._search(self._words)
        elif event.key == "alt+m":
            event.stop()
            self._mention()
        elif event.key in ("f10", "escape"):
            event.stop()
            self._close()
        elif self._terminal.keys.actions.get(event.key) == "quit":
            event.stop()
            self._terminal.main.act("quit")

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What decides waits until the text is saved; going on to write does not."""
        return None if edits_text(event) else self.up_to_date

    def _ask_words(self) -> None:
        from cmdr.tui.windows.ask import Ask

        words = self._words
        past = self._terminal.main.prompt_history["search"]
        self._terminal.ask(Ask("Search", words, select=(0, len(words)), past=past), self._search)

    def _search(self, words: str) -> None:
        if not words:
            self._ask_words()
            return
        self._words = words
        found = go_to_next(self.area, words)
        message = _KEYS if found is not None else f" Not found: {words}"
        self._bar.say(f" Went on from the top: {words}" if found is not None and found.went_round else message)

    def _mention(self) -> None:
        """Point the coding agent at the selected lines."""
        start, end = sorted(self.area.selection)
        lines = {"first": start[0] + 1, "last": end[0] + 1} if start != end else {}
        self._terminal.main.enqueue(
            "mention",
            {"path": to_wire(self._path), **lines},
            done=lambda answer: self._bar.say(f" {answer} "),
        )

    async def save(self) -> bool:
        """Write the text back; whether that went well."""
        text = self.area.text
        answer = await self._terminal.main.queue.ask(
            "text.save", {"path": to_wire(self._path), "text": text, "digest": self._file.digest}
        )
        if answer is None:
            self._bar.say(f" {self._terminal.main.status.message}")
            return False
        if isinstance(answer.result, Saved):
            self._file = FileText(text, self._file.format, answer.result.digest)
        self._buffer.saved(text)
        self._bar.say(" Saved ")
        self._tell()
        return True

    def _close(self) -> None:
        if not self.dirty:
            self.dismiss(None)
            return
        from cmdr.tui.windows.choose import Choice, Choose

        choices = [
            Choice("save", "Save and close"),
            Choice("stay", "Go on editing"),
            Choice("drop", "Close without saving"),
        ]
        self._terminal.ask(Choose("The text has changed", choices), self._answered)

    def _answered(self, answer: str) -> None:
        if answer == "save":
            self.run_update(self._save_and_close)
        elif answer == "drop":
            self.dismiss(None)

    async def _save(self) -> None:
        await self.save()

    async def _save_and_close(self) -> None:
        if await self.save():
            self.dismiss(None)

    def _tell(self) -> None:
        line, column = self.area.cursor_location
        mark = "* " if self.dirty else ""
        folder, _, name = self._path.rpartition(b"/")
        self._title.say(
            f" {mark}{shown(name)}   {shown(folder)}", f"{line + 1}:{column + 1}  {self._file.format.encoding} "
        )
