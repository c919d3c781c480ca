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


def _by(screen: MainScreen, step: int) -> None:
    move(screen, screen.view.cursor + step)


def _by_page(screen: MainScreen, pages: int) -> None:
    move(screen, screen.view.page_from(screen.view.cursor, pages))


@action("up")
def up(screen: MainScreen) -> None:
    """One up."""
    _by(screen, -1)


@action("down")
def down(screen: MainScreen) -> None:
    """One down."""
    _by(screen, 1)


@action("left")
def left(screen: MainScreen) -> None:
    """A column to the left; a page up where there is only one."""
    if screen.tab.view is ViewMode.BRIEF:
        _by(screen, -screen.view.geometry.lines)
    else:
        _by_page(screen, -1)


@action("right")
def right(screen: MainScreen) -> None:
    """A column to the right; a page down where there is only one."""
    if screen.tab.view is ViewMode.BRIEF:
        _by(screen, screen.view.geometry.lines)
    else:
        _by_page(screen, 1)


@action("page_up")
def page_up(screen: MainScreen) -> None:
    """A page up."""
    _by_page(screen, -1)


@action("page_down")
def page_down(screen: MainScreen) -> None:
    """A page down."""
    _by_page(screen, 1)


@action("first")
def first(screen: MainScreen) -> None:
    """The first row."""
    move(screen, 0)


@action("last")
def last(screen: MainScreen) -> None:
    """The last row."""
    move(screen, LAST)
