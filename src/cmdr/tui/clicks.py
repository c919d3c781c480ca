"""What a click in a pane means: its tab, its path, a row, or the way up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.tui.pane_view import PaneView

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def clicked(screen: MainScreen, message: PaneView.Clicked) -> None:
    """The pane gets the focus, and what was hit does what a key on it would do."""
    side, position = message.side.value, message.position
    screen.give("switch_pane", lambda: {} if screen.commander.workspace.focused is not message.side else None)
    if message.what == "tab":
        screen.give("activate_tab", {"pane": side, "tab": message.tab})
    elif message.what == "path":
        screen.act("go_to_path")
    elif message.what == "mark" and position >= 0:
        screen.give("selection.toggle", {"pane": side, "index": position})
    elif message.what == "row":
        if position < 0:
            screen.give("cursor.up_row", {"pane": side})
        else:
            screen.give("move_cursor", {"pane": side, "to": position})
        if message.twice:
            screen.orders.after(lambda: screen.act("open"))
