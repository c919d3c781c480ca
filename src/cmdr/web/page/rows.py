"""The rows of a pane that a page looks at, with everything it draws of them."""

import asyncio
import time
from dataclasses import dataclass

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.panes.recent_changes import RecentChanges
from cmdr.model.names import display_name, is_archive_name
from cmdr.model.panes.entry import Entry, file_kind
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Side
from cmdr.model.panes.tab import Tab
from cmdr.model.units import date, short_size

MAX_ROWS = 300
"""Rows that one state carries of a pane; no screen shows more, and drawing them must not hold up anybody's keys."""
FACTS_TIMEOUT_S = 0.1
"""Seconds that a state waits for sizes and dates; on a slow disk the names come first."""
DATE_COLUMNS = 16
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
        return cls(int(start), max(1, min(int(count), MAX_ROWS)))


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
        return date(ns, self.dates, DATE_COLUMNS, self.now)

    def size(self, size: int) -> str:
        """An amount."""
        return short_size(size, self.sizes)


def announce(commander: Commander) -> None:
    """Tell every page to ask for the state again: something came late."""
    commander.events.progressed()


class _RecentNames:
    """The names of one pane that are marked for a while, compared from state to state."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._recent = RecentChanges(lambda: announce(commander))
        self._where: tuple[str, bytes] | None = None
        self._listing: Listing | None = None

    def of(self, tab: Tab) -> frozenset[bytes]:
        """The names that are new in the tab."""
        where = (tab.id, tab.path)
        if where != self._where:
            self._recent.forget()
        elif self._listing is not None and self._listing is not tab.listing:
            self._recent.enabled = self._commander.settings.flag("agents.mark_changes")
            self._recent.notice(self._listing, tab.listing, self._commander.activity)
        self._where, self._listing = where, tab.listing
        return self._recent.names


class Rows:
    """Tells rows, and looks their facts up behind."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._looking: dict[tuple[str, int, int], asyncio.Task[None]] = {}
        self._recent = {side: _RecentNames(commander) for side in Side}

    async def of(self, side: Side, tab: Tab, window: Window) -> tuple[int, list[Json]]:
        """Where the rows begin, and the rows; facts that take long are announced when they are there."""
        await asyncio.wait({self._look_up(tab, window)}, timeout=FACTS_TIMEOUT_S)
        listing, style, fresh = tab.listing, Style.chosen(self._commander), self._recent[side].of(tab)
        start = max(0, min(window.start, len(listing) - window.count))
        stop = min(len(listing), start + window.count)
        rows: list[Json] = []
        for at in range(start, stop):
            entry = listing.entry(at)
            rows.append(_row(entry, listing, listing.order[at] in tab.selection, entry.name in fresh, style))
        return start, rows

    def _look_up(self, tab: Tab, window: Window) -> asyncio.Task[None]:
        """One look at a time at the same rows: on a disk that hangs, every state waits for the same one."""
        key = (tab.id, window.start, window.count)
        if (looking := self._looking.get(key)) is None:
            looking = asyncio.ensure_future(self._learn(tab, window))
            self._looking[key] = looking
            looking.add_done_callback(lambda _: self._looking.pop(key))
        return looking

    async def _learn(self, tab: Tab, window: Window) -> None:
        began, before = time.monotonic(), _known(tab.listing, window)
        await self._commander.look_up(tab, window.start, window.start + window.count)
        is_late = time.monotonic() - began > FACTS_TIMEOUT_S
        if is_late and _known(tab.listing, window) > before:
            announce(self._commander)


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
