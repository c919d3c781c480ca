"""Widgets that draw their own lines: the cheapest things on the screen, made for what changes with every key."""

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from cmdr.tui.terminal.safe_text import fit, printable, width_of
from cmdr.tui.theme.appearance import Appearance

WHEEL_ROWS = 3


class LineWidget(Widget):
    """Draws lines from segments; never from markup."""

    can_focus = False
    ALLOW_SELECT = False

    def __init__(self, appearance: Appearance, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self.appearance = appearance
        self._cached: tuple[Region, list[Strip]] | None = None

    def restyle(self, appearance: Appearance) -> None:
        """Draw in another theme from now on."""
        self.appearance = appearance
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """The segments of one line."""
        raise NotImplementedError

    def scroll_by(self, rows: int) -> None:
        """Scroll by rows, where there is something to scroll."""

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_by(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_by(-WHEEL_ROWS)

    def render_lines(self, crop: Region) -> list[Strip]:
        """All lines, kept until one of them changes: Textual asks every widget whenever any of them has news."""
        if self._cached is None or self._cached[0] != crop:
            self._cached = crop, super().render_lines(crop)
        return self._cached[1]

    def _set_dirty(self, *regions: Region) -> None:
        self._cached = None
        super()._set_dirty(*regions)

    def render_line(self, y: int) -> Strip:
        """One line, exactly as wide as the widget."""
        return Strip(self.line(y)).adjust_cell_length(self.size.width, self.appearance.styles["base"])


class Bar(LineWidget):
    """One line with a text at the left and one at the right, which gives way where there is no space for both."""

    def __init__(self, appearance: Appearance, role: str, right_role: str = "", *, min_left: int = 0) -> None:
        super().__init__(appearance)
        self._roles = role, right_role or role
        self._min_left = min_left
        self._texts = ("", "")

    def say(self, left: str, right: str = "") -> None:
        """Write something else."""
        self._texts = (printable(left), printable(right))
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        left, right = self._texts
        styles, (role, right_role) = self.appearance.styles, self._roles
        right = right if width_of(right) + self._min_left < self.size.width else ""
        return [Segment(fit(left, self.size.width - width_of(right)), styles[role]), Segment(right, styles[right_role])]


Part = tuple[str, str]
"""Text and the role that colours it."""
Row = Sequence[Part]


class LineList(LineWidget):
    """Rows made of parts; every part is made printable here, whoever wrote it."""

    DEFAULT_CSS = "LineList { height: auto; width: 1fr; }"

    class Chosen(Message):
        """A row was clicked twice, or once where one click is enough."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(
        self, appearance: Appearance, rows: Sequence[Row] = (), *, lines: int = 12, cursor: bool = True
    ) -> None:
        super().__init__(appearance)
        self.rows: Sequence[Row] = list(rows)
        self.cursor = 0
        self.top = 0
        self._with_cursor = cursor
        self.lines = lines
        """How many it would like to show; on a low screen the window gives it fewer."""
        self.styles.height = lines

    def show(self, rows: Sequence[Row], *, keep: bool = False) -> None:
        """Show other rows."""
        self.rows = list(rows)
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1)) if keep else 0
        self._follow()
        self.refresh()

    def move(self, step: int) -> None:
        """Move the cursor, or scroll where there is none."""
        if self._with_cursor:
            self.cursor = max(0, min(self.cursor + step, len(self.rows) - 1))
            self._follow()
        else:
            self.top = max(0, min(self.top + step, len(self.rows) - self.size.height))
        self.refresh()

    def pressed(self, event: events.Key) -> bool:
        """The keys that move; whether this was one."""
        page = max(1, self.size.height - 1)
        step = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -(10**9), "end": 10**9}.get(event.key)
        if step is None:
            return False
        self.move(step)
        return True

    def line(self, y: int) -> list[Segment]:
        styles = self.appearance.styles
        index = y + self.top
        if index >= len(self.rows):
            return [Segment(" " * self.size.width, styles["base"])]
        here = self._with_cursor and index == self.cursor
        segments = []
        used = 0
        for text, role in self.rows[index]:
            clean = printable(text)
            room = self.size.width - used
            clean = fit(clean, room) if width_of(clean) > room else clean
            used += width_of(clean)
            segments.append(Segment(clean, styles["cursor"] if here else styles[role]))
        return [*segments, Segment(" " * (self.size.width - used), styles["cursor" if here else "base"])]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        index = self.top + event.y
        if index < len(self.rows) and self._with_cursor:
            again = index == self.cursor
            self.cursor = index
            self.refresh()
            if again or event.chain >= 2:
                self.post_message(self.Chosen(index))

    def scroll_by(self, rows: int) -> None:
        """Scroll without moving the cursor."""
        self.top = max(0, min(self.top + rows, len(self.rows) - self.size.height))
        self.refresh()

    def on_resize(self) -> None:
        self._follow()

    def _follow(self) -> None:
        height = max(1, self.size.height)
        self.top = max(min(self.top, self.cursor), self.cursor - height + 1, 0)
