"""What a click in a pane means: its tab, its path, a column head, a row, or the way up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.tui.actions.viewing import sorted_by
from cmdr.tui.pane_hit import Part
from cmdr.tui.pane_view import PaneView

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def clicked(screen: MainScreen, message: PaneView.Clicked) -> None:
    """The pane gets the focus, and what was hit does what a key on it would do."""
    side, hit = message.side.value, message.hit
    screen.give("switch_pane", lambda: {} if screen.commander.workspace.focused is not message.side else None)
    if hit.part is Part.TAB:
        screen.give("activate_tab", {"pane": side, "tab": hit.tab})
    elif hit.part is Part.PATH:
        screen.act("go_to_path")
    elif hit.part is Part.HEAD:
        screen.give("sort", lambda: sorted_by(screen, hit.order.value))
    elif hit.part is Part.ROW and message.marks:
        screen.give("selection.toggle", lambda: {"pane": side, "index": hit.position} if hit.position >= 0 else None)
    elif hit.part is Part.ROW:
        if hit.position < 0:
            screen.give("cursor.up_row", {"pane": side})
        else:
            screen.give("move_cursor", {"pane": side, "to": hit.position})
        if message.twice:
            screen.orders.after(lambda: screen.act("open"))
