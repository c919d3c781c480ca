"""What fills a folder: fields as large as what they stand for, and the same as a list beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.core.trees.folder_space import Filling, FolderSpace, space_in
from cmdr.model.actions import BY_ID
from cmdr.model.names import to_wire
from cmdr.model.treemap import Box, squarify
from cmdr.model.units import count, short_size
from cmdr.tui.panes.frame import abbreviate_home
from cmdr.tui.terminal.safe_text import fit, printable, width_of
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.theme.themes import TILES
from cmdr.tui.widgets.lines import LineList, LineWidget, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


_FILLS = " ·░▒"
"""What tells neighbours apart where there are no colours."""


@dataclass(frozen=True, slots=True)
class Field:
    """What one field stands for."""

    name: str
    size_text: str
    """Its size, as it is shown."""
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
        self.lay(self.size.width, self.size.height)

    def on_click(self, event: events.Click) -> None:
        if 2 * event.y < len(self._halves) and event.x < len(self._halves[0]):
            event.stop()
            self.post_message(self.Clicked(self._halves[2 * event.y][event.x], twice=event.chain >= 2))

    def line(self, y: int) -> list[Segment]:
        """One line of cells: a field's own where both halves are, else one colour above the other."""
        if 2 * y + 1 >= len(self._halves):
            return [Segment(" " * self._room[0], self.appearance.styles["base"])]
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
        label = (field.name, field.size_text)[place] if place in (0, 1) else ""
        room = width - 2
        if not label or room < 3 or at != round(box.x):
            return self._fill(index) * width
        label = fit(label, room) if width_of(label) > room else label
        return f" {label} " + self._fill(index) * (room - width_of(label))

    def _style(self, index: int) -> Style:
        styles = self.appearance.styles
        if index == self._here:
            return styles["match"]
        is_rest = self._has_rest and index == len(self._fields) - 1
        return styles["tile_rest" if is_rest else TILES[index % len(TILES)]]

    def _fill(self, index: int) -> str:
        return " " if self._style(index).bgcolor is not None else _FILLS[index % len(_FILLS)]


_LIST_WIDTH = 40
_NARROW = 80
"""Columns of the screen below which there is room for the list alone."""


