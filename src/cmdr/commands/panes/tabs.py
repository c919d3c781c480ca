"""Tabs of a pane."""

from cmdr.commands._paths import PaneRef, own_pane, pane_of, path_of
from cmdr.core.admission.quotas import check_tabs
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.agent_view import AgentPane, AgentView
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import Tab
from cmdr.model.results.result import Said


def _found(pane: Pane, id: str) -> Tab:
    place = pane.find_tab(id)
    if place is None:
        ids = ", ".join(tab.id for tab in pane.tabs)
        raise CommandError(f'No tab "{printable(id, 40)}" in the {pane.side} pane. There are: {ids}.')
    return pane.tabs[place]


def _own(call: Call, shown: Pane, id: str) -> Tab:
    """A tab that the caller may pin or close: an agent, only one of its own while somebody looks at the panes."""
    workspace = call.workspace
    if not isinstance(workspace, AgentView) or (isinstance(shown, AgentPane) and shown.find_tab(id) is not None):
        return _found(shown, id)
    shared = workspace.shared.pane(shown.side)
    if call.commander.agent_tabs.shares(shown.side):
        return _found(shared, id)
    if (place := shared.find_tab(id)) is None:
        return _found(shown, id)
    whose = f"{printable(shared.tabs[place].agent_name, 40)}'s" if shared.tabs[place].agent else "the person's"
    raise CommandError(f"Tab {id} is {whose}. Pin and close your own tabs; tab.new opens one.")


@command("activate_tab", access=Access.VIEW, toolset="panes", idempotent=True)
async def activate_tab(call: Call, *, pane: PaneRef, tab: str) -> Said:
    """Bring a tab to the front."""
    shown = pane_of(call.workspace, pane)
    workspace = call.workspace
    if isinstance(workspace, AgentView) and (not isinstance(shown, AgentPane) or shown.find_tab(tab) is None):
        return await _go_to_persons(call, workspace, shown, tab)
    shown.show_tab(_found(shown, tab))
    if call.principal.is_person:
        call.commander.agent_fronts.chosen(shown)
    return Said(await _activated(call, shown, tab))


async def _activated(call: Call, shown: Pane, id: str) -> str:
    call.events.changed()
    call.browser.follow_active_tabs()
    note = ""
    if shown.tab.history.here < 0:  # it was open last time, and nobody has looked at it since
        note = await call.browser.open_nearest(shown)
    else:
        await call.browser.refresh(shown.tab)
    return note or f"Activated tab {id} ({to_wire(shown.tab.path)})"


async def _go_to_persons(call: Call, view: AgentView, shown: Pane, id: str) -> Said:
    """An agent goes to a tab that is not its own: to the person's in front, or to a copy of another."""
    tabs, shared = call.commander.agent_tabs, view.shared.pane(shown.side)
    if isinstance(shown, AgentPane) and shared.find_tab(id) is None:
        _found(shown, id)
    wanted = _found(shared, id)
    if tabs.shares(shown.side):
        shared.show_tab(wanted)
        return Said(await _activated(call, shared, id))
    if wanted is shared.person_tab:
        view.leave(shown.side)
        call.events.changed()
        call.browser.follow_active_tabs()
        return Said(f"Activated tab {id} ({to_wire(wanted.path)})")
    check_tabs(shown)
    own = tabs.copy(view, shown.side, wanted)
    return Said(f"{await _activated(call, view.pane(shown.side), id)}\nown tab: {own.id}")


@command("pin_tab", access=Access.VIEW, toolset="panes", idempotent=True)
def pin_tab(call: Call, *, pane: PaneRef, tab: str, pinned: bool = True) -> Said:
    """Pin a tab to its folder, or let it go."""
    _own(call, pane_of(call.workspace, pane), tab).pinned = pinned
    call.events.changed()
    return Said(f"{'Pinned' if pinned else 'Unpinned'} tab {tab}")


@command("tab.new", access=Access.VIEW, title="New tab")
async def new_tab(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Open a new tab beside the one in front."""
    here = pane_of(call.workspace, pane).tab.path
    shown = pane_of(call.workspace, pane) if call.principal.is_person else own_pane(call, pane)
    tab = await call.browser.open(shown, path_of(path, here) if path else here, new_tab=True)
    return Said(f"Opened tab {tab.id} ({to_wire(tab.path)})")


@command("tab.close", access=Access.VIEW, title="Close tab")
def close_tab(call: Call, *, pane: PaneRef = "focused", tab: str | None = None) -> Said:
    """Close a tab; the last one stays."""
    shown = pane_of(call.workspace, pane)
    closed = _own(call, shown, shown.tab.id if tab is None else tab)
    if not isinstance(shown, AgentPane):
        shown = call.commander.workspace.pane(shown.side)
        if not closed.agent and len(shown.person_tabs) == 1:
            raise CommandError(f"The {shown.side} pane keeps its last tab.")
    if closed.pinned:
        raise CommandError(f"Tab {closed.id} is pinned. Unpin it first.")
    if closed.agent:
        shown.drop_tab(closed)
    else:
        shown.close_tab(shown.tabs.index(closed))
    call.events.changed()
    call.browser.follow_active_tabs()
    return Said(f"Closed tab {closed.id}")


@command("tab.reopen", access=Access.VIEW, title="Reopen closed tab")
async def reopen_tab(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Bring back the tab that was closed last."""
    shown = pane_of(call.workspace, pane)
    if isinstance(call.workspace, AgentView) and not isinstance(shown, AgentPane):
        if not call.commander.agent_tabs.shares(shown.side):
            raise CommandError("No closed tab to reopen.")
        shown = call.commander.workspace.pane(shown.side)
    if not shown.closed:
        raise CommandError("No closed tab to reopen.")
    check_tabs(shown)
    tab = shown.closed.pop()
    shown.open_tab(tab)
    call.events.changed()
    await call.browser.refresh(tab)
    return Said(f"Reopened tab {tab.id} ({to_wire(tab.path)})")
