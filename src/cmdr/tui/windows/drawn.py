"""Which window draws which dialog of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from cmdr.model.panes.dialog import Dialog, DialogType

if TYPE_CHECKING:
    from cmdr.tui.terminal import Terminal


def window_for(dialog: Dialog, terminal: Terminal) -> Screen[object]:
    """The window of a dialog; each kind is imported when it is first needed."""
    return cast("Screen[object]", _window(dialog, terminal))


def _window(dialog: Dialog, terminal: Terminal) -> object:
    main = terminal.main
    match dialog.type:
        case DialogType.CONFIRMATION:
            from cmdr.tui.windows.confirm import Confirm

            return Confirm(dialog, main)
        case DialogType.FILE_VIEWER:
            from cmdr.tui.windows.viewer import Viewer

            return Viewer(dialog.path or b"/", terminal)
        case DialogType.SETTINGS:
            from cmdr.tui.windows.settings import SettingsWindow

            return SettingsWindow(dialog, main)
        case DialogType.VOLUME_PICKER:
            from cmdr.tui.windows.places import VolumePicker

            return VolumePicker(dialog, main)
        case DialogType.INFO:
            from cmdr.tui.windows.info import Info

            return Info(dialog, main)
        case DialogType.ABOUT:
            from cmdr.tui.windows.help import about_rows
            from cmdr.tui.windows.reading import Reading

            return Reading("About cmdr", about_rows(terminal), dialog=dialog.id)
