"""Moving the cursor over the rows as they are drawn, the `..` row among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.panes.tab import ViewMode
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

LAST = 1 << 62


def move(screen: MainScreen, place: int) -> None:
    """Put the cursor on a place, or as near to it as there are rows."""
    geometry, entries = screen.view.geometry, len(screen.tab.listing)
    wanted = max(0, min(place, geometry.total(entries) - 1))
    if not entries:
        return
    if wanted < geometry.above:
        screen.enqueue("cursor.up_row")
    else:
        screen.enqueue("move_cursor", {"pane": "focused", "to": wanted - geometry.above})


def _by_page(screen: MainScreen, pages: int) -> None:
    move(screen, screen.view.page_from(screen.view.cursor, pages))


def _by_column(screen: MainScreen, columns: int) -> None:
    """A column to the side; a page up or down where there is only one."""
    if screen.tab.view is ViewMode.BRIEF:
        move(screen, screen.view.cursor + columns * screen.view.geometry.lines)
    else:
        _by_page(screen, columns)


action("up")(lambda screen: move(screen, screen.view.cursor - 1))
action("down")(lambda screen: move(screen, screen.view.cursor + 1))
action("left")(lambda screen: _by_column(screen, -1))
action("right")(lambda screen: _by_column(screen, 1))
action("page_up")(lambda screen: _by_page(screen, -1))
action("page_down")(lambda screen: _by_page(screen, 1))
action("first")(lambda screen: move(screen, 0))
action("last")(lambda screen: move(screen, LAST))
