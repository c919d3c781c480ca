"""Comparing what the two panes show."""

from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.comparing import differing_contents
from cmdr.model.panes.comparing import CompareBy, differing
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.tab import Tab
from cmdr.model.units import count


@command("compare_panes", access=Access.VIEW, ids=("pane.compare",), title="Compare the panes")
async def compare_panes(call: Call, *, by: CompareBy = CompareBy.NEWER) -> str:
    """Select in both panes the files that are missing or different in the other."""
    left, right = call.workspace.left.tab, call.workspace.right.tab
    if left.path == right.path:
        raise CommandError("Both panes show the same folder.")
    columns = left.listing.columns, right.listing.columns
    mine, theirs = await _facts(call, left), await _facts(call, right)
    found = differing(mine, theirs, by), differing(theirs, mine, by)
    if by is CompareBy.CONTENTS:
        both = [name for name in mine if name in theirs and name not in found[0] and name not in found[1]]
        unequal = await in_thread(differing_contents, left.path, right.path, both)
        found = found[0] | unequal, found[1] | unequal
    if (left.listing.columns, right.listing.columns) != columns:
        raise CommandError("A folder changed while it was compared. Repeat the call.")
    for tab, names in zip((left, right), found, strict=True):
        rows = [row for name in names if (row := tab.listing.columns.find(name)) is not None]
        tab.selection.clear()
        tab.selection.add(rows)
    call.events.changed()
    if not any(found):
        return "The panes do not differ"
    return f"Selected {count(len(found[0]), 'file')} left, {count(len(found[1]), 'file')} right"


async def _facts(call: Call, tab: Tab) -> dict[bytes, Facts | None]:
    listing = tab.listing
    await call.browser.facts.look_up(tab, 0, len(listing))
    first_file = listing.columns.folder_count
    return {listing.columns.name(row): listing.looked_up.get(row) for row in listing.order if row >= first_file}
