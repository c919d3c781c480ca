"""Lines to read: help, about, info."""

from collections.abc import Sequence

from textual import events
from textual.widget import Widget

from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.window import Window


class Reading(Window[str]):
    """Scrolls; any of Esc, Enter or q closes it."""

    hint = "↑↓ scroll · Esc closes"

    def __init__(self, heading: str, rows: Sequence[Row], *, dialog: str | None = None, lines: int = 18) -> None:
        super().__init__()
        self.heading = heading
        self.dialog = dialog
        self._rows = list(rows)
        self._most = lines

    def contents(self) -> list[Widget]:
        """The lines."""
        self._list = LineList(self.appearance, self._rows, lines=min(self._most, max(1, len(self._rows))), cursor=False)
        return [self._list]

    def show(self, rows: Sequence[Row]) -> None:
        """Show other lines."""
        self._rows = list(rows)
        self._list.lines = min(self._most, max(1, len(self._rows)))
        self.fit_height()
        self._list.show(rows)

    def pressed(self, event: events.Key) -> bool:
        """Scroll or close."""
        if event.key in ("enter", "q", "f1", "f10"):
            self.leave()
            return True
        return self._list.pressed(event)
