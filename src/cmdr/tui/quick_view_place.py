"""Where the quick view stands: in the place of the other pane, on whichever side that is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen
    from cmdr.tui.quick_view import QuickView


class QuickViewPlace:
    """Comes and goes with a key, and changes sides with the focus."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self.view: QuickView | None = None
        """What is shown in place of the other pane, if anything is."""

    async def toggle(self) -> None:
        """Show the file under the cursor in place of the other pane, or the pane again."""
        screen = self._screen
        if self.view is not None:
            view, self.view = self.view, None
            screen.left.display = screen.right.display = True
            await view.remove()
        else:
            from cmdr.tui.quick_view import QuickView

            self.view = QuickView(screen.terminal.appearance)
            await screen.query_one("#panes").mount(self.view)
        self.show()

    def show(self) -> None:
        """Stand where the other pane was, also after the focus has changed sides, and follow the cursor."""
        screen, quick = self._screen, self.view
        if quick is None or not quick.is_mounted:
            return
        other = screen.right if screen.view is screen.left else screen.left
        screen.view.display, other.display = True, False
        panes = screen.query_one("#panes")
        children = list(panes.children)
        if (children.index(quick) > children.index(screen.view)) != (screen.view is screen.left):
            if screen.view is screen.left:
                panes.move_child(quick, after=screen.right)
            else:
                panes.move_child(quick, before=screen.left)
        name = screen.tab.cursor_name()
        quick.show(None if name is None else os.path.join(screen.tab.path, name))
