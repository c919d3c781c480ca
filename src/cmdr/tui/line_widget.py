"""A widget that draws its own lines: the cheapest thing on the screen, made for what changes with every key."""

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from cmdr.tui.appearance import Appearance


class LineWidget(Widget):
    """Draws lines from segments; never from markup."""

    can_focus = False
    ALLOW_SELECT = False

    def __init__(self, appearance: Appearance, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self.appearance = appearance
        self._kept: tuple[Region, list[Strip]] | None = None

    def restyle(self, appearance: Appearance) -> None:
        """Draw in another look from now on."""
        self.appearance = appearance
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """The segments of one line."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """All lines, kept until one of them changes: Textual asks every widget whenever any of them has news."""
        if self._kept is None or self._kept[0] != crop:
            self._kept = crop, super().render_lines(crop)
        return self._kept[1]

    def _set_dirty(self, *regions: Region) -> None:
        self._kept = None
        super()._set_dirty(*regions)

    def render_line(self, y: int) -> Strip:
        """One line, exactly as wide as the widget."""
        return Strip(self.line(y)).adjust_cell_length(self.size.width, self.appearance.ink["base"])
