"""How much a pane shows or has selected, in one line."""

from cmdr.model.panes.tab import Tab
from cmdr.model.units import human_size

SUMMED = 5000
"""Sizes of larger selections are not added up with every key."""


def totals(tab: Tab) -> str:
    """How much is selected, or how much there is."""
    listing = tab.listing
    if tab.selection.count:
        told = f"{tab.selection.count:,} of {len(listing):,} selected{_selected_size(tab)}"
        return told if listing.complete else f"{told}, reading…"
    if not len(listing):
        return "empty"
    folders = listing.columns.folder_count
    hidden = f", {listing.hidden_count:,} hidden" if listing.hidden_count and not tab.filter else ""
    reading = " so far…" if not listing.complete else ""
    told = f"{len(listing):,} {'entry' if len(listing) == 1 else 'entries'}{reading}"
    if folders and not hidden and not tab.filter:
        told += f", {folders:,} {'folder' if folders == 1 else 'folders'}"
    return told + hidden


def _selected_size(tab: Tab) -> str:
    """The bytes of what is selected; a lower bound where a file was not looked at or nobody knows a folder."""
    if tab.selection.count > SUMMED:
        return ""
    listing, first_file = tab.listing, tab.listing.columns.folder_count
    size, complete = 0, True
    for row in tab.selection.rows():
        if row >= first_file:
            facts = listing.looked_up.get(row)
            size += facts.size if facts is not None else 0
            complete = complete and facts is not None
        else:
            folder = listing.folder_sizes.get(row)
            size += folder.bytes if folder is not None else 0
            complete = complete and folder is not None and folder.complete
    return f", {'' if complete else '≥ '}{human_size(size)}" if size else ""
