"""What can be told about open documents, whichever editor holds them."""

from dataclasses import dataclass

from cmdr.model.texts.text_selection import TextSelection


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
