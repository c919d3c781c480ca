"""Edits given as `old` text to find and `new` text to put there, as agents send them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the one place where `old` stands by `new`; an empty `old` fills an empty file."""

    old: str
    new: str


class EditNotFoundError(ValueError):
    """Raised when the text to replace does not stand in the file."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Edit {number}: its old text does not stand in the file; read the file again and copy it.")
        self.number = number


class AmbiguousEditError(ValueError):
    """Raised when the text to replace stands in more than one place."""

    def __init__(self, number: int, places: int) -> None:
        super().__init__(f"Edit {number}: its old text stands in {places} places; add lines around it.")
        self.number = number
        self.places = places


def apply_edits(text: str, edits: Sequence[TextEdit], numbers: Sequence[int] | None = None) -> str:
    """The text after all edits, each on the outcome of those before it.

    `numbers` are what errors call them, where they are some of many; else they count from 1.
    """
    for number, edit in zip(numbers or range(1, len(edits) + 1), edits, strict=True):
        if not edit.old:
            if text:
                raise AmbiguousEditError(number, len(text) + 1)
            text = edit.new
            continue
        start = text.find(edit.old)
        if start < 0:
            raise EditNotFoundError(number)
        # Overlapping places count too, so the search goes on one character further.
        if text.find(edit.old, start + 1) >= 0:
            raise AmbiguousEditError(number, _places(text, edit.old))
        text = text[:start] + edit.new + text[start + len(edit.old) :]
    return text


def _places(text: str, part: str) -> int:
    count = 0
    at = text.find(part)
    while at >= 0 and count < 1000:
        count += 1
        at = text.find(part, at + 1)
    return count
