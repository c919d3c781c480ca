"""How much a pane shows or has selected, in one line."""

from cmdr.model.tab import Tab
from cmdr.model.units import human_size

SUMMED = 5000
"""Sizes of larger selections are not added up with every key."""


def totals(tab: Tab) -> str:
    """How much is selected, or how much there is."""
    listing = tab.listing
    if tab.selection.count:
        size = _selected_size(tab)
        more = f", {human_size(size)}" if size else ""
        return f"{tab.selection.count:,} of {len(listing):,} selected{more}"
    if not len(listing):
        return "empty"
    folders = listing.columns.folder_count
    hidden = f", {listing.hidden_count:,} hidden" if listing.hidden_count and not tab.filter else ""
    reading = " so far…" if not listing.complete else ""
    told = f"{len(listing):,} {'entry' if len(listing) == 1 else 'entries'}{reading}"
    if folders and not hidden and not tab.filter:
        told += f", {folders:,} {'folder' if folders == 1 else 'folders'}"
    return told + hidden


def _selected_size(tab: Tab) -> int:
    """The bytes of the selected files, as far as they were looked at; what a folder holds is not known here."""
    if tab.selection.count > SUMMED:
        return 0
    known, first_file = tab.listing.looked_up, tab.listing.columns.folder_count
    return sum(facts.size for row in tab.selection.rows() if row >= first_file and (facts := known.get(row)))
