"""Read and sort a folder of any size.

One of ordinary size is read right here, in the worker thread that called. A very large one is handed to a helper
process: sorting a million names would hold the interpreter's lock for a second and leave its memory in pieces.
"""

import os
from collections.abc import Callable
from itertools import islice

from cmdr.files.errors import disk_error
from cmdr.files.facts import last_change
from cmdr.files.large_folder import scan_in_process
from cmdr.files.reading import Alive, Reading, Stopped, never, unheard
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.sorting import SortOrder

LARGE = 60_000
"""From so many entries on, a helper process reads and sorts the folder."""


def scan(
    path: bytes,
    sort: SortOrder,
    *,
    show_hidden: bool,
    stopped: Stopped = never,
    alive: Alive = unheard,
    first_part: Callable[[Listing], None] | None = None,
) -> Listing:
    """Read and sort one folder; blocks, so it runs in a thread.

    `first_part` is told the beginning of a very large folder while the rest is still being read.
    """
    reading = Reading(path, stopped, alive)
    mark = last_change(path)
    try:
        with os.scandir(path) as entries:
            reading.take(islice(entries, LARGE))
            more = next(entries, None) is not None
        if not more:
            listing = reading.listing(sort, show_hidden=show_hidden)
            listing.mark = mark
            return listing
    except (OSError, ValueError) as error:
        raise disk_error(path, error) from error
    if first_part is not None and not sort.needs_facts:
        first_part(reading.listing(sort, show_hidden=show_hidden, complete=False))
    listing = scan_in_process(path, sort, show_hidden=show_hidden, stopped=stopped, alive=alive)
    listing.mark = mark
    return listing
