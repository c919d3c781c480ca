"""An open document: its text, selection and unsaved changes, and the exact bytes that saving it writes."""

from dataclasses import dataclass, replace

from cmdr.model.lines import common_start, line_count
from cmdr.model.text_format import FileText, TextFormat, write_text
from cmdr.model.text_selection import TextIndex, TextSelection

_UNDO_CHARACTERS = 16_000_000
"""How much text undo remembers in one buffer; the oldest steps go first."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One edit that can be taken back: `removed` stood at `offset`, `inserted` stands there now."""

    offset: int
    removed: str
    inserted: str
    before: int
    """The revision this step began from."""
    selection: TextSelection

    @property
    def cost(self) -> int:
        return len(self.removed) + len(self.inserted) + 64


class Buffer:
    """One open document. Everything it holds changes only through its methods."""

    def __init__(self, path: bytes, file: FileText, *, language_id: str = "plaintext", new: bool = False) -> None:
        """`new` is for a document that does not stand on disk yet."""
        self.path = path
        self.language_id = language_id
        self._text = file.text
        self._format = file.format
        self.disk_digest: str | None = None if new else file.digest
        """SHA-256 of the file as last read or saved; None while there is no file."""
        self._selection = TextSelection()
        self._index: TextIndex | None = None
        self._revision = 0
        self._newest = 0
        self._saved: int | None = 0
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []

    @property
    def text(self) -> str:
        """The text as it stands, lines ended with `\\n`."""
        return self._text

    @property
    def format(self) -> TextFormat:
        """How it is stored."""
        return self._format

    @property
    def revision(self) -> int:
        """Names this very text: undo and redo bring an earlier revision back."""
        return self._revision

    @property
    def dirty(self) -> bool:
        """Whether it differs from what was last read or saved."""
        return self._revision != self._saved

    @property
    def line_count(self) -> int:
        """How many lines an editor shows."""
        return line_count(self._text)

    @property
    def has_final_newline(self) -> bool:
        """Whether the last line is ended."""
        return self._text.endswith("\n")

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

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return bool(self._redo)

    def select(self, selection: TextSelection) -> None:
        """Select; what lies outside the text is taken to its nearest place."""
        self._selection = self.index.clamped(selection)

    def edit(self, selection: TextSelection, text: str, *, join: bool = False) -> None:
        """Replace a part of the text and put the cursor behind it; `join` makes typing one step for undo."""
        start, end = self.index.offset_at(selection.start), self.index.offset_at(selection.end)
        before = self._undo[-1] if self._undo else None
        self._apply(start, self._text[start:end], text)
        if join and before is not None:
            self._join(before)

    def replace_text(self, text: str) -> None:
        """Replace the whole text, remembering only what differs between the two."""
        start = common_start(self._text, text)
        tail = common_start(self._text[start:][::-1], text[start:][::-1])
        self._apply(start, self._text[start : len(self._text) - tail], text[start : len(text) - tail])

    def undo(self) -> bool:
        """Take the last step back; False when there is none."""
        if not self._undo:
            return False
        step = self._undo.pop()
        after = self._revision
        self._splice(step.offset, step.inserted, step.removed)
        self._redo.append(_Step(step.offset, step.removed, step.inserted, after, self._selection))
        self._revision = step.before
        self._selection = step.selection
        return True

    def redo(self) -> bool:
        """Do the last undone step again; False when there is none."""
        if not self._redo:
            return False
        step = self._redo.pop()
        self._undo.append(_Step(step.offset, step.removed, step.inserted, self._revision, self._selection))
        self._splice(step.offset, step.removed, step.inserted)
        self._revision = step.before
        self._cursor_behind(step.offset + len(step.inserted))
        return True

    def content(self) -> bytes:
        """The exact bytes to write: encoding, byte order mark, line ends and final newline as they were."""
        return write_text(self._text, self._format)

    def saved(self, digest: str, revision: int | None = None) -> None:
        """Note that the bytes of a revision (default: this one) now stand on disk."""
        self.disk_digest = digest
        self._saved = self._revision if revision is None else revision

    def reload(self, file: FileText) -> None:
        """Take what stands on disk now as one step that undo takes back; the selection stays where it can."""
        selection = self._selection
        if file.text != self._text:
            self.replace_text(file.text)
            self.select(selection)
        self._format = file.format
        self.saved(file.digest)

    def _apply(self, offset: int, removed: str, inserted: str) -> None:
        if removed == inserted:
            self._cursor_behind(offset + len(inserted))
            return
        self._undo.append(_Step(offset, removed, inserted, self._revision, self._selection))
        self._redo.clear()
        self._newest += 1
        self._revision = self._newest
        self._splice(offset, removed, inserted)
        self._cursor_behind(offset + len(inserted))
        self._forget_oldest()

    def _join(self, before: _Step) -> None:
        """Make the last step one with the step before it when it inserted right behind that."""
        last = self._undo[-1]
        behind = last.offset == before.offset + len(before.inserted) and not last.removed
        # A saved text stays a step of its own, so that undo can return to it.
        if behind and len(self._undo) > 1 and self._undo[-2] is before and last.before != self._saved:
            self._undo[-2:] = [replace(before, inserted=before.inserted + last.inserted)]

    def _splice(self, offset: int, removed: str, inserted: str) -> None:
        self._text = self._text[:offset] + inserted + self._text[offset + len(removed) :]
        self._index = None

    def _cursor_behind(self, offset: int) -> None:
        place = self.index.position_at(offset)
        self._selection = TextSelection(place, place)

    def _forget_oldest(self) -> None:
        kept = sum(step.cost for step in self._undo)
        drop = 0
        while kept > _UNDO_CHARACTERS and drop < len(self._undo) - 1:
            kept -= self._undo[drop].cost
            drop += 1
        del self._undo[:drop]
