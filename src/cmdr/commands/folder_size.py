"""What a folder holds in all, added up when somebody asks and shown in its row."""

from cmdr.commands.file import under_cursor
from cmdr.commands.find import known_tree
from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import FolderSize
from cmdr.model.results.result import Said
from cmdr.model.units import exact_size


@command("folder.size", access=Access.VIEW, title="Size of the folder under the cursor")
async def folder_size(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Add up all that the folder under the cursor holds, and show it in its row."""
    shown = pane_of(call.workspace, pane)
    path, listing = under_cursor(shown), shown.tab.listing
    entry, row = listing.entry(shown.tab.cursor), listing.order[shown.tab.cursor]
    if not entry.is_folder:
        raise CommandError(f"{to_wire(entry.name)} is not a folder.")
    answers = await known_tree(call, path)
    node = await in_thread(answers.node, path)
    if node.size is None or node.totals is None:
        raise CommandError(f"What {to_wire(entry.name)} holds is not known.")
    fresh = answers.indexed.freshness.state == "fresh"
    known = listing.folder_sizes[row] = FolderSize(node.size, node.totals.complete, fresh)
    shown.tab.rev = call.events.changed()
    return Said(f"{to_wire(entry.name)} holds {known.mark}{exact_size(node.size)}")
