"""An open document with its selection and unsaved changes, and all documents that are open."""

from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.model.texts.text_selection import TextIndex, TextSelection, common_start, line_count


class Buffer:
    """One open document. Everything it holds changes only through its methods."""

    def __init__(self, path: bytes, text: str, *, language_id: str = "plaintext") -> None:
        self.path = path
        self.language_id = language_id
        self._text = text
        self._saved = text
        self._selection = TextSelection()
        self._index: TextIndex | None = None

    @property
    def text(self) -> str:
        """The text as it stands, lines ended with `\\n`."""
        return self._text

    @property
    def dirty(self) -> bool:
        """Whether it differs from what was last read or saved."""
        return self._text != self._saved

    @property
    def line_count(self) -> int:
        """How many lines an editor shows."""
        return line_count(self._text)

    @property
    def index(self) -> TextIndex:
        """Positions and offsets of the text as it stands."""
        if self._index is None:
            self._index = TextIndex(self._text)
        return self._index

    @property
    def selection(self) -> TextSelection:
        """What is selected, always inside the text."""
        return self._selection

    @property
    def selected_text(self) -> str:
        """The text that is selected."""
        return self.index.selected(self._selection)

    def select(self, selection: TextSelection) -> None:
        """Select; what lies outside the text is taken to its nearest place."""
        self._selection = self.index.clamped(selection)

    def replace_text(self, text: str) -> None:
        """Take another text; the cursor goes behind what differs between the two."""
        start = common_start(self._text, text)
        tail = common_start(self._text[start:][::-1], text[start:][::-1])
        self._text = text
        self._index = None
        place = self.index.position_at(len(text) - tail)
        self._selection = TextSelection(place, place)

    def saved(self, text: str) -> None:
        """Note that this text stands on disk; what was typed while it was written stays unsaved."""
        self._saved = text


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One open document."""

    path: bytes
    language_id: str
    active: bool
    dirty: bool


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document that was opened just now."""

    path: bytes
    language_id: str
    line_count: int
    message: str = ""
    """What was not found in it, or nothing."""


@dataclass(frozen=True, slots=True)
class SelectedText:
    """What is selected, or where the cursor stands."""

    path: bytes
    text: str
    selection: TextSelection


class OpenDocuments:
    """Open documents in the order they were opened, by path."""

    def __init__(self) -> None:
        self._buffers: dict[bytes, Buffer] = {}
        self._active: bytes | None = None
        self.latest_selection: SelectedText | None = None

    def __iter__(self) -> Iterator[Buffer]:
        return iter(list(self._buffers.values()))

    def __len__(self) -> int:
        return len(self._buffers)

    @property
    def active(self) -> Buffer | None:
        """The document in front."""
        return None if self._active is None else self._buffers[self._active]

    def get(self, path: bytes) -> Buffer | None:
        """The open document of this path."""
        return self._buffers.get(path)

    def add(self, buffer: Buffer, *, front: bool = True) -> None:
        """Open a document, in front unless told otherwise; one of the same path is replaced."""
        self._buffers[buffer.path] = buffer
        if front or self._active is None:
            self._active = buffer.path

    def bring_to_front(self, path: bytes) -> None:
        """Show an open document."""
        if path in self._buffers:
            self._active = path

    def select(self, path: bytes, selection: TextSelection) -> None:
        """Select in an open document and remember it as the latest selection."""
        buffer = self._buffers.get(path)
        if buffer is None:
            return
        buffer.select(selection)
        self.latest_selection = SelectedText(path, buffer.selected_text, buffer.selection)

    def close(self, path: bytes) -> Buffer | None:
        """Close a document; the one opened last before it comes to the front."""
        buffer = self._buffers.pop(path, None)
        if path == self._active:
            self._active = next(reversed(self._buffers), None)
        return buffer
