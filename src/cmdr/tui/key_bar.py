"""The bar of function keys at the bottom; each can be clicked."""

from rich.segment import Segment
from textual import events
from textual.message import Message

from cmdr.tui.appearance import Appearance
from cmdr.tui.key_map import ACTIONS, KeyMap
from cmdr.tui.line_widget import LineWidget


class KeyBar(LineWidget):
    """Ten keys, as wide as the screen allows."""

    DEFAULT_CSS = "KeyBar { height: 1; width: 1fr; }"

    class Pressed(Message):
        """A key of the bar was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, keys: KeyMap, appearance: Appearance) -> None:
        super().__init__(appearance, id="keys")
        self._labels: list[tuple[str, str, str]] = []
        self.show_keys(keys)

    def show_keys(self, keys: KeyMap) -> None:
        """Show another key map."""
        named = {action.id: action.bar for action in ACTIONS if action.bar}
        self._labels = [
            (str(number), named[action], action)
            for number in range(1, 11)
            if (action := keys.actions.get(f"f{number}", "")) in named
        ]
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """The keys."""
        ink = self.appearance.ink
        each = self.size.width // max(1, len(self._labels))
        cells: list[Segment] = []
        for number, label, _ in self._labels:
            room = max(1, each - len(number) - 1)
            cells += [
                Segment(f"{number:>2}" if each > 7 else number, ink["bar_key"]),
                Segment(f"{label[:room]:<{room - (2 - len(number) if each > 7 else 0)}}", ink["bar"]),
                Segment(" ", ink["bar_key"]),
            ]
        return cells

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        event.stop()
        place = event.x // max(1, self.size.width // max(1, len(self._labels)))
        if place < len(self._labels):
            self.post_message(self.Pressed(self._labels[place][2]))
