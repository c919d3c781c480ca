"""Lines, positions and selections in a text, as editors name them: lines from 0, columns in UTF-16 units."""

import io
from bisect import bisect_right
from dataclasses import dataclass
from functools import total_ordering


def split_lines(text: str) -> list[str]:
    """The lines with their ends; a line ends at `\\n` only, so joining them gives the text back exactly."""
    # str.splitlines would also cut at form feeds, U+2028 and others, which editors and tools show inside a line.
    return list(io.StringIO(text, newline="\n"))


def line_ending(line: str) -> str:
    """`\\r\\n`, `\\n`, or nothing on a last line without one."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def line_body(line: str) -> str:
    """The line without its end."""
    ending = line_ending(line)
    return line[: -len(ending)] if ending else line


def line_count(text: str) -> int:
    """How many lines an editor shows: one more than there are line ends."""
    return text.count("\n") + 1


def common_start(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning; halves the range instead of walking it."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@total_ordering
@dataclass(frozen=True, slots=True)
class Position:
    """A place between two characters."""

    line: int = 0
    character: int = 0
    """In UTF-16 units: a character outside the basic plane, such as most emoji, counts two."""

    def __lt__(self, other: "Position") -> bool:
        return (self.line, self.character) < (other.line, other.character)


@dataclass(frozen=True, slots=True)
class TextSelection:
    """What is selected; start and end are in order, equal for a bare cursor."""

    start: Position = Position()
    end: Position = Position()

    def __post_init__(self) -> None:
        if self.end < self.start:
            start, end = self.end, self.start
            object.__setattr__(self, "start", start)
            object.__setattr__(self, "end", end)

    @property
    def is_empty(self) -> bool:
        """Whether it is only a cursor."""
        return self.start == self.end


def utf16_length(text: str) -> int:
    """How many UTF-16 units the text takes."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_column(line: str, index: int) -> int:
    """The UTF-16 column of a character index in a line."""
    return utf16_length(line[:index])


def character_index(line: str, column: int) -> int:
    """The character index of a UTF-16 column: inside a pair its beginning, beyond the line its end."""
    if column <= 0:
        return 0
    if line.isascii():
        return min(column, len(line))
    units = 0
    for index, char in enumerate(line):
        units += 2 if char > "\uffff" else 1
        if units > column:
            return index
    return len(line)


class TextIndex:
    """Where the lines of one text begin, to turn positions into offsets and back without reading it again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    @property
    def line_count(self) -> int:
        """How many lines an editor shows."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """A line without its end."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return line_body(self.text[start:end])

    def offset_at(self, position: Position) -> int:
        """The character offset of a position; one outside the text is taken to its nearest place."""
        if position.line < 0:
            return 0
        if position.line >= len(self._starts):
            return len(self.text)
        return self._starts[position.line] + character_index(self.line(position.line), position.character)

    def position_at(self, offset: int) -> Position:
        """The position of a character offset; between `\\r` and `\\n` it is the end of the line."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, utf16_column(self.line(line), offset - self._starts[line]))

    def selected(self, selection: TextSelection) -> str:
        """The selected text."""
        return self.text[self.offset_at(selection.start) : self.offset_at(selection.end)]

    def clamped(self, selection: TextSelection) -> TextSelection:
        """The selection with both ends inside the text."""
        return TextSelection(
            self.position_at(self.offset_at(selection.start)), self.position_at(self.offset_at(selection.end))
        )


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
