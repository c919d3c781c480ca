"""Show only some of a folder's entries."""

from typing import Annotated

from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.units import count


@command("filter", access=Access.VIEW, ids=("view.filter",), title="Filter")
async def filter_pane(
    call: Call, *, pane: PaneRef = "focused", text: Annotated[str, Doc("part of a name or masks; empty shows all")] = ""
) -> str:
    """Show only entries whose name holds a text, or matches masks like *.py;*.md. What is not shown is not selected."""
    shown = pane_of(call.workspace, pane)
    await call.browser.filter(shown.tab, text[:200])
    listing = shown.tab.listing
    return f"{count(len(listing), 'entry', 'entries')} of {len(listing.columns)} shown\nrev: {shown.tab.rev}"
