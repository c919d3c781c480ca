"""Which rows of a listing are meant, found without holding anybody up; nothing is selected until all of it is known."""

from collections.abc import Callable, Iterable

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.selection import marked
from cmdr.model.panes.tab import Tab

SMALL = 5000
"""So many rows are looked through at once; more of them in a thread."""
TRIES = 5


async def marks(tab: Tab, wanted: Callable[[Listing], Iterable[int]]) -> bytearray:
    """One mark for each row of the tab's listing, set where it is wanted; made anew when the folder changed meanwhile.

    Whoever gives up waiting leaves the selection as it was.
    """
    for _ in range(TRIES):
        listing = tab.listing
        if len(listing.columns) <= SMALL:
            return _made(listing, wanted)
        found = await in_thread(_made, listing, wanted)
        if tab.listing is listing:
            return found
    raise CommandError("The folder changes faster than its entries can be looked through. Repeat the call.")


def _made(listing: Listing, wanted: Callable[[Listing], Iterable[int]]) -> bytearray:
    return marked(wanted(listing), len(listing.columns))
