"""An open document: its text, what is selected in it, and whether it differs from the file."""

from cmdr.model.texts.lines import common_start, line_count
from cmdr.model.texts.text_selection import TextIndex, TextSelection


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
