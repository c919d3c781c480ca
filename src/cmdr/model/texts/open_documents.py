"""The documents that are open, which of them is in front, and the selection that was last made in any of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.model.texts.buffer import Buffer
from cmdr.model.texts.text_selection import TextSelection


@dataclass(frozen=True, slots=True)
class LatestSelection:
    """A selection as it was when it was made; the document may have changed or closed since."""

    path: bytes
    text: str
    selection: TextSelection


class OpenDocuments:
    """Open documents in the order they were opened, by path."""

    def __init__(self) -> None:
        self._buffers: dict[bytes, Buffer] = {}
        self._active: bytes | None = None
        self.latest_selection: LatestSelection | None = None

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
        self.latest_selection = LatestSelection(path, buffer.selected_text, buffer.selection)

    def close(self, path: bytes) -> Buffer | None:
        """Close a document; the one opened last before it comes to the front."""
        buffer = self._buffers.pop(path, None)
        if path == self._active:
            self._active = next(reversed(self._buffers), None)
        return buffer
