"""The selection: by rows, names, masks and sets, one entry or all of it, or what differs between the panes."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated, Literal

from cmdr.commands._paths import PaneRef, own_pane
from cmdr.commands.panes.cursor import check_rev, checked_row
from cmdr.commands.panes.file import nothing_there
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.contents import differing_contents
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.matching import CompareBy, differing, matching_rows
from cmdr.model.panes.selection import row_mask
from cmdr.model.panes.tab import Tab
from cmdr.model.results.result import Said
from cmdr.model.units import count as counted

MAX_ROWS_IN_LOOP = 5000
"""So many rows are looked through at once; more of them in a thread."""
MAX_ATTEMPTS = 5


async def marks(tab: Tab, wanted: Callable[[Listing], Iterable[int]]) -> bytearray:
    """One mark for each row of the tab's listing, set where it is wanted; made anew when the folder changed meanwhile.

    Whoever gives up waiting leaves the selection as it was.
    """
    for _ in range(MAX_ATTEMPTS):
        listing = tab.listing
        if len(listing.columns) <= MAX_ROWS_IN_LOOP:
            return _made(listing, wanted)
        found = await in_thread(_made, listing, wanted)
        if tab.listing is listing:
            return found
    raise CommandError("The folder changes faster than its entries can be looked through. Repeat the call.")


def _made(listing: Listing, wanted: Callable[[Listing], Iterable[int]]) -> bytearray:
    return row_mask(wanted(listing), len(listing.columns))


@command("select", access=Access.VIEW, toolset="panes")
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
) -> Said:
    """Select entries of a pane: a range of rows, names, a glob, or a resource set."""
    tab = own_pane(call, pane).tab
    check_rev(tab, rev)
    if names is not None:
        found = row_mask(_named(tab, names), len(tab.listing.columns))
    elif glob is not None:
        found = await _where(tab, partial(_matching, glob))
    elif set is not None:
        members = frozenset(await call.commander.indexing.sets.members(set, call.principal))
        found = await _where(tab, partial(_among, tab.path, members))
    elif count is None:
        raise CommandError('select needs "count" (a number or "all"), "names", "glob" or "set".')
    else:
        found = await _where(tab, _range(tab, start, count))
    selection, caller = tab.selection, call.principal.id
    is_own = mode == "replace" or not selection.count or selection.chosen_by == caller
    if mode == "replace":
        selection.clear()
    if mode == "subtract":
        selection.remove_mask(found)
    else:
        selection.add_mask(found)
    selection.chosen_by = caller if is_own else ""
    return _selected(call, tab)


@command("selection.toggle", access=Access.VIEW, title="Select or deselect the entry under the cursor")
def toggle(
    call: Call,
    *,
    pane: PaneRef = "focused",
    index: Annotated[int | None, Whole(), Doc("default: under the cursor")] = None,
    step: Annotated[int, Whole(-1, 1), Doc("move the cursor afterwards")] = 0,
) -> Said:
    """Turn the selection of one entry over, and move the cursor on if wanted."""
    shown = own_pane(call, pane)
    tab = shown.tab
    if index is None and tab.on_parent_row:
        raise nothing_there(shown)
    position = tab.cursor if index is None else index
    if not 0 <= position < len(tab.listing):
        raise CommandError("There is nothing to select.")
    tab.selection.toggle(tab.listing.order[position])
    if step:
        tab.put_cursor(position + step)
    return _selected(call, tab)


@command("selection.all", access=Access.VIEW, title="Select all")
async def select_all(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Select everything that is shown."""
    tab = own_pane(call, pane).tab
    tab.selection.add_mask(await marks(tab, lambda listing: listing.order))
    return _selected(call, tab)


@command("selection.none", access=Access.VIEW, title="Select nothing")
def select_none(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Select nothing."""
    own_pane(call, pane).tab.selection.clear()
    call.events.changed()
    return Said("Selected nothing")


@command("selection.invert", access=Access.VIEW, title="Invert the selection")
async def invert(
    call: Call, *, pane: PaneRef = "focused", folders: Annotated[bool, Doc("turn folders over too")] = False
) -> Said:
    """Select what is not selected and the other way round; folders stay as they are unless wanted."""
    tab = own_pane(call, pane).tab
    tab.selection.toggle_mask(await marks(tab, lambda listing: _without_folders(listing.order, listing, folders)))
    return _selected(call, tab)


@command("selection.mask", access=Access.VIEW, title="Select by mask")
async def by_mask(
    call: Call,
    *,
    pane: PaneRef = "focused",
    mask: Annotated[str, Doc("as in *.py;*.md")],
    mode: Literal["add", "subtract"] = "add",
    folders: Annotated[bool, Doc("folders too")] = False,
) -> Said:
    """Select or deselect by masks; small letters match capitals too."""
    tab = own_pane(call, pane).tab
    found = await marks(
        tab,
        lambda listing: _without_folders(matching_rows(listing.columns, listing.order, mask), listing, folders),
    )
    if mode == "add":
        tab.selection.add_mask(found)
    else:
        tab.selection.remove_mask(found)
    call.events.changed()
    return Said(f"{found.count(1):,} matched, {counted(tab.selection.count, 'file')} selected")


def _selected(call: Call, tab: Tab) -> Said:
    call.events.changed()
    return Said(f"Selected {counted(tab.selection.count, 'file')}")


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
    checked_row(tab, start)
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


def _without_folders(rows: Sequence[int], listing: Listing, folders: bool) -> Sequence[int]:
    first_file = 0 if folders else listing.columns.folder_count
    if isinstance(rows, range):
        return range(max(rows.start, first_file), rows.stop)
    return [row for row in rows if row >= first_file]


@command("compare_panes", access=Access.VIEW, ids=("pane.compare",), title="Compare the panes")
async def compare_panes(call: Call, *, by: CompareBy = CompareBy.NEWER) -> Said:
    """Select in both panes the files that are missing or different in the other."""
    left, right = own_pane(call, "left").tab, own_pane(call, "right").tab
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
        return Said("The panes do not differ")
    return Said(f"Selected {counted(len(found[0]), 'file')} left, {counted(len(found[1]), 'file')} right")


async def _facts(call: Call, tab: Tab) -> dict[bytes, Facts | None]:
    listing = tab.listing
    await call.browser.facts.look_up(tab, 0, len(listing))
    first_file = listing.columns.folder_count
    return {listing.columns.name(row): listing.looked_up.get(row) for row in listing.order if row >= first_file}
