"""Lines of a file as rows of the screen: wrapped, cut, or as bytes."""

from rich.segment import Segment
from rich.style import Style

from cmdr.tui.safe_text import printable, width_of

TAB = 8
HEX_BYTES = 16
"""Bytes that stand in one row."""


def line_text(line: str) -> str:
    """A line with its tabs spread out and everything that is not ink made visible."""
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


def marked(text: str, needle: str) -> list[tuple[int, int]]:
    """Where a searched text stands in a row."""
    if not needle:
        return []
    folded, wanted = (text, needle) if needle != needle.lower() else (text.lower(), needle)
    places, at = [], folded.find(wanted)
    while at >= 0:
        places.append((at, at + len(wanted)))
        at = folded.find(wanted, at + len(wanted))
    return places


def marked_line(text: str, needle: str, ink: dict[str, Style]) -> list[Segment]:
    """A row of text with what is searched for standing out."""
    cells: list[Segment] = []
    at = 0
    for start, end in marked(text, needle):
        cells += [Segment(text[at:start], ink["base"]), Segment(text[start:end], ink["match"])]
        at = end
    return [*cells, Segment(text[at:], ink["base"])]
