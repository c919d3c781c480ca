"""The part of a file that is seen, and a little around it: lines of text, or bytes."""

from rich.segment import Segment
from rich.style import Style

from cmdr.core.panes.viewing import OpenView
from cmdr.tui.file_rows import HEX_BYTES, hex_row, line_text

_AROUND = 2
"""Pages that are read ahead and behind."""


class FileStore:
    """Filled in threads as one moves; drawing takes from it and never waits."""

    def __init__(self) -> None:
        self._lines: dict[int, str] = {}
        self._data = b""
        self._data_at = 0
        self._digits = 8

    def clear(self) -> None:
        """Nothing is known any more."""
        self._lines.clear()
        self._data = b""

    async def fill(self, view: OpenView, top: int, height: int, *, as_bytes: bool) -> None:
        """Read the page that begins at a line, or at a row of bytes, and those around it."""
        if as_bytes:
            self._data_at = max(0, top - height) * HEX_BYTES
            self._digits = max(8, len(f"{view.size:x}"))
            self._data = await view.bytes(self._data_at, height * 3 * HEX_BYTES)
        else:
            first = max(0, top - _AROUND * height)
            lines = await view.text(first, (2 * _AROUND + 1) * height)
            self._lines = {first + place: line_text(line) for place, line in enumerate(lines)}

    @property
    def line_count(self) -> int:
        """How many lines are here."""
        return len(self._lines)

    def line(self, number: int) -> str | None:
        """A line, or None where it is not here."""
        return self._lines.get(number)

    def hex_line(self, row: int, ink: dict[str, Style]) -> list[Segment]:
        """A row of bytes as it is drawn; empty where they are not here."""
        at = row * HEX_BYTES - self._data_at
        data = self._data[at : at + HEX_BYTES] if at >= 0 else b""
        if not data:
            return []
        place, numbers, letters = hex_row(row * HEX_BYTES, data, self._digits)
        return [Segment(place, ink["dim"]), Segment(numbers, ink["base"]), Segment(letters, ink["text"])]
