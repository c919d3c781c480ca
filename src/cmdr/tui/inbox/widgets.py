"""The parts of the inbox's window: its list, and the line for a reason or a word."""

from collections.abc import Callable

from textual import events

from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineList
from cmdr.tui.widgets.text_fields import LineInput


class EntryList(LineList):
    """The list; a click is a move of the cursor like any other."""

    def __init__(self, appearance: Appearance, moved: Callable[[], None]) -> None:
        super().__init__(appearance)
        self._moved = moved

    def on_click(self, event: events.Click) -> None:
        before = self.cursor
        super().on_click(event)
        event.prevent_default()
        if self.cursor != before:
            self._moved()


class WordInput(LineInput):
    """A line for a reason, or for the word that a risky answer takes: that one is typed, never pasted."""

    takes_paste = True

    def _on_paste(self, event: events.Paste) -> None:
        if self.takes_paste:
            super()._on_paste(event)
        else:
            event.stop()
        event.prevent_default()
