"""What a file view draws: lines of text wrapped or cut, rows of bytes, images, and the cache they come from."""

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from cmdr.core.panes.viewer import OpenView, Pixel
from cmdr.tui.terminal.safe_text import printable, width_of

TAB = 8
HEX_BYTES = 16
"""Bytes that stand in one row."""


def line_text(line: str) -> str:
    """A line with its tabs spread out and everything that is not printable made visible."""
    if "\t" in line:
        line = line.expandtabs(TAB)
    return printable(line)


def wrapped(text: str, width: int) -> list[str]:
    """A line cut into rows of at most so many cells; an empty line is one row."""
    if width <= 0 or width_of(text) <= width:
        return [text]
    rows = []
    if text.isascii():
        return [text[at : at + width] for at in range(0, len(text), width)]
    row, used = "", 0
    for char in text:
        cells = width_of(char)
        if used + cells > width:
            rows.append(row)
            row, used = "", 0
        row += char
        used += cells
    return [*rows, row]


def sliced(text: str, start: int, width: int) -> str:
    """The part of a line that is seen when it is moved sideways."""
    if text.isascii():
        return text[start : start + width]
    used, part = 0, ""
    for char in text:
        cells = width_of(char)
        if used >= start:
            if used + cells > start + width:
                break
            part += char
        used += cells
    return part


def hex_row(offset: int, data: bytes, digits: int = 8) -> tuple[str, str, str]:
    """Sixteen bytes: where they are, as numbers, as letters."""
    numbers = " ".join(f"{byte:02x}" for byte in data[:8]) + "  " + " ".join(f"{byte:02x}" for byte in data[8:])
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in data)
    return f"{offset:0{digits}x}  ", f"{numbers:<48}  ", letters


def match_spans(text: str, needle: str) -> list[tuple[int, int]]:
    """Where a searched text stands in a row."""
    if not needle:
        return []
    folded, wanted = (text, needle) if needle != needle.lower() else (text.lower(), needle)
    places, at = [], folded.find(wanted)
    while at >= 0:
        places.append((at, at + len(wanted)))
        at = folded.find(wanted, at + len(wanted))
    return places


def marked_line(text: str, needle: str, styles: dict[str, Style]) -> list[Segment]:
    """A row of text with what is searched for standing out."""
    cells: list[Segment] = []
    at = 0
    for start, end in match_spans(text, needle):
        cells += [Segment(text[at:start], styles["base"]), Segment(text[start:end], styles["match"])]
        at = end
    return [*cells, Segment(text[at:], styles["base"])]


_PAGES_AROUND = 2
"""Pages that are read ahead and behind."""


class FileCache:
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
            first = max(0, top - _PAGES_AROUND * height)
            lines = await view.text(first, (2 * _PAGES_AROUND + 1) * height)
            self._lines = {first + place: line_text(line) for place, line in enumerate(lines)}

    @property
    def line_count(self) -> int:
        """How many lines are here."""
        return len(self._lines)

    def line(self, number: int) -> str | None:
        """A line, or None where it is not here."""
        return self._lines.get(number)

    def hex_line(self, row: int, styles: dict[str, Style]) -> list[Segment]:
        """A row of bytes as it is drawn; empty where they are not here."""
        at = row * HEX_BYTES - self._data_at
        data = self._data[at : at + HEX_BYTES] if at >= 0 else b""
        if not data:
            return []
        place, numbers, letters = hex_row(row * HEX_BYTES, data, self._digits)
        return [Segment(place, styles["dim"]), Segment(numbers, styles["base"]), Segment(letters, styles["text"])]


def image_lines(pixels: list[list[Pixel]]) -> list[list[Segment]]:
    """All lines of an image."""
    return [_line(pixels, row) for row in range((len(pixels) + 1) // 2)]


def _line(pixels: list[list[Pixel]], row: int) -> list[Segment]:
    upper = pixels[row * 2]
    lower = pixels[row * 2 + 1] if row * 2 + 1 < len(pixels) else [(0, 0, 0)] * len(upper)
    return [
        Segment("▀", Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below)))
        for above, below in zip(upper, lower, strict=True)
    ]
