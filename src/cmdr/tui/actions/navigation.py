"""Navigation: folders, tabs, bookmarks, volumes, and what shows where things are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.panes.name_input import complete_path
from cmdr.model.names import is_archive_name, to_wire
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


@action("open")
def open_entry(screen: MainScreen) -> None:
    """Enter the folder, or view the file; on the `..` row go up, and among scattered entries go where the file is."""
    tab = screen.tab
    name = tab.cursor_name()
    if screen.view.on_parent_row:
        parent(screen)
    elif tab.found is not None and name is not None and not tab.listing.entry(tab.cursor).is_folder:
        screen.enqueue("find.go", {"path": to_wire(os.path.join(tab.path, name))})
    elif name is not None and is_archive_name(name) and not tab.listing.entry(tab.cursor).is_folder:
        from cmdr.tui.actions.archives import open_archive

        open_archive(screen)
    elif len(tab.listing):
        screen.enqueue("open_under_cursor")


@action("parent")
def parent(screen: MainScreen) -> None:
    """Up one folder; from scattered entries, back to where they were asked for. At the top there is nothing to say."""
    if screen.tab.found is not None and (screen.tab.agent or len(screen.view.pane.person_tabs) > 1):
        screen.enqueue("tab.close")
    else:
        screen.enqueue("nav_to_parent", lambda: {} if screen.tab.path != b"/" else None)


@action("open_other")
def open_other(screen: MainScreen) -> None:
    """Show the folder under the cursor in the other pane; on a file or the `..` row, the folder around."""
    tab = screen.tab
    name = tab.cursor_name()
    if screen.view.on_parent_row:
        path = os.path.dirname(tab.path)
    elif name is not None and tab.listing.entry(tab.cursor).is_folder:
        path = os.path.join(tab.path, name)
    else:
        path = tab.path
    screen.enqueue("nav_to_path", {"pane": "other", "path": to_wire(path)})


action("root")(lambda screen: screen.enqueue("nav_to_path", {"pane": "focused", "path": "/"}))
action("home")(lambda screen: screen.enqueue("nav_to_path", {"pane": "focused", "path": "~"}))


@action("other_pane")
def other_pane(screen: MainScreen) -> None:
    """The other pane."""
    screen.quick_search.end()
    screen.enqueue("switch_pane")


@action("same_folder")
def same_folder(screen: MainScreen) -> None:
    """Show this folder in the other pane too."""
    screen.enqueue("nav_to_path", lambda: {"pane": "other", "path": to_wire(screen.tab.path)})


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
            past=screen.prompt_history["path"],
        ),
        lambda text: _go(screen, text.strip()),
    )


def _go(screen: MainScreen, text: str) -> None:
    if not text:
        return
    is_path = "/" in text or text in ("~", "..", ".") or os.path.isdir(os.path.join(screen.tab.path, text.encode()))
    if is_path:
        screen.enqueue("nav_to_path", {"pane": "focused", "path": text.rstrip("/") or "/"})
    else:
        screen.enqueue("nav.jump", {"text": text})


@action("find")
def find(screen: MainScreen) -> None:
    """Find below this folder while one types."""
    from cmdr.tui.windows.find import Find

    screen.terminal.push_screen(Find(screen))


@action("report")
def report(screen: MainScreen) -> None:
    """Choose a report on this folder; what it lists opens in a tab."""
    from cmdr.tui.windows.pickers import report_window

    root = to_wire(screen.tab.path)
    screen.terminal.ask(
        report_window(screen),
        lambda kind: screen.enqueue("report.open", {"kind": kind, "root": root}, show_answer=True),
    )


@action("treemap")
def treemap(screen: MainScreen) -> None:
    """What fills this folder."""
    from cmdr.tui.windows.treemap import TreemapWindow

    screen.terminal.push_screen(TreemapWindow(screen))


@action("bookmarks")
def bookmarks(screen: MainScreen) -> None:
    """Choose among bookmarks and the folders used most."""
    from cmdr.tui.windows.pickers import bookmark_window

    screen.terminal.ask(
        bookmark_window(screen), lambda path: screen.enqueue("nav_to_path", {"pane": "focused", "path": path})
    )


@action("visited")
def visited(screen: MainScreen) -> None:
    """Choose among the folders this tab has been in, the last one first."""
    from cmdr.tui.windows.pickers import visited_window

    window = visited_window(screen)
    if window is None:
        screen.show_message("This tab has been nowhere else yet.")
    else:
        screen.terminal.ask(window, lambda path: screen.enqueue("nav_to_path", {"pane": "focused", "path": path}))


@action("volume")
def volume(screen: MainScreen) -> None:
    """Choose a volume for this pane."""
    screen.enqueue(f"pane.{screen.commander.workspace.focused}VolumeChooser")


@action("pin_tab")
def pin_tab(screen: MainScreen) -> None:
    """Pin the tab to its folder, or let it go."""
    screen.enqueue(
        "pin_tab", lambda: {"pane": "focused", "tab": screen.tab.id, "pinned": not screen.tab.pinned}, show_answer=True
    )


action("next_tab")(lambda screen: screen.enqueue("activate_tab", lambda: _tab(screen, 1)))
action("previous_tab")(lambda screen: screen.enqueue("activate_tab", lambda: _tab(screen, -1)))


def _tab(screen: MainScreen, step: int) -> Arguments | None:
    pane = screen.view.pane
    if len(pane.tabs) == 1:
        return None
    return {"pane": "focused", "tab": pane.tabs[(pane.active + step) % len(pane.tabs)].id}
