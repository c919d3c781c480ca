"""Permissions and time of the chosen files: boxes to tick, a number that follows them, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.panes.facts import common_attributes
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.mode_boxes import PEOPLE, RIGHTS, ROWS, SPECIAL, ModeBoxes, bad_octal, modified_hint
from cmdr.model.units import moment
from cmdr.tui.input.key_forwarding import forward_key
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineList, LineWidget
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


_LEFT, _STEP, _WIDE_STEP = 11, 9, 18
_INSIDE = 4
"""The row below those of the permissions."""
_GAPS = (0, 0, 0, 1, 2)
"""Empty lines above each row, all told."""
LINES = 1 + len(_GAPS) + _GAPS[-1]


class ModeGrid(LineWidget):
    """Draws the boxes and knows which one the cursor is on."""

    DEFAULT_CSS = "ModeGrid { width: 1fr; }"

    class Toggled(Message):
        """A box was ticked or unticked."""

    def __init__(self, appearance: Appearance, boxes: ModeBoxes) -> None:
        super().__init__(appearance)
        self.boxes = boxes
        self.inside = False
        self.active = True
        """Whether keys go to the boxes, and not to a field."""
        self._row, self._column = 0, 0
        self.styles.height = LINES

    @property
    def is_last(self) -> bool:
        """Whether the cursor is on the last row."""
        return self._row == _INSIDE

    def pressed(self, key: str) -> bool:
        """Move or tick; whether the key was for the boxes."""
        if key in ("up", "down"):
            self._row = max(0, min(self._row + (1 if key == "down" else -1), _INSIDE))
        elif key in ("left", "right"):
            self._column = max(0, min(self._column + (1 if key == "right" else -1), 2))
        elif key == "space":
            self._toggle(self._row, self._column)
        else:
            return False
        self.refresh()
        return True

    def line(self, y: int) -> list[Segment]:
        styles = self.appearance.styles
        if y == 0:
            heads = "".join(f"{head:<{_STEP}}" for head in RIGHTS)
            return [Segment(" " * _LEFT + heads, styles["dim"]), Segment(self.boxes.letters, styles["file"])]
        row = self._row_at(y)
        if row is None:
            return [Segment("", styles["base"])]
        if row == _INSIDE:
            return [
                Segment(" ", styles["base"]),
                self._box(row, 0),
                Segment(" also what is inside folders", styles["file"]),
            ]
        if row == len(PEOPLE):
            parts = [Segment(" ", styles["base"])]
            for column, name in enumerate(SPECIAL):
                parts += [self._box(row, column), Segment(f" {name:<{_WIDE_STEP - 4}}", styles["file"])]
            return parts
        parts = [Segment(f" {PEOPLE[row]:<{_LEFT - 1}}", styles["file"])]
        for column in range(3):
            parts += [self._box(row, column), Segment(" " * (_STEP - 3), styles["base"])]
        return parts

    def on_click(self, event: events.Click) -> None:
        """A click ticks the box that it is on."""
        event.stop()
        row = self._row_at(event.y)
        if row is None:
            return
        if row == _INSIDE:
            column = 0
        elif row == len(PEOPLE):
            column = (event.x - 1) // _WIDE_STEP
        else:
            column = (event.x - _LEFT) // _STEP
        if 0 <= column <= 2:
            self._row, self._column = row, column
            self._toggle(row, column)

    def _toggle(self, row: int, column: int) -> None:
        if row == _INSIDE:
            self.inside = not self.inside
        else:
            self.boxes.toggle(ROWS[row][column])
        self.refresh()
        self.post_message(self.Toggled())

    def _box(self, row: int, column: int) -> Segment:
        state = self.inside if row == _INSIDE else self.boxes.state(ROWS[row][column])
        sign = "·" if state is None else "x" if state else " "
        is_here = self.active and row == self._row and (column == self._column or row == _INSIDE)
        is_new = row != _INSIDE and ROWS[row][column] in self.boxes.ticked
        return Segment(f"[{sign}]", self.appearance.styles["cursor" if is_here else "selected" if is_new else "file"])

    def _row_at(self, y: int) -> int | None:
        rows = [row for row, gap in enumerate(_GAPS) if 1 + row + gap == y]
        return rows[0] if rows else None


class AttributesWindow(Window[str]):
    """Nothing happens before Enter; what is not touched stays as it is in each file."""

    hint = "Enter changes · Space ticks · Tab fields · Esc cancels"
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    AttributesWindow Horizontal { height: 1; }
    AttributesWindow Horizontal > LineList { width: 11; }
    """

    def __init__(self, chosen: SelectedEntries, what: str, screen: MainScreen) -> None:
        super().__init__()
        self.heading = f"Attributes of {what}"
        self._chosen = chosen
        self._screen = screen
        self._boxes = ModeBoxes()

    def contents(self) -> list[Widget]:
        self._grid = ModeGrid(self.appearance, self._boxes)
        self._octal = LineInput("", placeholder="they differ", max_length=4)
        self._modified = LineInput("", placeholder="stays")
        return [
            self._grid,
            Horizontal(self._label("Octal"), self._octal),
            Horizontal(self._label("Modified"), self._modified),
        ]

    def opened(self) -> None:
        """Start at the boxes, and look what the files have."""
        self.run_worker(self._look())

    async def _look(self) -> None:
        found = await common_attributes(self._chosen)
        self._boxes.know(found.every, found.some)
        then = moment(found.modified_ns) if found.modified_ns is not None else None
        self._modified.placeholder = modified_hint(then)
        self._show()

    def pressed(self, event: events.Key) -> bool:
        if event.key in ("tab", "shift+tab"):
            order: list[Widget | None] = [None, self._octal, self._modified]
            here = order.index(self.focused)
            self._focus(order[(here + (1 if event.key == "tab" else -1)) % 3])
        elif self.focused is not None and event.key in ("up", "down"):
            back, on = (None, self._modified) if self.focused is self._octal else (self._octal, self._modified)
            self._focus(back if event.key == "up" else on)
        elif self.focused is not None and (event.is_printable or event.key == "backspace"):
            forward_key(self.focused, event)
        elif event.key == "enter":
            self._apply()
        elif self.focused is None and self._grid.is_last and event.key == "down":
            self._focus(self._octal)
        else:
            return self.focused is None and self._grid.pressed(event.key)
        return True

    def on_descendant_focus(self) -> None:
        """A click on a field takes the cursor from the boxes."""
        self._grid.active = self.focused is None
        self._grid.refresh()

    def on_mode_grid_toggled(self, message: ModeGrid.Toggled) -> None:
        """The number follows the boxes."""
        message.stop()
        self._focus(None)

    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        if message.input is self._octal and self.focused is self._octal:
            self._boxes.take_octal(message.value.strip())
            self._grid.refresh()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter in a field changes the files as well."""
        message.stop()
        self._apply()

    def _label(self, text: str) -> LineList:
        return LineList(self.appearance, [[(f" {text}", "file")]], lines=1, cursor=False)

    def _focus(self, field: Widget | None) -> None:
        self.set_focus(field)
        self._grid.active = field is None
        self._grid.refresh()
        if field is not self._octal:
            self._show()

    def _show(self) -> None:
        self._grid.refresh()
        if self.focused is not self._octal:
            self._octal.value = self._boxes.octal

    def _apply(self) -> None:
        typed = self._octal.value.strip()
        if typed and typed != self._boxes.octal and not self._boxes.take_octal(typed):
            self._screen.show_message(bad_octal(typed), bad=True)
            return
        wish: Arguments = {}
        if self._boxes.wish:
            wish["mode"] = self._boxes.wish
        if modified := self._modified.value.strip():
            wish["modified"] = modified
        self.dismiss(None)
        if wish:
            self._screen.terminal.operate("attributes", {**wish, "into": self._grid.inside}, chosen=self._chosen)
