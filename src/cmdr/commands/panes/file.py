"""The entry under the cursor: its path, its contents, its facts."""

import os

from cmdr.commands._paths import PaneRef, pane_of
from cmdr.core.admission.quotas import check_windows
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Kind
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.workspace import Dialog, DialogType
from cmdr.model.results.app import Opened
from cmdr.model.results.result import Said


def under_cursor(pane: Pane) -> bytes:
    """The path of the entry under a pane's cursor."""
    name = pane.tab.cursor_name()
    if name is None:
        raise nothing_there(pane)
    return os.path.join(pane.tab.path, name)


def nothing_there(pane: Pane) -> CommandError:
    """Why there is no entry under a pane's cursor."""
    if pane.tab.on_parent_row:
        return CommandError("The cursor is on the .. row. Move it to an entry, or select some.")
    return CommandError(f"The {pane.side} pane is empty.")


@command("file.copyPath", access=Access.VIEW, title="Copy path", lasting=True)
async def copy_path(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Copy the path of the entry under the cursor to the clipboard."""
    path = under_cursor(pane_of(call.workspace, pane))
    way = await call.commander.desktop.copy(os.fsdecode(path))
    return Said(f"Copied {to_wire(path)} through {way}")


@command("file.copyFilename", access=Access.VIEW, title="Copy file name", lasting=True)
async def copy_filename(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Copy the name of the entry under the cursor to the clipboard."""
    name = os.path.basename(under_cursor(pane_of(call.workspace, pane)))
    way = await call.commander.desktop.copy(os.fsdecode(name))
    return Said(f"Copied {to_wire(name)} through {way}")


@command("file.showInFinder", access=Access.VIEW, title="Show in file manager", lasting=True)
async def show_in_finder(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Show the entry under the cursor in the system's file manager."""
    shown = pane_of(call.workspace, pane)
    path = under_cursor(shown)
    way = await call.commander.desktop.reveal(path)
    return Said(f"Showing {to_wire(path)} through {way}")


@command("file.quickLook", access=Access.VIEW, title="Quick look")
def quick_look(call: Call, *, pane: PaneRef = "focused") -> Opened:
    """View the file under the cursor; of a folder, its facts."""
    shown = pane_of(call.workspace, pane)
    path = under_cursor(shown)
    if shown.tab.listing.entry(shown.tab.cursor).kind is Kind.FOLDER:
        return _open(call, DialogType.INFO, path)
    return view(call, path)


@command("file.getInfo", access=Access.VIEW, title="Get info")
def get_info(call: Call, *, pane: PaneRef = "focused") -> Opened:
    """Show the facts of the entry under the cursor."""
    return _open(call, DialogType.INFO, under_cursor(pane_of(call.workspace, pane)))


def view(call: Call, path: bytes) -> Opened:
    """Open a viewer for a file, or bring the one that is open to the front."""
    return _open(call, DialogType.FILE_VIEWER, path)


def _open(call: Call, type: DialogType, path: bytes) -> Opened:
    workspace = call.workspace
    present = next((dialog for dialog in workspace.dialogs_of(type) if dialog.path == path), None)
    if present is None:
        check_windows(workspace, call.principal.id)
        present = workspace.open_dialog(type, call.principal.id, path=path)
    else:
        workspace.focus_dialog(present)
    call.events.changed()
    return Opened(present.id, type, path, is_seen=is_seen(call, present))


def is_seen(call: Call, dialog: Dialog) -> bool:
    """Whether the person sees a dialog already: an agent's window never pops up by itself."""
    shows = call.commander.desktop.shows
    return shows is None or shows(dialog)