class TreemapWindow(Window[str]):
    """One cursor for both: what is under it in the list stands out among the fields."""

    heading = BY_ID["treemap"].title
    hint = "Enter goes in · Backspace up · ←→ field beside · p shows it in the pane · Esc closes"
    DEFAULT_CSS = f"""
    TreemapWindow > .box {{ width: 96%; height: 90%; }}
    TreemapWindow Horizontal {{ height: 1fr; }}
    TreemapWindow Horizontal > LineList {{ width: {_LIST_WIDTH}; }}
    TreemapWindow.-narrow TreemapFields {{ display: none; }}
    TreemapWindow.-narrow Horizontal > LineList {{ width: 1fr; }}
    """

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._path = screen.tab.path
        self._space: FolderSpace | None = None
        self._scan = ""
        """The reading of the tree that is waited for."""

    def contents(self) -> list[Widget]:
        """A line of news, the fields, the list."""
        self._note = LineList(self.appearance, [], lines=1, cursor=False)
        self._fields = TreemapFields(self.appearance)
        self._list = LineList(self.appearance, [])
        self._list.styles.height = "100%"
        return [self._note, Horizontal(self._fields, self._list)]

    def opened(self) -> None:
        self.set_class(self.app.size.width < _NARROW, "-narrow")
        self.follow(self._follow_scan)
        self._go_to(self._path)

    def on_resize(self) -> None:
        """On a narrow screen the list has all of it."""
        super().on_resize()
        self.set_class(self.app.size.width < _NARROW, "-narrow")

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            self._fields.mark(self._list.cursor)
        elif event.key in ("left", "right"):
            self._point_at(self._fields.beside(self._list.cursor, is_right=event.key == "right"))
        elif event.key == "enter":
            self._pick()
        elif event.key == "backspace":
            if self._path != b"/":
                self._go_to(os.path.dirname(self._path), came_from=os.path.basename(self._path))
        elif event.key == "p":
            self.dismiss(None)
            self._screen.enqueue("nav_to_path", {"pane": "focused", "path": to_wire(self._path)})
        else:
            return False
        return True

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self._pick()

    def on_click(self) -> None:
        self._fields.mark(self._list.cursor)

    def on_treemap_fields_clicked(self, message: TreemapFields.Clicked) -> None:
        """A click on a field; a second one goes in."""
        message.stop()
        again = message.index == self._list.cursor
        self._point_at(message.index)
        if again or message.twice:
            self._pick()

    def _point_at(self, index: int) -> None:
        self._list.move(index - self._list.cursor)
        self._fields.mark(self._list.cursor)

    def _pick(self) -> None:
        """Into a folder; to a file in the pane."""
        largest = () if self._space is None else self._space.largest
        if self._list.cursor >= len(largest):
            return
        here = largest[self._list.cursor]
        path = os.path.join(self._path, here.name)
        if here.is_folder:
            self._go_to(path)
        else:
            self.dismiss(None)
            self._screen.enqueue("find.go", {"path": to_wire(path)})

    def _go_to(self, path: bytes, *, came_from: bytes = b"") -> None:
        self.run_update(lambda: self._load(path, came_from=came_from))

    async def _load(self, path: bytes, *, came_from: bytes = b"", is_read: bool = False) -> None:
        try:
            found = await space_in(self._screen.commander, path, PERSON)
        except CommandError as error:
            self._tell(str(error), bad=True)
            return
        self._path, self._scan = path, ""
        self._space = None if isinstance(found, str) else found
        if not isinstance(found, str):
            self._show(found, came_from)
        elif is_read:
            self._tell(f"{self._location()} could not be read.", bad=True)
        else:
            self._scan = found
            self._list.show([])
            self._fields.show([])
            self._tell(f"Reading {self._location()}…")

    def _follow_scan(self) -> None:
        """Tell how far the reading is; once it is over, look again."""
        if not self._scan:
            return
        running = [scan for scan in self._screen.commander.scans() if scan.id == self._scan and not scan.state.is_over]
        if running:
            self._tell(f"Reading {self._location()}: {running[0].entries:,} entries so far…")
        else:
            self._scan = ""
            self.run_worker(self._load(self._path, is_read=True))

    def _show(self, space: FolderSpace, came_from: bytes) -> None:
        sizes = self.appearance.row.sizes
        fields = [Field(_name(filling), short_size(filling.size, sizes), filling.size) for filling in space.largest]
        if space.rest > 0:
            fields.append(Field(f"{count(space.others, 'smaller one')}", short_size(space.rest, sizes), space.rest))
        self._fields.show(fields, has_rest=space.rest > 0)
        self._list.show([_row(field, space.total) for field in fields])
        names = [filling.name for filling in space.largest]
        self._point_at(names.index(came_from) if came_from in names else 0)
        old = "" if space.fresh else " (some of it may have changed since)"
        total = ("" if space.complete else "≥") + short_size(space.total, sizes)
        self._tell(f"{self._location()}: {total}{old}" if fields else f"{self._location()} holds nothing.")

    def _location(self) -> str:
        return abbreviate_home(self._path, self.appearance.home)

    def _tell(self, text: str, *, bad: bool = False) -> None:
        self._note.show([[(f" {text}", "warning" if bad else "dim")]])


def _name(filling: Filling) -> str:
    return printable(to_wire(filling.name)) + ("/" if filling.is_folder else "")


def _row(field: Field, total: int) -> Row:
    share = f"{100 * field.size / total:.1f} %" if total else ""
    room = _LIST_WIDTH - 17
    return [(f" {fit(field.name, room)} ", "file"), (f"{field.size_text:>6}", "dim"), (f"{share:>8} ", "dim")]
