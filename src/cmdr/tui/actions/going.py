"""Moving the cursor and going places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.completion import complete_path
from cmdr.core.parameter import Arguments
from cmdr.model.names import to_wire
from cmdr.model.tab import ViewMode
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def _to(screen: MainScreen, position: int) -> Arguments | None:
    total = len(screen.tab.listing)
    return {"pane": "focused", "to": max(0, min(position, total - 1))} if total else None


def _by(screen: MainScreen, step: int) -> None:
    screen.give("move_cursor", lambda: _to(screen, screen.tab.cursor + step))


def _by_page(screen: MainScreen, pages: int) -> None:
    screen.give("move_cursor", lambda: _to(screen, screen.view.page_from(screen.tab.cursor, pages)))


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
        _by(screen, -screen.view.shape.lines)
    else:
        _by_page(screen, -1)


@action("right")
def right(screen: MainScreen) -> None:
    """A column to the right; a page down where there is only one."""
    if screen.tab.view is ViewMode.BRIEF:
        _by(screen, screen.view.shape.lines)
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
    """The first entry."""
    screen.give("move_cursor", lambda: _to(screen, 0))


@action("last")
def last(screen: MainScreen) -> None:
    """The last entry."""
    screen.give("move_cursor", lambda: _to(screen, len(screen.tab.listing) - 1))


@action("open")
def open_entry(screen: MainScreen) -> None:
    """Enter the folder, or view the file."""
    screen.give("open_under_cursor", lambda: {} if len(screen.tab.listing) else None)


@action("parent")
def parent(screen: MainScreen) -> None:
    """Up one folder; at the top there is nothing to say."""
    screen.give("nav_to_parent", lambda: {} if screen.tab.path != b"/" else None)


@action("back")
def back(screen: MainScreen) -> None:
    """Back in the history."""
    screen.give("nav_back")


@action("forward")
def forward(screen: MainScreen) -> None:
    """Forward in the history."""
    screen.give("nav_forward")


@action("root")
def root(screen: MainScreen) -> None:
    """The root folder."""
    screen.give("nav_to_path", {"pane": "focused", "path": "/"})


@action("home")
def home(screen: MainScreen) -> None:
    """The home folder."""
    screen.give("nav_to_path", {"pane": "focused", "path": "~"})


@action("refresh")
def refresh(screen: MainScreen) -> None:
    """Read the folder again."""
    screen.give("refresh")


@action("other_pane")
def other_pane(screen: MainScreen) -> None:
    """The other pane."""
    screen.typing.end()
    screen.give("switch_pane")


@action("swap")
def swap(screen: MainScreen) -> None:
    """Exchange the panes."""
    screen.give("swap_panes")


@action("same_folder")
def same_folder(screen: MainScreen) -> None:
    """Show this folder in the other pane too."""
    screen.give("nav_to_path", lambda: {"pane": "other", "path": to_wire(screen.tab.path)})


@action("go_to_path")
def go_to_path(screen: MainScreen) -> None:
    """Type a path, with completion."""
    from cmdr.tui.windows.ask import Ask

    base = screen.tab.path
    screen.terminal.ask(
        Ask(
            "Go to",
            "",
            complete=lambda text: complete_path(text, base),
            placeholder="a path, or words of a folder you use",
        ),
        lambda text: _go(screen, text.strip()),
    )


def _go(screen: MainScreen, text: str) -> None:
    if not text:
        return
    is_path = "/" in text or text in ("~", "..", ".") or os.path.isdir(os.path.join(screen.tab.path, text.encode()))
    if is_path:
        screen.give("nav_to_path", {"pane": "focused", "path": text.rstrip("/") or "/"})
    else:
        screen.give("nav.jump", {"text": text})


@action("find")
def find(screen: MainScreen) -> None:
    """Find below this folder while one types."""
    from cmdr.tui.windows.find import Find

    screen.terminal.push_screen(Find(screen))


@action("bookmarks")
def bookmarks(screen: MainScreen) -> None:
    """Choose among bookmarks and the folders used most."""
    from cmdr.tui.windows.places import bookmark_window

    screen.terminal.ask(
        bookmark_window(screen), lambda path: screen.give("nav_to_path", {"pane": "focused", "path": path})
    )


@action("bookmark_here")
def bookmark_here(screen: MainScreen) -> None:
    """Bookmark this folder."""
    screen.give("bookmark.add", told=True)


@action("volume")
def volume(screen: MainScreen) -> None:
    """Choose a volume for this pane."""
    screen.give(f"pane.{screen.commander.workspace.focused}VolumeChooser")


@action("left_volume")
def left_volume(screen: MainScreen) -> None:
    """Choose a volume for the left pane."""
    screen.give("pane.leftVolumeChooser")


@action("right_volume")
def right_volume(screen: MainScreen) -> None:
    """Choose a volume for the right pane."""
    screen.give("pane.rightVolumeChooser")


@action("new_tab")
def new_tab(screen: MainScreen) -> None:
    """A new tab."""
    screen.give("tab.new")


@action("close_tab")
def close_tab(screen: MainScreen) -> None:
    """Close the tab."""
    screen.give("tab.close")


@action("reopen_tab")
def reopen_tab(screen: MainScreen) -> None:
    """Bring the last closed tab back."""
    screen.give("tab.reopen")


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
