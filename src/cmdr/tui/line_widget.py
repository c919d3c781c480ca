"""A widget that draws its own lines: the cheapest thing on the screen, made for what changes with every key."""

from rich.segment import Segment
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

    def restyle(self, appearance: Appearance) -> None:
        """Draw in another look from now on."""
        self.appearance = appearance
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """The segments of one line."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """One line, exactly as wide as the widget."""
        return Strip(self.line(y)).adjust_cell_length(self.size.width, self.appearance.ink["base"])
