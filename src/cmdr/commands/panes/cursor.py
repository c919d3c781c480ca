"""The cursor, the window through which agents see a pane, and rows as callers count them."""

import re
from typing import Annotated

from cmdr.commands._paths import PaneRef, own_pane, pane_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, StaleRevision
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.panes.tab import Tab
from cmdr.model.results.result import Said


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


@command("scroll_to", access=Access.VIEW, toolset="panes", idempotent=True)
def scroll_to(call: Call, *, pane: PaneRef, index: Annotated[int, Whole()]) -> Said:
    """Choose the first row that state shows."""
    workspace = call.workspace
    tab = pane_of(workspace, pane).tab
    workspace.scroll(tab, checked_row(tab, index))
    call.events.changed()
    return Said(f"Scrolled to index {index}")


@command("move_cursor", access=Access.VIEW, toolset="panes", idempotent=True)
def move_cursor(
    call: Call, *, pane: PaneRef, to: Annotated[int | str, Doc("index or name")], rev: int | None = None
) -> Said:
    """Put the cursor on an entry."""
    tab = own_pane(call, pane).tab
    check_rev(tab, rev)
    position = checked_row(tab, to) if isinstance(to, int) else _place_of(tab, to)
    tab.put_cursor(position)
    call.events.changed()
    return Said(f"Cursor moved to index {position} ({to_wire(tab.listing.name(position))})")


@command("cursor.up_row", access=Access.VIEW, title="Cursor on the .. row")
def to_parent_row(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Put the cursor above all entries, on the way up to the parent folder."""
    tab = own_pane(call, pane).tab
    if not tab.has_parent:
        raise CommandError(f"{to_wire(tab.path)} has no .. row.")
    tab.put_cursor(0)
    tab.on_parent_row = True
    call.events.changed()
    return Said("Cursor moved to the .. row")


def _place_of(tab: Tab, name: str) -> int:
    position = tab.listing.position_of(from_wire(name))
    if position is not None:
        return position
    if re.fullmatch("[0-9]{1,9}", name):
        return checked_row(tab, int(name))
    raise CommandError(f"No entry named {printable(name, 80)} in {to_wire(tab.path)}")
