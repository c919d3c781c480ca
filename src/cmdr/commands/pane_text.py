"""One pane as a short text: where it is, its cursor and tabs, and the rows of the agents' window."""

from typing import Literal

from cmdr.core.call import Call
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Entry, Kind
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import Tab, ViewMode
from cmdr.model.panes.workspace import Volume, volume_of
from cmdr.model.units import iso_date, iso_time
from cmdr.model.yaml_text import Plain, Value, document, quoted_name

Detail = Literal["names", "short", "full"]


def window(tab: Tab, limit: int) -> tuple[int, int]:
    """The first row that is told, and the one after the last."""
    return tab.window, min(tab.window + limit, len(tab.listing))


def is_known(call: Call, pane: Pane, limit: int, detail: Detail | None) -> bool:
    """Whether all that a pane's text tells is known, so that nothing has to be asked of the disk or an index."""
    tab, listing = pane.tab, pane.tab.listing
    if detail == "names":
        return True
    if detail or tab.view is ViewMode.FULL:
        start, end = window(tab, limit)
        return not call.commander.index_version and listing.looked_up.keys() >= set(listing.order[start:end])
    return not len(listing) or listing.order[tab.cursor] in listing.looked_up


async def look_up(call: Call, pane: Pane, limit: int, detail: Detail | None) -> None:
    """Make known what the text tells."""
    for _ in range(3):  # a pane that moves on meanwhile is looked at again, one that never rests is told as it is
        tab, listing = pane.tab, pane.tab.listing
        if detail == "names":
            return
        if detail or tab.view is ViewMode.FULL:
            await call.commander.look_up(tab, *window(tab, limit))
        elif len(listing):
            await call.browser.facts.look_up(tab, tab.cursor, tab.cursor + 1)
        if pane.tab.listing is listing:
            return


def pane_text(call: Call, pane: Pane, limit: int, detail: Detail | None) -> str:
    """The text, ready to stand in the state; kept while everything it tells is the same."""
    volumes, tab, listing = call.workspace.volumes, pane.tab, pane.tab.listing
    start, end = window(tab, limit)
    rows = listing.order[start:end]
    made_of = (
        volumes,
        *(tab, tab.path, tab.found, tab.view, tab.sort, tab.rev, tab.problem),
        *(start, end, tab.cursor, tab.selection, tab.selection.version),
        *(listing, listing.order, listing.complete),
        *map(listing.looked_up.get, rows),
        *map(listing.folder_sizes.get, rows),
        listing.looked_up.get(listing.order[tab.cursor]) if len(listing) else None,
        *((other.id, other.path, other.pinned) for other in pane.tabs),
    )
    return call.commander.kept_texts.text(
        (pane.side, limit, detail),
        made_of,
        lambda: document({pane.side.value: _told(volumes, pane, limit, detail)}),
    )


def _told(volumes: tuple[Volume, ...], pane: Pane, limit: int, detail: Detail | None) -> dict[str, Value]:
    tab = pane.tab
    listing = tab.listing
    start, end = window(tab, limit)
    volume = volume_of(tab.path, volumes)
    told: dict[str, Value] = {
        "volume": volume.name if volume else None,
        "path": to_wire(tab.path),
        **({"shows": tab.found.title} if tab.found else {}),
        "view": tab.view.value,
        "sort": str(tab.sort),
        "rev": tab.rev,
        "totalFiles": len(listing),
    }
    if tab.problem:
        told["problem"] = tab.problem
    if not listing.complete:
        told["loading"] = True
    if listing.hidden_count:
        told["hiddenFiles"] = listing.hidden_count
    told["loadedRange"] = [start, end]
    if len(listing):
        told["cursor"] = _cursor(tab, with_facts=tab.view is ViewMode.BRIEF and detail is None)
    told["selected"] = tab.selection.count
    if len(pane.tabs) > 1 or tab.pinned:
        told["tabs"] = [_tab(other, active=other is tab) for other in pane.tabs]
    else:
        told["tab"] = tab.id
    told["files"] = [_row(tab, position, detail) for position in range(start, end)]
    return told


def _cursor(tab: Tab, *, with_facts: bool) -> dict[str, Value]:
    told: dict[str, Value] = {"index": tab.cursor}
    entry = tab.listing.entry(tab.cursor)
    if with_facts:
        told["name"] = to_wire(entry.name)
        if facts := entry.facts:
            if entry.kind is not Kind.FOLDER:
                told["size"] = facts.size
            if facts.created_ns is not None:
                told["created"] = Plain(iso_date(facts.created_ns))
            told["lastModified"] = Plain(iso_date(facts.modified_ns))
    return told


def _tab(tab: Tab, *, active: bool) -> str:
    marks = (" [active]" if active else "") + (" [pinned]" if tab.pinned else "")
    return f"{tab.id} {quoted_name(to_wire(tab.path))}{marks}"


def _row(tab: Tab, position: int, detail: Detail | None) -> str:
    entry = tab.listing.entry(position)
    row = f"i:{position} {entry.kind} {quoted_name(to_wire(entry.name))}"
    if detail in ("short", "full") or (detail is None and tab.view is ViewMode.FULL):
        looked = tab.listing.order[position] in tab.listing.looked_up
        row += _facts(entry, exact=detail == "full") if looked else " pending"
    if position == tab.cursor:
        row += " [cur]"
    if tab.listing.order[position] in tab.selection:
        row += " [sel]"
    return row


def _facts(entry: Entry, *, exact: bool) -> str:
    facts = entry.facts
    if facts is None:
        return " gone"
    tell = iso_time if exact else iso_date
    told = "" if entry.kind is Kind.FOLDER else f" {facts.size}b"
    if entry.folder_size is not None:
        told = f" {entry.folder_size.mark}{entry.folder_size.bytes}b"
    # The seed's rows show no dates for folders; only a caller that asks for everything gets them.
    if entry.kind is not Kind.FOLDER or exact:
        if facts.created_ns is not None:
            told += f" cr:{tell(facts.created_ns)}"
        told += f" lm:{tell(facts.modified_ns)}"
    return told + (f" mode:{facts.mode & 0o7777:04o}" if exact else "")
