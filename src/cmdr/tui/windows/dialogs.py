"""Windows for the workspace's dialogs, kept in sync: what is opened or closed anywhere is so here too."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import Dialog, DialogType

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp


class DialogWindows:
    """A window for every dialog of the person's; those that agents opened wait until they are asked for.

    A window that pops up takes the keys meant for something else, so nothing an agent does may open one by itself;
    `agent_windows.py` asks for them once the person does nothing else.
    """

    def __init__(self, terminal: TerminalApp) -> None:
        self._terminal = terminal
        self._open: dict[str, Screen[object]] = {}
        self._requested: set[str] = set()

    def open_window(self, dialog: Dialog) -> None:
        """The person wants to see this one."""
        self._requested.add(dialog.id)
        self.sync()

    def shows(self, dialog: Dialog) -> bool:
        """Whether a dialog is on the screen, or will be at once."""
        return dialog.id in self._open or self._is_shown(dialog)

    def waiting(self) -> list[Dialog]:
        """The dialogs that wait to be looked at, proposals first, oldest first."""
        dialogs = [dialog for dialog in self._terminal.commander.workspace.dialogs if dialog.id not in self._open]
        return sorted(dialogs, key=lambda dialog: dialog.type is not DialogType.CONFIRMATION)

    def sync(self) -> None:
        """Open and close what the workspace says."""
        commander = self._terminal.commander
        present = {dialog.id: dialog for dialog in commander.workspace.dialogs}
        for id in [id for id in self._open if id not in present]:
            window = self._open.pop(id)
            self._requested.discard(id)
            if window in self._terminal.screen_stack:
                self._terminal.close_window(window)
        for dialog in present.values():
            if dialog.id not in self._open and self._is_shown(dialog):
                window = cast("Screen[object]", _window_for(dialog, self._terminal))
                self._open[dialog.id] = window
                self._terminal.push_screen(window, lambda _, dialog=dialog: self._closed(dialog))
        # Viewers lie on the screen in the workspace's order.
        order = [self._open[id] for id in present if id in self._open]
        if order and self._terminal.screen in order and self._terminal.screen is not order[-1]:
            self._terminal.bring_to_front(order[-1])

    def _is_shown(self, dialog: Dialog) -> bool:
        if dialog.id in self._requested:
            return True
        return dialog.opened_by == PERSON.id and dialog.type is not DialogType.CONFIRMATION

    def _closed(self, dialog: Dialog) -> None:
        """The person closed the window: the dialog goes with it. A proposal without an answer goes on waiting."""
        self._open.pop(dialog.id, None)
        self._requested.discard(dialog.id)
        if dialog.type is not DialogType.CONFIRMATION:
            self.close(dialog)

    def close(self, dialog: Dialog) -> None:
        """Take a dialog away, whether it was looked at or not."""
        if dialog in self._terminal.commander.workspace.dialogs:
            arguments: dict[str, str] = {"action": "close", "type": dialog.type.value}
            if dialog.path is not None:
                arguments["path"] = to_wire(dialog.path)
            self._terminal.main.enqueue("dialog", {**arguments})


def _window_for(dialog: Dialog, terminal: TerminalApp) -> object:
    """The window of a dialog; each kind is imported when it is first needed."""
    main = terminal.main
    match dialog.type:
        case DialogType.CONFIRMATION:
            from cmdr.tui.changes.confirm import Confirm

            return Confirm(dialog, main)
        case DialogType.FILE_VIEWER:
            from cmdr.tui.viewer.viewer import Viewer

            return Viewer(dialog.path or b"/", terminal)
        case DialogType.SETTINGS:
            from cmdr.tui.windows.settings import SettingsWindow

            return SettingsWindow(dialog, main)
        case DialogType.VOLUME_PICKER:
            from cmdr.tui.windows.pickers import VolumePicker

            return VolumePicker(dialog, main)
        case DialogType.INFO:
            from cmdr.tui.windows.text_window import Info

            return Info(dialog, main)
        case DialogType.ABOUT:
            from cmdr.tui.windows.text_window import TextWindow, about_rows

            return TextWindow("About cmdr", about_rows(terminal), dialog=dialog.id)
