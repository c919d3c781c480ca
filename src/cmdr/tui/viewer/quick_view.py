"""The quick view: the file under the cursor, in the place of the other pane."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from cmdr.tui.terminal.safe_text import shown
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import Bar

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen
    from cmdr.tui.viewer.file_view import FileView


class QuickViewHost:
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


class QuickView(Vertical):
    """A title and the file; follows the cursor a moment after it rests."""

    DEFAULT_CSS = "QuickView { width: 1fr; height: 1fr; } QuickView > Bar { height: 1; }"

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(id="quick")
        from cmdr.tui.viewer.file_view import FileView  # a person may never open it

        self._title = Bar(appearance, "title", "dim", min_left=6)
        self.file = FileView(appearance)
        self._wanted: bytes | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.file

    def show(self, path: bytes | None) -> None:
        """Show another file, unless the cursor goes on at once."""
        if path != self._wanted:
            self._wanted = path
            self.set_timer(0.08, self._settle)

    def _settle(self) -> None:
        if self._wanted is not None and self._wanted != self.file.path:
            self.run_worker(self.file.open(self._wanted), exclusive=True)

    def on_file_view_moved(self, message: FileView.Moved) -> None:
        """Tell where we are."""
        message.stop()
        name = shown(self.file.path.rpartition(b"/")[2])
        self._title.say(f" {name}", f" {self.file.describe()} ")
