"""Finding a name in a listing while one types its letters."""

import re
import time

from cmdr.model.names import raw_bytes, to_wire
from cmdr.model.panes.tab import Tab

PATIENCE = 0.08
"""Seconds before a very large folder is searched another way."""


def seek(tab: Tab, text: str, start: int, step: int = 0) -> int | None:
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
    deadline = time.monotonic() + PATIENCE
    for distance in range(total):
        position = (first + distance * direction) % total
        folded = to_wire(name(position)).casefold()
        if folded.startswith(wanted):
            return position
        if holds is None and wanted in folded:
            holds = position
        if not distance % 4096 and time.monotonic() > deadline:
            return _seek_in_block(tab, text, first % total) if step >= 0 else holds
    return holds


def _seek_in_block(tab: Tab, text: str, start: int) -> int | None:
    """The same for a very large folder: one search through the block of all names, fast because it makes no rows."""
    listing, columns = tab.listing, tab.listing.columns
    pattern = re.compile(rb"\0" + re.escape(raw_bytes(text)), re.IGNORECASE)
    begin = columns.starts[listing.order[start]] - 1
    for low, high in ((begin, len(columns.names)), (0, begin)):
        for found in pattern.finditer(columns.names, low, high):
            row = columns.find(columns.names[found.start() + 1 : columns.names.index(b"\0", found.start() + 1)])
            position = None if row is None else listing.position_of_row(row)
            if position is not None:
                return position
    return None
