"""The selection, one entry or all of it at a time."""

from collections.abc import Sequence
from typing import Annotated, Literal

from cmdr.commands.file import nothing_there
from cmdr.commands.marking import marks
from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.listing import Listing
from cmdr.model.matching import matching_rows
from cmdr.model.units import count as counted


@command("selection.toggle", access=Access.VIEW, title="Select or deselect the entry under the cursor")
def toggle(
    call: Call,
    *,
    pane: PaneRef = "focused",
    index: Annotated[int | None, Whole(), Doc("default: under the cursor")] = None,
    step: Annotated[int, Whole(-1, 1), Doc("move the cursor afterwards")] = 0,
) -> str:
    """Turn the selection of one entry over, and move the cursor on if wanted."""
    shown = pane_of(call.workspace, pane)
    tab = shown.tab
    if index is None and tab.on_parent_row:
        raise nothing_there(shown)
    position = tab.cursor if index is None else index
    if not 0 <= position < len(tab.listing):
        raise CommandError("There is nothing to select.")
    tab.selection.toggle(tab.listing.order[position])
    if step:
        tab.put_cursor(position + step)
    call.events.changed()
    return f"Selected {counted(tab.selection.count, 'file')}"


@command("selection.all", access=Access.VIEW, title="Select all")
async def select_all(call: Call, *, pane: PaneRef = "focused") -> str:
    """Select everything that is shown."""
    tab = pane_of(call.workspace, pane).tab
    tab.selection.add_marked(await marks(tab, lambda listing: listing.order))
    call.events.changed()
    return f"Selected {counted(tab.selection.count, 'file')}"


@command("selection.none", access=Access.VIEW, title="Select nothing")
def select_none(call: Call, *, pane: PaneRef = "focused") -> str:
    """Select nothing."""
    pane_of(call.workspace, pane).tab.selection.clear()
    call.events.changed()
    return "Selected nothing"


@command("selection.invert", access=Access.VIEW, title="Invert the selection")
async def invert(
    call: Call, *, pane: PaneRef = "focused", folders: Annotated[bool, Doc("turn folders over too")] = False
) -> str:
    """Select what is not selected and the other way round; folders stay as they are unless wanted."""
    tab = pane_of(call.workspace, pane).tab
    tab.selection.turn_marked(await marks(tab, lambda listing: _without_folders(listing.order, listing, folders)))
    call.events.changed()
    return f"Selected {counted(tab.selection.count, 'file')}"


@command("selection.mask", access=Access.VIEW, title="Select by mask")
async def by_mask(
    call: Call,
    *,
    pane: PaneRef = "focused",
    mask: Annotated[str, Doc("as in *.py;*.md")],
    mode: Literal["add", "subtract"] = "add",
    folders: Annotated[bool, Doc("folders too")] = False,
) -> str:
    """Select or deselect by masks; small letters match capitals too."""
    tab = pane_of(call.workspace, pane).tab
    found = await marks(
        tab,
        lambda listing: _without_folders(matching_rows(listing.columns, listing.order, mask), listing, folders),
    )
    if mode == "add":
        tab.selection.add_marked(found)
    else:
        tab.selection.remove_marked(found)
    call.events.changed()
    return f"{found.count(1):,} matched, {counted(tab.selection.count, 'file')} selected"


def _without_folders(rows: Sequence[int], listing: Listing, folders: bool) -> Sequence[int]:
    first_file = 0 if folders else listing.columns.folder_count
    if isinstance(rows, range):
        return range(max(rows.start, first_file), rows.stop)
    return [row for row in rows if row >= first_file]
