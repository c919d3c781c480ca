"""Rows as a caller counts them: of the listing it saw, and only as many as there are."""

from cmdr.core.errors import CommandError, StaleRevision
from cmdr.model.panes.tab import Tab


def check_rev(tab: Tab, rev: int | None) -> None:
    """Refuse a call that counts rows of a listing that has changed since."""
    if rev is not None and rev != tab.rev:
        raise StaleRevision(rev, tab.rev)


def checked_row(tab: Tab, index: int) -> int:
    """The same number, when the pane has such a row."""
    if not len(tab.listing):
        raise CommandError("The pane is empty.")
    if not 0 <= index < len(tab.listing):
        raise CommandError(f"Index {index} out of range (max: {len(tab.listing) - 1})")
    return index
