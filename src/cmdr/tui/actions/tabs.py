"""Tabs: open, close, pin, and go from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.core.dispatch.parameter import Arguments
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


@action("pin_tab")
def pin_tab(screen: MainScreen) -> None:
    """Pin the tab to its folder, or let it go."""
    screen.give(
        "pin_tab", lambda: {"pane": "focused", "tab": screen.tab.id, "pinned": not screen.tab.pinned}, told=True
    )


@action("next_tab")
def next_tab(screen: MainScreen) -> None:
    """The next tab."""
    screen.give("activate_tab", lambda: _tab(screen, 1))


@action("previous_tab")
def previous_tab(screen: MainScreen) -> None:
    """The tab before."""
    screen.give("activate_tab", lambda: _tab(screen, -1))


def _tab(screen: MainScreen, step: int) -> Arguments | None:
    pane = screen.view.pane
    if len(pane.tabs) == 1:
        return None
    return {"pane": "focused", "tab": pane.tabs[(pane.active + step) % len(pane.tabs)].id}
