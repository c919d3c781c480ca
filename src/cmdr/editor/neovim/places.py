"""Places as Neovim counts them, columns in bytes of UTF-8, and as everyone else does."""

from collections.abc import Sequence

from cmdr.model.texts.text_selection import Position, character_index, utf16_column


def index_of_byte(line: str, column: int) -> int:
    """The character index of a byte column; inside a character its beginning, beyond the line its end."""
    # Bytes that are no UTF-8 come from Neovim as escapes, one for each byte.
    content = line.encode("utf-8", "surrogateescape")
    while 0 < column < len(content) and content[column] & 0xC0 == 0x80:
        column -= 1
    return len(content[: max(column, 0)].decode("utf-8", "surrogateescape"))


def position_of_byte(number: int, column: int, line: str) -> Position:
    """A position for the byte column of a line."""
    return Position(number, utf16_column(line, index_of_byte(line, column)))


def byte_of_position(position: Position, lines: Sequence[str]) -> tuple[int, int]:
    """The line and byte column of a position."""
    number = min(max(position.line, 0), max(len(lines) - 1, 0))
    line = lines[number] if lines else ""
    before = line[: character_index(line, position.character)]
    return number, len(before.encode("utf-8", "surrogateescape"))
