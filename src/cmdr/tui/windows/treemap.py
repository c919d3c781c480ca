"""What fills a folder: fields as large as what they stand for, and the same as a list beside them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Horizontal
from textual.widget import Widget

from cmdr.core.errors import CommandError
from cmdr.core.principals import PERSON
from cmdr.core.trees.folder_space import Filling, FolderSpace, space_in
from cmdr.model.actions import BY_ID
from cmdr.model.names import to_wire
from cmdr.model.units import count, short_size
from cmdr.tui.pane_frame import tilde
from cmdr.tui.safe_text import fit, printable
from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.treemap_fields import Field, TreemapFields
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

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
        """Look at the folder of the pane."""
        self.set_class(self.app.size.width < _NARROW, "-narrow")
        self.follow(self._follow_scan)
        self._go_to(self._path)

    def on_resize(self) -> None:
        """On a narrow screen the list has all of it."""
        super().on_resize()
        self.set_class(self.app.size.width < _NARROW, "-narrow")

    def pressed(self, event: events.Key) -> bool:
        """Move, go in, go up."""
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
            self._screen.give("nav_to_path", {"pane": "focused", "path": to_wire(self._path)})
        else:
            return False
        return True

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        """A second click on a row."""
        message.stop()
        self._pick()

    def on_click(self) -> None:
        """A first click on a row."""
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
            self._screen.give("find.go", {"path": to_wire(path)})

    def _go_to(self, path: bytes, *, came_from: bytes = b"") -> None:
        self.catch_up(lambda: self._load(path, came_from=came_from))

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
            self._tell(f"{self._told()} could not be read.", bad=True)
        else:
            self._scan = found
            self._list.show([])
            self._fields.show([])
            self._tell(f"Reading {self._told()}…")

    def _follow_scan(self) -> None:
        """Tell how far the reading is; once it is over, look again."""
        if not self._scan:
            return
        running = [scan for scan in self._screen.commander.scans() if scan.id == self._scan and not scan.state.is_over]
        if running:
            self._tell(f"Reading {self._told()}: {running[0].entries:,} entries so far…")
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
        self._tell(f"{self._told()}: {total}{old}" if fields else f"{self._told()} holds nothing.")

    def _told(self) -> str:
        return tilde(self._path, self.appearance.home)

    def _tell(self, text: str, *, bad: bool = False) -> None:
        self._note.show([[(f" {text}", "warning" if bad else "dim")]])


def _name(filling: Filling) -> str:
    return printable(to_wire(filling.name)) + ("/" if filling.is_folder else "")


def _row(field: Field, total: int) -> Row:
    share = f"{100 * field.size / total:.1f} %" if total else ""
    room = _LIST_WIDTH - 17
    return [(f" {fit(field.name, room)} ", "file"), (f"{field.told:>6}", "dim"), (f"{share:>8} ", "dim")]
