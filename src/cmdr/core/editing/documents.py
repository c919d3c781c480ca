"""The documents open in cmdr itself, and the files and lines that the person mentions to a coding agent."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass

from cmdr.core.admission.quotas import check_windows
from cmdr.core.editing.text_files import load_text
from cmdr.core.events import Events
from cmdr.editor.languages import language_of
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.model.texts.buffer import Buffer, OpenDocuments, OpenedDocument, SelectedText, ShownDocument
from cmdr.model.texts.text_format import FileText
from cmdr.model.texts.text_selection import Position, TextSelection, find_range, utf16_column

Save = Callable[[], "asyncio.Future[bool]"]


class Documents:
    """Viewers are documents nobody changes; an editor window holds its document and tells what is typed."""

    def __init__(self, workspace: Workspace, events: Events) -> None:
        self._workspace = workspace
        self._events = events
        self._open = OpenDocuments()
        self._held: dict[bytes, Save] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_selection(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever something else is selected; returns how to stop."""
        self._listeners.append(call)
        return lambda: self._listeners.remove(call)

    def hold(self, path: bytes, file: FileText, save: Save) -> Buffer:
        """The person edits a file; `save` is how its window saves it."""
        path = os.path.realpath(path)
        buffer = Buffer(path, file.text, language_id=language_of(path, file.text.partition("\n")[0]))
        self._open.add(buffer)
        self._held[path] = save
        return buffer

    def release(self, buffer: Buffer) -> None:
        """The editor window is gone."""
        if self._open.get(buffer.path) is buffer:
            self._held.pop(buffer.path, None)
            self._open.close(buffer.path)

    def typed(self, buffer: Buffer, text: str) -> None:
        """The document's text is another one now."""
        if text != buffer.text:
            buffer.replace_text(text)

    def selected(self, buffer: Buffer, text: str, start: tuple[int, int], end: tuple[int, int]) -> None:
        """The person selects in a document; places as line and character index."""
        self.typed(buffer, text)  # the window tells its selection before it tells what was typed
        if self._open.get(buffer.path) is buffer:
            self._open.bring_to_front(buffer.path)
            self._open.select(buffer.path, TextSelection(_place(buffer, start), _place(buffer, end)))
            self._tell()

    async def open_file(
        self, path: bytes, by: str, start: str | None, end: str | None, *, to_end_of_line: bool, front: bool
    ) -> OpenedDocument:
        """Open a file for the person to look at, and select what the texts name."""
        if path not in self._held and not self._viewers(path):
            check_windows(self._workspace, by)
        buffer = self._open.get(path)
        if buffer is None:
            loaded = await load_text(path)
            buffer = Buffer(path, loaded.text, language_id=language_of(path, loaded.text.partition("\n")[0]))
            self._open.add(buffer, front=front)
        elif front:
            self._open.bring_to_front(path)
        found = find_range(buffer.index, start, end, to_end_of_line=to_end_of_line)
        if found.selection is not None:
            self._open.select(path, found.selection)
            self._tell()
        if path not in self._held and not self._viewers(path):
            self._workspace.open_dialog(DialogType.FILE_VIEWER, by, path=path)
            self._events.changed()
        return OpenedDocument(path, buffer.language_id, buffer.line_count, found.message or "")

    def close_shown(self, named: str) -> None:
        """Close the documents that are only looked at, by path or by name; one that is being edited is the person's."""
        shown = self._workspace.dialogs_of(DialogType.FILE_VIEWER)
        closed = [
            one for one in shown if one.path and named in (to_wire(one.path), to_wire(os.path.basename(one.path)))
        ]
        for dialog in closed:
            self._workspace.close_dialog(dialog)
        if closed:
            self._events.changed()
        self._drop_closed()

    def text_of(self, path: bytes) -> str | None:
        """The text of an open document, unsaved changes included."""
        buffer = self._current(path)
        return None if buffer is None else buffer.text

    def selection(self) -> SelectedText | None:
        """What is selected in the document in front."""
        self._drop_closed()
        buffer = self._open.active
        return None if buffer is None else SelectedText(buffer.path, buffer.selected_text, buffer.selection)

    def latest_selection(self) -> SelectedText | None:
        """What was last selected anywhere, also in a document that has closed since."""
        return self._open.latest_selection

    def shown(self) -> list[ShownDocument]:
        """Every open document."""
        self._drop_closed()
        active = self._open.active
        shown = {
            buffer.path: ShownDocument(buffer.path, buffer.language_id, buffer is active, buffer.dirty)
            for buffer in self._open
        }
        for dialog in self._workspace.dialogs_of(DialogType.FILE_VIEWER):
            if dialog.path is not None and dialog.path not in shown:
                shown[dialog.path] = ShownDocument(dialog.path, language_of(dialog.path), False, False)
        return list(shown.values())

    def is_dirty(self, path: bytes) -> bool | None:
        """Whether a document has unsaved changes; None when it is not open."""
        buffer = self._current(path)
        if buffer is not None:
            return buffer.dirty
        return False if self._viewers(path) else None

    async def save(self, path: bytes) -> bool | None:
        """Save a document as its window would; None when it is not open."""
        if path in self._held:
            return await self._held[path]()
        return None if self.is_dirty(path) is None else True

    def _tell(self) -> None:
        for call in list(self._listeners):
            call()

    def _current(self, path: bytes) -> Buffer | None:
        self._drop_closed()
        return self._open.get(path)

    def _drop_closed(self) -> None:
        """A viewer that was closed anywhere takes its document with it."""
        for buffer in self._open:
            if buffer.path not in self._held and not self._viewers(buffer.path):
                self._open.close(buffer.path)

    def _viewers(self, path: bytes) -> bool:
        return any(dialog.path == path for dialog in self._workspace.dialogs_of(DialogType.FILE_VIEWER))


def _place(buffer: Buffer, place: tuple[int, int]) -> Position:
    line = min(place[0], buffer.index.line_count - 1)
    return Position(line, utf16_column(buffer.index.line(line), place[1]))


@dataclass(frozen=True, slots=True)
class Mention:
    """A file, or some of its lines, counted from 0, the last one included."""

    path: bytes
    first: int | None = None
    last: int | None = None


Listener = Callable[[Mention], bool]
"""Passes a mention on; whether anybody heard it."""


class Mentions:
    """Whoever is connected as an editor's client hears of them."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear every mention; returns how to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, mention: Mention) -> bool:
        """Point at something; whether anybody heard it."""
        return sum(listener(mention) for listener in self._listeners) > 0
