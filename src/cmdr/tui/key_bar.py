"""The bar of function keys at the bottom; each can be clicked."""

from rich.segment import Segment
from textual import events
from textual.message import Message

from cmdr.model.keys import KeyMap
from cmdr.tui.appearance import Appearance
from cmdr.tui.key_labels import key_labels, label_cells
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
        self._labels = key_labels(keys)

    def show_keys(self, keys: KeyMap) -> None:
        """Show another key map."""
        self._labels = key_labels(keys)
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """The keys."""
        return label_cells(self._labels, self.size.width, self.appearance.ink)

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        event.stop()
        place = event.x // max(1, self.size.width // max(1, len(self._labels)))
        if place < len(self._labels) and self._labels[place].action:
            self.post_message(self.Pressed(self._labels[place].action))
