"""The cursor, the agents' window and the selection."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Literal

from cmdr.commands.marking import marks
from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.errors import CommandError, StaleRevision
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.listing import Listing
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.selection import marked
from cmdr.model.tab import Tab
from cmdr.model.units import count as counted


def check_rev(tab: Tab, rev: int | None) -> None:
    """Refuse a call that counts rows of a listing that has changed since."""
    if rev is not None and rev != tab.rev:
        raise StaleRevision(rev, tab.rev)


def _position(tab: Tab, index: int) -> int:
    if not len(tab.listing):
        raise CommandError("The pane is empty.")
    if not 0 <= index < len(tab.listing):
        raise CommandError(f"Index {index} out of range (max: {len(tab.listing) - 1})")
    return index


@command("scroll_to", access=Access.VIEW, toolset="panes", idempotent=True)
def scroll_to(call: Call, *, pane: PaneRef, index: Annotated[int, Whole()]) -> str:
    """Choose the first row that state shows. The person's view stays."""
    tab = pane_of(call.workspace, pane).tab
    tab.window = _position(tab, index)
    call.events.changed()
    return f"Scrolled to index {index}"


@command("move_cursor", access=Access.VIEW, toolset="panes", idempotent=True)
def move_cursor(
    call: Call, *, pane: PaneRef, to: Annotated[int | str, Doc("index or name")], rev: int | None = None
) -> str:
    """Put the cursor on an entry."""
    tab = pane_of(call.workspace, pane).tab
    check_rev(tab, rev)
    position = _position(tab, to) if isinstance(to, int) else _place_of(tab, to)
    tab.put_cursor(position)
    call.events.changed()
    return f"Cursor moved to index {position} ({to_wire(tab.listing.name(position))})"


@command("cursor.up_row", access=Access.VIEW, title="Cursor on the .. row")
def to_parent_row(call: Call, *, pane: PaneRef = "focused") -> str:
    """Put the cursor above all entries, on the way up to the parent folder."""
    tab = pane_of(call.workspace, pane).tab
    if not tab.has_parent:
        raise CommandError(f"{to_wire(tab.path)} has no .. row.")
    tab.put_cursor(0)
    tab.on_parent_row = True
    call.events.changed()
    return "Cursor moved to the .. row"


def _place_of(tab: Tab, name: str) -> int:
    position = tab.listing.position_of(from_wire(name))
    if position is not None:
        return position
    if re.fullmatch("[0-9]{1,9}", name):
        return _position(tab, int(name))
    raise CommandError(f"No entry named {printable(name, 80)} in {to_wire(tab.path)}")


@command("select", access=Access.VIEW, toolset="panes", always_loaded=True)
async def select(
    call: Call,
    *,
    pane: PaneRef,
    start: Annotated[int, Whole()] = 0,
    count: Annotated[int | Literal["all"] | None, Whole(), Doc("0 clears")] = None,
    mode: Literal["replace", "add", "subtract"] = "replace",
    names: list[str] | None = None,
    glob: str | None = None,
    set: str | None = None,
    rev: int | None = None,
) -> str:
    """Select entries of a pane: a range of rows, names, a glob, or a resource set."""
    tab = pane_of(call.workspace, pane).tab
    check_rev(tab, rev)
    if names is not None:
        found = marked(_named(tab, names), len(tab.listing.columns))
    elif glob is not None:
        found = await _where(tab, partial(_matching, glob))
    elif set is not None:
        members = frozenset(await call.commander.indexing.sets.members(set, call.principal))
        found = await _where(tab, partial(_among, tab.path, members))
    elif count is None:
        raise CommandError('select needs "count" (a number or "all"), "names", "glob" or "set".')
    else:
        found = await _where(tab, _range(tab, start, count))
    selection = tab.selection
    if mode == "replace":
        selection.clear()
    if mode == "subtract":
        selection.remove_marked(found)
    else:
        selection.add_marked(found)
    call.events.changed()
    return f"Selected {counted(selection.count, 'file')}"


async def _where(tab: Tab, wanted: Callable[[Listing], Iterable[int]]) -> bytearray:
    """Rows found by looking at every one, away from the loop; refused when the rows have changed meanwhile."""
    listing = tab.listing
    found = await marks(tab, wanted)
    if tab.listing is not listing:
        raise CommandError("The listing changed meanwhile. Repeat the call.")
    return found


def _matching(glob: str, listing: Listing) -> list[int]:
    matches = re.compile(fnmatch.translate(glob)).match
    return [row for row in listing.order if matches(to_wire(listing.columns.name(row)))]


def _among(folder: bytes, paths: frozenset[bytes], listing: Listing) -> list[int]:
    return [row for row in listing.order if os.path.join(folder, listing.columns.name(row)) in paths]


def _range(tab: Tab, start: int, count: int | str) -> Callable[[Listing], Iterable[int]]:
    if count == 0 or not len(tab.listing):
        return lambda listing: ()
    _position(tab, start)
    return lambda listing: listing.order[start : None if isinstance(count, str) else start + count]


def _named(tab: Tab, names: list[str]) -> list[int]:
    rows: list[int] = []
    missing: list[str] = []
    for name in names:
        row = tab.listing.columns.find(from_wire(name))
        if row is None:
            missing.append(name)
        else:
            rows.append(row)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise CommandError(f"Not in {to_wire(tab.path)}: {', '.join(printable(name) for name in missing[:3])}{more}")
    return rows
