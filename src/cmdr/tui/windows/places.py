"""Where to go: volumes, bookmarks, folders used most."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.await_complete import AwaitComplete

from cmdr.model.names import to_wire
from cmdr.model.panes.dialog import Dialog
from cmdr.model.units import human_size
from cmdr.tui.pane_frame import tilde
from cmdr.tui.windows.choose import Choice, Choose

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


def bookmark_window(screen: MainScreen) -> Choose:
    """Bookmarks first, then what is used most; Del takes a bookmark away, Ins adds the present folder."""

    def listed() -> list[Choice]:
        home = screen.terminal.appearance.home
        bookmarks = screen.commander.bookmarks
        marked = bookmarks.marked()
        rest = [path for path in bookmarks.frequent(limit=30) if path not in marked and path != screen.tab.path]
        return [
            Choice(to_wire(path), tilde(path, home), "", "★" if path in marked else "") for path in [*marked, *rest]
        ]

    def remove(window: Choose, choice: Choice) -> None:
        screen.give("bookmark.remove", {"path": choice.value}, done=lambda _: window.replace(listed(), stay=True))

    def add(window: Choose, choice: Choice) -> None:
        screen.give("bookmark.add", done=lambda _: window.replace(listed()))

    found = listed()
    if not found:
        screen.commander.bookmarks.visit(os.path.expanduser(b"~"))
        found = listed() or [Choice("~", "~")]
    return Choose(
        "Bookmarks and frequent folders",
        found,
        extra={"delete": remove, "insert": add},
        hint="type to narrow · Ins adds this folder · Del removes · Enter goes",
    )


def visited_window(screen: MainScreen) -> Choose | None:
    """The folders a tab has been in, the last one first; None when it has been nowhere else."""
    tab, home = screen.tab, screen.terminal.appearance.home
    paths = dict.fromkeys(visit.path for visit in reversed(tab.history.visits) if visit.path != tab.path)
    choices = [Choice(to_wire(path), tilde(path, home)) for path in paths]
    return Choose("Folders this tab has been in", choices) if choices else None


class VolumePicker(Choose):
    """The volumes of one pane."""

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        self._screen = screen
        self._stands = False
        self._side = dialog.pane or screen.commander.workspace.focused
        super().__init__(f"Volumes, {self._side} pane", self._listed())
        self.dialog = dialog.id

    def _listed(self) -> list[Choice]:
        choices = []
        for volume in self._screen.commander.workspace.volumes:
            space = None if volume.remote else self._screen.commander.space.at(volume.path, self._news)
            free = f"{human_size(space.free)} free of {human_size(space.total)}" if space else ""
            choices.append(Choice(volume.name, volume.name, f"{to_wire(volume.path)}  {volume.kind}", free))
        return choices

    def opened(self) -> None:
        """What was learned about the volumes while the window was put up is shown, too."""
        super().opened()
        self._stands = True
        self.replace(self._listed())

    def _news(self) -> None:
        if self._stands and self.is_attached:
            self.replace(self._listed())

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Go there."""
        if result is not None and self.app.screen is self:
            self._screen.give("select_volume", {"pane": self._side.value, "name": result}, told=True)
        return super().dismiss(result)
