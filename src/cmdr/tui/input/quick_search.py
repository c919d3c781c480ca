"""What letters do in the panes: search for a name as one types, or narrow the list with a filter."""

import time
from collections.abc import Callable

from textual import events

from cmdr.model.panes.matching import find_by_prefix
from cmdr.model.panes.tab import Tab

SEARCH_IDLE_S = 3.0


class QuickSearch:
    """Holds what was typed; the screen shows it in the frame of the pane."""

    def __init__(self, show: Callable[[str], None], go: Callable[[int], None], narrow: Callable[[str], None]) -> None:
        self._show = show
        self._go = go
        self._narrow = narrow
        self.search = ""
        self.filtering: str | None = None
        """The filter while it is being typed, else None."""
        self._last = 0.0

    def begin_filter(self, current: str) -> None:
        """From now on letters make the filter."""
        self.end()
        self.filtering = current
        self._show(f"/{current}")

    def end(self) -> None:
        """Letters mean nothing any more."""
        self.search = ""
        self.filtering = None
        self._show("")

    def expire(self) -> None:
        """A search nobody continued is over."""
        if self.search and time.monotonic() - self._last > SEARCH_IDLE_S:
            self.end()

    def take(self, event: events.Key, tab: Tab, *, search: bool) -> bool:
        """Whether the key was part of a search or a filter."""
        if self.filtering is not None:
            return self._take_filter(event)
        self.expire()
        letter = event.character if event.is_printable else None
        if self.search:
            if event.key == "escape":
                self.end()
                return True
            if event.key == "backspace":
                self._search(self.search[:-1], tab, tab.cursor)
                return True
            if event.key in ("down", "up"):
                self._search(self.search, tab, tab.cursor, 1 if event.key == "down" else -1)
                return True
        if letter and search and (self.search or letter.isalnum() or letter in "._~([{@#$%&=!,'"):
            self._search(self.search + letter, tab, tab.cursor)
            return True
        if self.search:
            self.end()
        return False

    def _take_filter(self, event: events.Key) -> bool:
        assert self.filtering is not None
        if event.key == "escape":
            self._narrow("")
            self.end()
            return True
        if event.key == "backspace" and self.filtering:
            self.filtering = self.filtering[:-1]
        elif event.is_printable and event.character:
            self.filtering += event.character
        else:
            ended = event.key in ("enter", "backspace")
            self.end()
            return ended
        self._show(f"/{self.filtering}")
        self._narrow(self.filtering)
        return True

    def _search(self, text: str, tab: Tab, start: int, step: int = 0) -> None:
        self._last = time.monotonic()
        if not text:
            self.end()
            return
        found = find_by_prefix(tab, text, start, step)
        if found is None and step == 0:
            return  # a letter that leads nowhere is not taken
        self.search = text
        self._show(text)
        if found is not None:
            self._go(found)
