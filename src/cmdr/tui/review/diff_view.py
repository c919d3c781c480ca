"""The rows of a review on the screen: drawn one by one, so that a huge diff scrolls like a small one."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cmdr.model.texts.diff import Decision
from cmdr.model.texts.diff_rows import DiffRows, Row, RowLine, Span, WordMarks
from cmdr.model.texts.review import Review
from cmdr.tui.terminal.safe_text import printable
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineWidget

TAB = 4
MARKS = {Decision.UNDECIDED: " ", Decision.ACCEPTED: "✓", Decision.REJECTED: "✗"}
Styles = dict[str, Style]


def side_by_side(
    row: Row, marks: WordMarks, styles: Styles, *, width: int, digits: int, left: int, gutter: Segment
) -> list[Segment]:
    """Old at the left, new at the right."""
    if row.kind == "fold":
        return _fold(row, styles, width, gutter)
    half = (width - 2) // 2
    rest = width - 2 - half
    return [
        gutter,
        *_side(row.old, "-", marks.old, styles, _is_changed(row), half, digits, left),
        Segment("│", styles["frame"]),
        *_side(row.new, "+", marks.new, styles, _is_changed(row), rest, digits, left),
    ]


def unified(
    row: Row, marks: WordMarks, styles: Styles, *, width: int, digits: int, left: int, gutter: Segment
) -> list[Segment]:
    """One column: what goes, then what comes."""
    if row.kind == "fold":
        return _fold(row, styles, width, gutter)
    changed = _is_changed(row)
    if row.old is not None and (row.new is None or not changed):
        return [gutter, *_side(row.old, "-", marks.old, styles, changed, width - 1, digits, left)]
    return [gutter, *_side(row.new, "+", marks.new, styles, changed, width - 1, digits, left)]


def _is_changed(row: Row) -> bool:
    return row.kind != "equal"


def _fold(row: Row, styles: Styles, width: int, gutter: Segment) -> list[Segment]:
    text = f"  ⋯ {row.hidden} lines that stay the same"
    return [gutter, Segment(text[: width - 1].ljust(width - 1), styles["dim"])]


def _side(
    line: RowLine | None,
    sign: str,
    marks: Sequence[Span],
    styles: Styles,
    changed: bool,
    width: int,
    digits: int,
    left: int,
) -> list[Segment]:
    base = styles["base"]
    if width <= digits + 3:
        return [Segment(" " * max(0, width), base)]
    if line is None:
        return [Segment("░" * width, styles["dim"])]
    colour = (styles["archive"] if sign == "-" else styles["program"]) if changed else base
    head = [Segment(f"{line.number:>{digits}} ", styles["dim"]), Segment(f"{sign if changed else ' '} ", colour)]
    room = width - digits - 3
    body = [Segment(text, styles["match"] if marked else colour) for text, marked in _pieces(line.text, marks)]
    if not line.ending:
        body.append(Segment(" ∅ no newline at the end", styles["dim"]))
    elif line.ending == "\r\n":
        body.append(Segment("␍", styles["dim"]))
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


CONTEXT = 3
TO_CHANGE = {"tab": 1, "shift+tab": -1, "p": -1, "right_square_bracket": 1, "left_square_bracket": -1}
"""Keys that go to the next change or the one before."""


class DiffView(LineWidget):
    """Draws a review and knows which change is the current one."""

    DEFAULT_CSS = "DiffView { height: 1fr; width: 1fr; }"

    def __init__(self, appearance: Appearance, review: Review, moved: Callable[[], None]) -> None:
        super().__init__(appearance)
        self._review = review
        self._moved = moved
        self.unified = False
        self.folded = True
        self.top = self.left = self.hunk = 0
        self.rows = self._new_rows()

    def show(self, review: Review) -> None:
        """Draw another review from its beginning."""
        self._review = review
        self.top = self.left = self.hunk = 0
        self.renew()

    def renew(self) -> None:
        """The review changed: draw it anew, near the same place."""
        self.rows = self._new_rows()
        self.hunk = max(0, min(self.hunk, len(self._review.diff.hunks) - 1))
        self.scroll_by(0)

    def toggle_unified(self) -> None:
        """Side by side, or one column."""
        self.unified = not self.unified
        self.renew()
        self.go_to(self.hunk)

    def toggle_folded(self) -> None:
        """Everything, or only what is near a change."""
        self.folded = not self.folded
        self.renew()
        self.go_to(self.hunk)

    def go_to(self, hunk: int) -> None:
        """Make a change the current one, and show it."""
        count = len(self._review.diff.hunks)
        if count:
            self.hunk = max(0, min(hunk, count - 1))
            self.top = max(0, self.rows.row_of_hunk(self.hunk) - CONTEXT)
        self.scroll_by(0)

    def scroll_by(self, rows: int) -> None:
        """Up or down."""
        self.top = max(0, min(self.top + rows, len(self.rows) - max(1, self.size.height)))
        self.refresh()
        self._moved()

    def scroll_sideways(self, cells: int) -> None:
        """Left or right, for long lines."""
        self.left = max(0, self.left + cells)
        self.refresh()

    def pressed(self, key: str) -> bool:
        """The keys that move; whether this was one."""
        page = max(1, self.size.height - 1)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page, "space": page}
        if key in steps:
            self.scroll_by(steps[key])
        elif key in ("home", "end"):
            self.scroll_by(-len(self.rows) if key == "home" else len(self.rows))
        elif key in ("left", "right"):
            self.scroll_sideways(-8 if key == "left" else 8)
        elif key in TO_CHANGE:
            self.go_to(self.hunk + TO_CHANGE[key])
        else:
            return False
        return True

    def line(self, y: int) -> list[Segment]:
        styles, index = self.appearance.styles, self.top + y
        if index >= len(self.rows):
            return [Segment(" " * self.size.width, styles["base"])]
        row = self.rows[index]
        mark, role = " ", "dim"
        if row.hunk is not None:
            here = row.hunk == self.hunk
            mark = MARKS[self._review.decisions[row.hunk]]
            mark, role = (mark if mark != " " else "▌", "selected" if here else "dim")
            mark = mark if here or mark != "▌" else " "
        draw = unified if self.unified else side_by_side
        digits = len(str(max(len(self.rows.diff.old_lines), len(self.rows.diff.new_lines), 1)))
        gutter = Segment(mark, styles[role])
        marks = self.rows.marks(index)
        return draw(row, marks, styles, width=self.size.width, digits=digits, left=self.left, gutter=gutter)

    def on_resize(self) -> None:
        self.scroll_by(0)

    def _new_rows(self) -> DiffRows:
        return DiffRows(self._review.diff, unified=self.unified, context=CONTEXT if self.folded else None)
