"""How the panes are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.panes.sorting import Direction, SortKey
from cmdr.model.panes.tab import ViewMode
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


@action("filter")
def filter_pane(screen: MainScreen) -> None:
    """From now on letters make the filter."""
    screen.quick_search.begin_filter(screen.tab.filter)


@action("view_mode")
def view_mode(screen: MainScreen) -> None:
    """Brief or full."""
    screen.enqueue("set_view_mode", lambda: {"pane": "focused", "mode": _other_mode(screen)})


def _other_mode(screen: MainScreen) -> str:
    return ViewMode.FULL.value if screen.tab.view is ViewMode.BRIEF else ViewMode.BRIEF.value


@action("sort")
def sort(screen: MainScreen) -> None:
    """Choose the order; the present one again turns it round."""
    from cmdr.tui.windows.choose import Choice, Choose

    titles = {
        SortKey.NAME: "Name",
        SortKey.EXT: "Extension",
        SortKey.SIZE: "Size",
        SortKey.MODIFIED: "Modified",
        SortKey.CREATED: "Created",
    }
    now = screen.tab.sort
    choices = [
        Choice(key.value, title, "again turns it round" if key is now.by else "", "←" if key is now.by else "")
        for key, title in titles.items()
    ]
    screen.terminal.ask(
        Choose("Sort by", choices, current=now.by.value),
        lambda by: screen.enqueue("sort", lambda: sorted_by(screen, by)),
    )


def sorted_by(screen: MainScreen, by: str) -> Arguments:
    """The order to ask for: another one, or the present one turned round."""
    now = screen.tab.sort
    if by == now.by.value:
        order = Direction.ASC if now.direction is Direction.DESC else Direction.DESC
    else:
        # The largest and the newest are what one looks for.
        order = Direction.ASC if by in (SortKey.NAME, SortKey.EXT) else Direction.DESC
    return {"pane": "focused", "by": by, "order": order.value}


@action("preview")
def preview(screen: MainScreen) -> None:
    """Show the file under the cursor in the other pane's place."""
    screen.terminal.work(screen.quick_view.toggle(), group="quick view")
