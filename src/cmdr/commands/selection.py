"""The selection, one entry or all of it at a time."""

from typing import Annotated, Literal

from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
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
    tab = pane_of(call.workspace, pane).tab
    position = tab.cursor if index is None else index
    if not 0 <= position < len(tab.listing):
        raise CommandError("There is nothing to select.")
    tab.selection.toggle(tab.listing.order[position])
    if step:
        tab.put_cursor(position + step)
    call.events.changed()
    return f"Selected {counted(tab.selection.count, 'file')}"


@command("selection.all", access=Access.VIEW, title="Select all")
def select_all(call: Call, *, pane: PaneRef = "focused") -> str:
    """Select everything that is shown."""
    tab = pane_of(call.workspace, pane).tab
    tab.selection.add(tab.listing.order)
    call.events.changed()
    return f"Selected {counted(tab.selection.count, 'file')}"


@command("selection.none", access=Access.VIEW, title="Select nothing")
def select_none(call: Call, *, pane: PaneRef = "focused") -> str:
    """Select nothing."""
    pane_of(call.workspace, pane).tab.selection.clear()
    call.events.changed()
    return "Selected nothing"


@command("selection.invert", access=Access.VIEW, title="Invert the selection")
def invert(
    call: Call, *, pane: PaneRef = "focused", folders: Annotated[bool, Doc("turn folders over too")] = False
) -> str:
    """Select what is not selected and the other way round; folders stay as they are unless wanted."""
    tab = pane_of(call.workspace, pane).tab
    first_file = 0 if folders else tab.listing.columns.folder_count
    rows = [row for row in tab.listing.order if row >= first_file]
    selected = [row for row in rows if row in tab.selection]
    tab.selection.add(rows)
    tab.selection.remove(selected)
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
    listing = tab.listing
    rows = await in_thread(matching_rows, listing.columns, listing.order, mask)
    if tab.listing.columns is not listing.columns:
        raise CommandError("The folder changed meanwhile. Repeat the call.")
    if not folders:
        rows = [row for row in rows if row >= listing.columns.folder_count]
    if mode == "add":
        tab.selection.add(rows)
    else:
        tab.selection.remove(rows)
    call.events.changed()
    return f"{len(rows):,} matched, {counted(tab.selection.count, 'file')} selected"
