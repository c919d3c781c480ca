"""The rows of a pane that a page looks at, with everything it draws of them."""

import asyncio
import time
from dataclasses import dataclass

from cmdr.core.commander import Commander
from cmdr.core.parameter import Json
from cmdr.model.archive_names import is_archive_name
from cmdr.model.formats import date, short_size
from cmdr.model.names import display_name
from cmdr.model.panes.entry import Entry, file_kind
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Side
from cmdr.model.panes.tab import Tab
from cmdr.web.page.news import News

MOST = 300
"""Rows that one picture carries of a pane; no screen shows more, and drawing them must not hold up anybody's keys."""
PATIENCE = 0.1
"""Seconds that a picture waits for sizes and dates; on a slow disk the names come first."""
WIDE = 16
"""Letters that the column of dates has room for."""


@dataclass(frozen=True, slots=True)
class Window:
    """The stretch of rows that a page shows of one pane, and a little around it."""

    start: int = 0
    count: int = 100

    @classmethod
    def read(cls, text: str) -> "Window":
        """From `start,count`; whatever cannot be read is the beginning."""
        start, _, count = text.partition(",")
        if not all(part.isascii() and part.isdigit() and len(part) < 12 for part in (start, count)):
            return cls()
        return cls(int(start), max(1, min(int(count), MOST)))


Windows = dict[Side, Window]


@dataclass(frozen=True, slots=True)
class Style:
    """How the person wants sizes and dates."""

    sizes: str
    dates: str
    now: float

    @classmethod
    def chosen(cls, commander: Commander) -> "Style":
        """As the settings say."""
        settings = commander.settings
        return cls(settings.text("appearance.sizes"), settings.text("appearance.dates"), time.time())

    def date(self, ns: int) -> str:
        """A moment."""
        return date(ns, self.dates, WIDE, self.now)

    def size(self, size: int) -> str:
        """An amount."""
        return short_size(size, self.sizes)


class Rows:
    """Tells rows, and looks their facts up behind."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._looking: dict[tuple[str, int, int], asyncio.Task[None]] = {}
        self._news = {side: News(commander) for side in Side}

    async def of(self, side: Side, tab: Tab, window: Window) -> tuple[int, list[Json]]:
        """Where the rows begin, and the rows; facts that take long are announced when they are there."""
        await asyncio.wait({self._look_up(tab, window)}, timeout=PATIENCE)
        listing, style, fresh = tab.listing, Style.chosen(self._commander), self._news[side].of(tab)
        start = max(0, min(window.start, len(listing) - window.count))
        stop = min(len(listing), start + window.count)
        rows: list[Json] = []
        for at in range(start, stop):
            entry = listing.entry(at)
            rows.append(_row(entry, listing, listing.order[at] in tab.selection, entry.name in fresh, style))
        return start, rows

    def _look_up(self, tab: Tab, window: Window) -> asyncio.Task[None]:
        """One look at a time at the same rows: on a disk that hangs, every picture waits for the same one."""
        key = (tab.id, window.start, window.count)
        if (looking := self._looking.get(key)) is None:
            looking = asyncio.ensure_future(self._learn(tab, window))
            self._looking[key] = looking
            looking.add_done_callback(lambda _: self._looking.pop(key))
        return looking

    async def _learn(self, tab: Tab, window: Window) -> None:
        began, before = time.monotonic(), _known(tab.listing, window)
        await self._commander.look_up(tab, window.start, window.start + window.count)
        is_late = time.monotonic() - began > PATIENCE
        if is_late and _known(tab.listing, window) > before:
            self._commander.events.progressed()


def _known(listing: Listing, window: Window) -> int:
    rows = listing.order[window.start : window.start + window.count]
    return sum((row in listing.looked_up) + (row in listing.folder_sizes) for row in rows)


def _row(entry: Entry, listing: Listing, selected: bool, fresh: bool, style: Style) -> Json:
    facts = entry.facts
    return {
        "name": display_name(entry.name, beside=listing.has_lookalike(entry.name)),
        "kind": file_kind(entry),
        "folder": entry.is_folder,
        "archive": not entry.is_folder and is_archive_name(entry.name),
        "size": _size(entry, style),
        "date": "" if facts is None else style.date(facts.modified_ns),
        "selected": selected,
        "fresh": fresh,
    }


def _size(entry: Entry, style: Style) -> str:
    """The change where that is the point, of a folder what an index knows."""
    if entry.change is not None:
        return ("+" if entry.change > 0 else "-" if entry.change < 0 else "") + style.size(abs(entry.change))
    if entry.is_folder:
        known = entry.folder_size
        return "" if known is None else f"{known.mark}{style.size(known.bytes)}"
    return "" if entry.facts is None else style.size(entry.facts.size)
