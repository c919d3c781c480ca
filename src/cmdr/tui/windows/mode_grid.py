"""The boxes of permissions: three by three, the special ones, and whether what is inside folders is meant as well."""

from rich.segment import Segment
from textual import events
from textual.message import Message

from cmdr.model.plans.mode_boxes import PEOPLE, RIGHTS, ROWS, SPECIAL, ModeBoxes
from cmdr.tui.appearance import Appearance
from cmdr.tui.line_widget import LineWidget

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
        """One line of boxes."""
        ink = self.appearance.ink
        if y == 0:
            heads = "".join(f"{head:<{_STEP}}" for head in RIGHTS)
            return [Segment(" " * _LEFT + heads, ink["dim"]), Segment(self.boxes.letters, ink["file"])]
        row = self._row_at(y)
        if row is None:
            return [Segment("", ink["base"])]
        if row == _INSIDE:
            return [Segment(" ", ink["base"]), self._box(row, 0), Segment(" also what is inside folders", ink["file"])]
        if row == len(PEOPLE):
            parts = [Segment(" ", ink["base"])]
            for column, name in enumerate(SPECIAL):
                parts += [self._box(row, column), Segment(f" {name:<{_WIDE_STEP - 4}}", ink["file"])]
            return parts
        parts = [Segment(f" {PEOPLE[row]:<{_LEFT - 1}}", ink["file"])]
        for column in range(3):
            parts += [self._box(row, column), Segment(" " * (_STEP - 3), ink["base"])]
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
        return Segment(f"[{sign}]", self.appearance.ink["cursor" if is_here else "selected" if is_new else "file"])

    def _row_at(self, y: int) -> int | None:
        rows = [row for row, gap in enumerate(_GAPS) if 1 + row + gap == y]
        return rows[0] if rows else None
