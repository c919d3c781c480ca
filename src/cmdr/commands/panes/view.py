"""How panes are shown: order, hidden files, brief or full, filter."""

from typing import Annotated

from cmdr.commands._paths import PaneRef, own_pane
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.tab import ViewMode
from cmdr.model.results.result import Said
from cmdr.model.units import count


@command("sort", access=Access.VIEW, toolset="panes", idempotent=True)
async def sort(call: Call, *, pane: PaneRef, by: SortKey, order: Direction = Direction.ASC) -> Said:
    """Sort a pane."""
    shown = own_pane(call, pane)
    await call.browser.sort(shown.tab, SortOrder(by, order))
    return Said(f"Sorted {shown.side} pane by {by} ({order})\nrev: {shown.tab.rev}")


@command("toggle_hidden", access=Access.VIEW, toolset="panes", ids=("view.showHidden",))
async def toggle_hidden(call: Call, *, value: bool | None = None) -> Said:
    """Show or hide dot files."""
    show = not call.workspace.show_hidden if value is None else value
    await call.commander.agent_tabs.show_hidden(call.principal, show, call.forks)
    return Said(f"Hidden files {'shown' if show else 'hidden'}")


@command("set_view_mode", access=Access.VIEW, toolset="panes", idempotent=True)
def set_view_mode(call: Call, *, pane: PaneRef, mode: ViewMode) -> Said:
    """Brief shows names, full adds size and dates."""
    shown = own_pane(call, pane)
    shown.tab.view = mode
    call.events.changed()
    return Said(f"{shown.side.capitalize()} pane set to {mode} view")


@command("view.briefMode", access=Access.VIEW, title="Brief view", idempotent=True)
def brief_mode(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Show a pane's names in columns."""
    return set_view_mode(call, pane=pane, mode=ViewMode.BRIEF)


@command("view.fullMode", access=Access.VIEW, title="Full view", idempotent=True)
def full_mode(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Show a pane with sizes and dates."""
    return set_view_mode(call, pane=pane, mode=ViewMode.FULL)


@command("filter", access=Access.VIEW, ids=("view.filter",), title="Filter")
async def filter_pane(
    call: Call, *, pane: PaneRef = "focused", text: Annotated[str, Doc("part of a name or masks; empty shows all")] = ""
) -> Said:
    """Show only entries whose name holds a text, or matches masks like *.py;*.md. What is not shown is not selected."""
    shown = own_pane(call, pane)
    await call.browser.filter(shown.tab, text[:200])
    listing = shown.tab.listing
    return Said(f"{count(len(listing), 'entry', 'entries')} of {len(listing.columns)} shown\nrev: {shown.tab.rev}")
