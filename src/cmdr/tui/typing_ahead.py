"""What letters do in the panes: search for a name as one types, or narrow the list with a filter."""

import time
from collections.abc import Callable

from textual import events

from cmdr.model.names import to_wire
from cmdr.model.tab import Tab

IDLE_SECONDS = 3.0


class TypingAhead:
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
        if self.search and time.monotonic() - self._last > IDLE_SECONDS:
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
        found = find(tab, text, start, step)
        if found is None and step == 0:
            return  # a letter that leads nowhere is not taken
        self.search = text
        self._show(text)
        if found is not None:
            self._go(found)


def find(tab: Tab, text: str, start: int, step: int = 0) -> int | None:
    """The next position whose name begins with the text, or else holds it; capitals do not count, round the end."""
    wanted = text.casefold()
    listing = tab.listing
    total = len(listing)
    if not total:
        return None
    direction = -1 if step < 0 else 1
    first = start + step
    holds: int | None = None
    name = listing.name
    deadline = time.monotonic() + 0.08
    for distance in range(total):
        position = (first + distance * direction) % total
        folded = to_wire(name(position)).casefold()
        if folded.startswith(wanted):
            return position
        if holds is None and wanted in folded:
            holds = position
        if not distance % 4096 and time.monotonic() > deadline:
            return _find_in_block(tab, text, first % total) if step >= 0 else holds
    return holds


def _find_in_block(tab: Tab, text: str, start: int) -> int | None:
    """The same for a very large folder: one search through the block of all names, fast because it makes no rows."""
    import re

    listing, columns = tab.listing, tab.listing.columns
    pattern = re.compile(rb"\0" + re.escape(text.encode("utf-8", "surrogateescape")), re.IGNORECASE)
    begin = columns.starts[listing.order[start]] - 1
    for low, high in ((begin, len(columns.names)), (0, begin)):
        for found in pattern.finditer(columns.names, low, high):
            row = columns.find(columns.names[found.start() + 1 : columns.names.index(b"\0", found.start() + 1)])
            position = None if row is None else listing.position_of_row(row)
            if position is not None:
                return position
    return None
