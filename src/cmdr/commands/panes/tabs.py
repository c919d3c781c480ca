"""Tabs of a pane."""

from cmdr.commands._paths import PaneRef, pane_of, path_of
from cmdr.core.admission.quotas import check_tabs
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.results.result import Said


def _place(pane: Pane, id: str) -> int:
    place = pane.find_tab(id)
    if place is None:
        ids = ", ".join(tab.id for tab in pane.tabs)
        raise CommandError(f'No tab "{printable(id, 40)}" in the {pane.side} pane. There are: {ids}.')
    return place


@command("activate_tab", access=Access.VIEW, toolset="panes", idempotent=True)
async def activate_tab(call: Call, *, pane: PaneRef, tab: str) -> Said:
    """Bring a tab to the front."""
    shown = pane_of(call.workspace, pane)
    shown.active = _place(shown, tab)
    call.events.changed()
    call.browser.follow_active_tabs()
    note = ""
    if shown.tab.history.here < 0:  # it was open last time, and nobody has looked at it since
        note = await call.browser.open_nearest(shown)
    else:
        await call.browser.refresh(shown.tab)
    return Said(note or f"Activated tab {tab} ({to_wire(shown.tab.path)})")


@command("pin_tab", access=Access.VIEW, toolset="panes", idempotent=True)
def pin_tab(call: Call, *, pane: PaneRef, tab: str, pinned: bool = True) -> Said:
    """Pin a tab to its folder, or let it go."""
    shown = pane_of(call.workspace, pane)
    shown.tabs[_place(shown, tab)].pinned = pinned
    call.events.changed()
    return Said(f"{'Pinned' if pinned else 'Unpinned'} tab {tab}")


@command("tab.new", access=Access.VIEW, title="New tab")
async def new_tab(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Open a new tab beside the one in front."""
    shown = pane_of(call.workspace, pane)
    here = shown.tab.path
    tab = await call.browser.open(shown, path_of(path, here) if path else here, new_tab=True)
    return Said(f"Opened tab {tab.id} ({to_wire(tab.path)})")


@command("tab.close", access=Access.VIEW, title="Close tab")
def close_tab(call: Call, *, pane: PaneRef = "focused", tab: str | None = None) -> Said:
    """Close a tab; the last one stays."""
    shown = pane_of(call.workspace, pane)
    place = shown.active if tab is None else _place(shown, tab)
    if len(shown.tabs) == 1:
        raise CommandError(f"The {shown.side} pane keeps its last tab.")
    if shown.tabs[place].pinned:
        raise CommandError(f"Tab {shown.tabs[place].id} is pinned. Unpin it first.")
    closed = shown.tabs[place]
    shown.close_tab(place)
    call.events.changed()
    call.browser.follow_active_tabs()
    return Said(f"Closed tab {closed.id}")


@command("tab.reopen", access=Access.VIEW, title="Reopen closed tab")
async def reopen_tab(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Bring back the tab that was closed last."""
    shown = pane_of(call.workspace, pane)
    if not shown.closed:
        raise CommandError("No closed tab to reopen.")
    check_tabs(shown)
    tab = shown.closed.pop()
    shown.open_tab(tab)
    call.events.changed()
    await call.browser.refresh(tab)
    return Said(f"Reopened tab {tab.id} ({to_wire(tab.path)})")
