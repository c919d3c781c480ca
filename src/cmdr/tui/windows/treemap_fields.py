"""The fields of a treemap, drawn in letters: two halves to a cell, so that they are as large as they should be."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message

from cmdr.model.treemap import Box, squarify
from cmdr.tui.appearance import Appearance
from cmdr.tui.line_widget import LineWidget
from cmdr.tui.looks import TILES
from cmdr.tui.safe_text import fit, width_of

_FILLS = " ·░▒"
"""What tells neighbours apart where there are no colours."""


@dataclass(frozen=True, slots=True)
class Field:
    """What one field stands for."""

    name: str
    told: str
    """Its size, in words."""
    size: int


class TreemapFields(LineWidget):
    """Draws the fields and knows which one is where."""

    DEFAULT_CSS = "TreemapFields { width: 1fr; height: 100%; margin: 0 1 0 0; }"

    class Clicked(Message):
        """A field was clicked."""

        def __init__(self, index: int, *, twice: bool) -> None:
            super().__init__()
            self.index = index
            self.twice = twice

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._fields: list[Field] = []
        self._has_rest = False
        self._here = 0
        self._room = (0, 0)
        self._boxes: list[Box] = []
        self._halves: list[list[int]] = []
        """Which field each half of each cell belongs to, row by row."""

    def show(self, fields: Sequence[Field], *, has_rest: bool = False) -> None:
        """Show other fields; with `has_rest` the last one stands for everything that is too small."""
        self._fields, self._has_rest, self._here = list(fields), has_rest, 0
        self.lay(*self._room)

    def mark(self, index: int) -> None:
        """Let one field stand out."""
        self._here = index
        self.refresh()

    def beside(self, index: int, *, is_right: bool) -> int:
        """The field beside another one, at the height of its middle; itself where there is none."""
        if index >= len(self._boxes):
            return index
        box = self._boxes[index]
        middle = round(box.y + box.height / 2 - 0.5)
        row = self._halves[max(0, min(middle, len(self._halves) - 1))] if self._halves else []
        at = round(box.x + box.width) if is_right else round(box.x) - 1
        return row[at] if 0 <= at < len(row) else index

    def on_resize(self) -> None:
        """Lay them out anew."""
        self.lay(self.size.width, self.size.height)

    def on_click(self, event: events.Click) -> None:
        """Point at a field."""
        if 2 * event.y < len(self._halves) and event.x < len(self._halves[0]):
            event.stop()
            self.post_message(self.Clicked(self._halves[2 * event.y][event.x], twice=event.chain >= 2))

    def line(self, y: int) -> list[Segment]:
        """One line of cells: a field's own where both halves are, else one colour above the other."""
        if 2 * y + 1 >= len(self._halves):
            return [Segment(" " * self._room[0], self.appearance.ink["base"])]
        cells = zip(self._halves[2 * y], self._halves[2 * y + 1], strict=True)
        drawn: list[Segment] = []
        at = 0
        for (above, below), run in groupby(cells):
            width = len(list(run))
            upper, lower = self._style(above), self._style(below)
            if above == below:
                drawn.append(Segment(self._text(above, at, width, y), upper))
            elif upper.bgcolor is None or lower.bgcolor is None:
                drawn.append(Segment(self._fill(above) * width, upper))
            else:
                drawn.append(Segment("▀" * width, Style(color=upper.bgcolor, bgcolor=lower.bgcolor)))
            at += width
        return drawn

    def lay(self, width: int, lines: int) -> None:
        """Give each field its place on so many cells."""
        self._room, height = (width, lines), 2 * lines
        self._boxes = squarify([field.size for field in self._fields], Box(0, 0, width, height))
        self._halves = [[0] * width for _ in range(height)] if self._fields else []
        for index, box in enumerate(self._boxes):
            left, right = round(box.x), round(box.x + box.width)
            for row in range(round(box.y), round(box.y + box.height)):
                self._halves[row][left:right] = [index] * (right - left)
        self.refresh()

    def _text(self, index: int, at: int, width: int, y: int) -> str:
        """The name on the first whole line of a field, its size on the next."""
        box, field = self._boxes[index], self._fields[index]
        place = y - -(-round(box.y) // 2)
        label = (field.name, field.told)[place] if place in (0, 1) else ""
        room = width - 2
        if not label or room < 3 or at != round(box.x):
            return self._fill(index) * width
        label = fit(label, room) if width_of(label) > room else label
        return f" {label} " + self._fill(index) * (room - width_of(label))

    def _style(self, index: int) -> Style:
        ink = self.appearance.ink
        if index == self._here:
            return ink["match"]
        is_rest = self._has_rest and index == len(self._fields) - 1
        return ink["tile_rest" if is_rest else TILES[index % len(TILES)]]

    def _fill(self, index: int) -> str:
        return " " if self._style(index).bgcolor is not None else _FILLS[index % len(_FILLS)]
