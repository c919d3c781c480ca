"""One row of a diff as segments: signs besides colours, changed words marked, nothing but printable text."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cmdr.model.texts.diff import Decision
from cmdr.model.texts.diff_rows import Row, RowLine, Span, WordMarks
from cmdr.tui.safe_text import printable

TAB = 4
MARKS = {Decision.UNDECIDED: " ", Decision.ACCEPTED: "✓", Decision.REJECTED: "✗"}
Ink = dict[str, Style]


def side_by_side(
    row: Row, marks: WordMarks, ink: Ink, *, width: int, digits: int, left: int, gutter: Segment
) -> list[Segment]:
    """Old at the left, new at the right."""
    if row.kind == "fold":
        return _fold(row, ink, width, gutter)
    half = (width - 2) // 2
    rest = width - 2 - half
    return [
        gutter,
        *_side(row.old, "-", marks.old, ink, _is_changed(row), half, digits, left),
        Segment("│", ink["frame"]),
        *_side(row.new, "+", marks.new, ink, _is_changed(row), rest, digits, left),
    ]


def unified(
    row: Row, marks: WordMarks, ink: Ink, *, width: int, digits: int, left: int, gutter: Segment
) -> list[Segment]:
    """One column: what goes, then what comes."""
    if row.kind == "fold":
        return _fold(row, ink, width, gutter)
    changed = _is_changed(row)
    if row.old is not None and (row.new is None or not changed):
        return [gutter, *_side(row.old, "-", marks.old, ink, changed, width - 1, digits, left)]
    return [gutter, *_side(row.new, "+", marks.new, ink, changed, width - 1, digits, left)]


def _is_changed(row: Row) -> bool:
    return row.kind != "equal"


def _fold(row: Row, ink: Ink, width: int, gutter: Segment) -> list[Segment]:
    text = f"  ⋯ {row.hidden} lines that stay the same"
    return [gutter, Segment(text[: width - 1].ljust(width - 1), ink["dim"])]


def _side(
    line: RowLine | None, sign: str, marks: Sequence[Span], ink: Ink, changed: bool, width: int, digits: int, left: int
) -> list[Segment]:
    base = ink["base"]
    if width <= digits + 3:
        return [Segment(" " * max(0, width), base)]
    if line is None:
        return [Segment("░" * width, ink["dim"])]
    colour = (ink["archive"] if sign == "-" else ink["program"]) if changed else base
    head = [Segment(f"{line.number:>{digits}} ", ink["dim"]), Segment(f"{sign if changed else ' '} ", colour)]
    room = width - digits - 3
    body = [Segment(text, ink["match"] if marked else colour) for text, marked in _pieces(line.text, marks)]
    if not line.ending:
        body.append(Segment(" ∅ no newline at the end", ink["dim"]))
    elif line.ending == "\r\n":
        body.append(Segment("␍", ink["dim"]))
    return [*head, *Strip(body).crop(left, left + room).adjust_cell_length(room, colour)]


def _pieces(text: str, marks: Sequence[Span]) -> list[tuple[str, bool]]:
    """The text cut at its marks, tabs spread out and everything unseen made visible."""
    out: list[tuple[str, bool]] = []
    at = column = 0
    for start, end in (*marks, (len(text), len(text))):
        for part, marked in ((text[at:start], False), (text[start:end], True)):
            if part:
                spread = (" " * column + part).expandtabs(TAB)[column:] if "\t" in part else part
                column = (column + len(spread)) % TAB
                out.append((printable(spread), marked))
        at = end
    return out
