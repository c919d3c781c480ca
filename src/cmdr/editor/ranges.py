"""What `openFile` selects: from the first match of one text to the first match of another."""

from dataclasses import dataclass

from cmdr.model.texts.text_selection import TextIndex, TextSelection


@dataclass(frozen=True, slots=True)
class FoundRange:
    """The selection to make, or one sentence why there is none."""

    selection: TextSelection | None = None
    message: str | None = None


def find_range(
    index: TextIndex, start_text: str | None = None, end_text: str | None = None, *, to_end_of_line: bool = False
) -> FoundRange:
    """Select from the first `start_text` through the first `end_text` at or after it, or to the end of that line.

    Without `end_text` the first match itself is selected. A text that does not occur selects nothing: the file still
    opens, and the message says what was not found.
    """
    text = index.text
    first, last = _plain(start_text), _plain(end_text)
    if not first and not last:
        return FoundRange()
    start = text.find(first or last)
    if start < 0:
        return FoundRange(message=f"{'startText' if first else 'endText'} was not found in the file.")
    end = start + len(first or last)
    if first and last:
        found = text.find(last, start)
        if found < 0:
            return FoundRange(message="endText was not found after startText.")
        end = max(end, found + len(last))
    if to_end_of_line:
        newline = text.find("\n", end)
        end = len(text) if newline < 0 else newline
    return FoundRange(TextSelection(index.position_at(start), index.position_at(end)))


def _plain(text: str | None) -> str:
    """Lines inside end with `\\n`, however the caller wrote them."""
    return (text or "").replace("\r\n", "\n")
