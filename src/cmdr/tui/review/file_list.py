"""The files of an edit on the screen: one line each with what would change, the current one marked."""

import os
from collections.abc import Callable, Sequence

from rich.segment import Segment

from cmdr.model.names import display_name
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.review import Review
from cmdr.tui.terminal.safe_text import fit_middle, width_of
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineWidget

MAX_ROWS = 6
"""Rows that the list takes of a screen, however many files there are; it scrolls with the current one."""
_SHARE = 4
"""It takes at most a fourth of the screen, and at least one row."""


class FileList(LineWidget):
    """Draws the files of an edit; a click goes to one."""

    DEFAULT_CSS = "FileList { height: 1; width: 1fr; }"

    def __init__(self, appearance: Appearance, files: Sequence[Review], picked: Callable[[int], None]) -> None:
        super().__init__(appearance)
        self._files = files
        self._picked = picked
        self.current = 0
        folder = os.path.commonpath([os.path.dirname(file.new_path) for file in files])
        self._common = len(folder.rstrip(b"/")) + 1
        """Bytes of the path that all have in common; the title shows all of the current one."""

    def rows_in(self, height: int) -> int:
        """How many rows it takes of a screen so high."""
        return max(1, min(len(self._files), MAX_ROWS, height // _SHARE))

    @property
    def _top(self) -> int:
        """The first file that is drawn: the current one stands in the middle, where there are more on both sides."""
        rows = max(1, self.size.height)
        return max(0, min(self.current - rows // 2, len(self._files) - rows))

    def line(self, y: int) -> list[Segment]:
        number, styles, width = self._top + y, self.appearance.styles, self.size.width
        if number >= len(self._files):
            return [Segment(" " * width, styles["base"])]
        file = self._files[number]
        is_here = number == self.current
        mark, taken = mark_of(file)
        counts = f" {taken} +{file.diff.added} -{file.diff.removed} "
        name = fit_middle(display_name(file.new_path[self._common :]), max(1, width - 4 - width_of(counts)))
        told = f"{'▌' if is_here else ' '}{mark} {name}"
        style = styles["cursor" if is_here else "dim" if file.is_dropped else "file"]
        return [Segment(told + " " * max(0, width - width_of(told) - width_of(counts)) + counts, style)]

    def on_click(self, event: object) -> None:
        y = getattr(event, "y", -1)
        if 0 <= self._top + y < len(self._files):
            self._picked(self._top + y)


def mark_of(file: Review) -> tuple[str, str]:
    """What is decided of a file: a sign, and how many of its changes would be written."""
    total = len(file.decisions)
    left = sum(said is not Decision.REJECTED for said in file.decisions)
    if file.is_dropped:
        return "✗", f"0/{total}"
    is_taken = all(said is Decision.ACCEPTED for said in file.decisions)
    mark = "✓" if is_taken else "~" if left < total else " "
    return mark, f"{left}/{total}" if left < total else f"{total}"
