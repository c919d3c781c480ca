"""Dialogs: open, focus, close, and which kinds there are."""

import os
from typing import Literal

from cmdr.commands._paths import pane_of, path_of
from cmdr.commands.panes.file import is_seen, nothing_there
from cmdr.core.admission.quotas import check_windows
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.workspace import DESCRIPTIONS, Dialog, DialogType, SettingsSection, Workspace
from cmdr.model.results.app import SPOKEN, Opened
from cmdr.model.results.result import PlainText, Result, Said
from cmdr.model.yaml_text import Value, document

_WITH_PATH = (DialogType.FILE_VIEWER, DialogType.INFO)


@command("dialog", access=Access.VIEW, toolset="panes")
async def dialog(
    call: Call,
    *,
    action: Literal["open", "focus", "close"],
    type: DialogType,
    section: SettingsSection | None = None,
    path: str | None = None,
    proposal: str | None = None,
) -> Result:
    """Open, focus or close a dialog. Closing the confirmation withdraws the proposal."""
    if proposal is not None and (action, type) != ("close", DialogType.CONFIRMATION):
        raise CommandError('Only closing the confirmation takes a "proposal".')
    if section is not None and type is not DialogType.SETTINGS:
        raise CommandError(f"{type} has no sections. Only settings has.")
    if path is not None and type not in _WITH_PATH:
        raise CommandError(f"{type} takes no path. Only file-viewer and info do.")
    if action == "open":
        return await open_dialog(call, type, section, path)
    target = None if path is None else path_of(path, pane_of(call.workspace, "focused").tab.path)
    answer = _focus(call.workspace, type, section, target) if action == "focus" else close(call, type, target, proposal)
    call.events.changed()
    return Said(answer)


async def open_dialog(call: Call, type: DialogType, section: SettingsSection | None, path: str | None) -> Opened:
    """Open a dialog, or bring the one that is already there to the front."""
    workspace = call.workspace
    if type is DialogType.CONFIRMATION:
        raise CommandError("A confirmation is opened by copy, mkdir and the like; it can only be closed.")
    target = await _target(call, path) if type in _WITH_PATH else None
    if type is DialogType.FILE_VIEWER and target is not None and await call.browser.facts.is_folder(target):
        type = DialogType.INFO  # a folder has no text to view; its facts are what there is to see
    if type is DialogType.SETTINGS:
        section = section or SettingsSection.GENERAL
    for present in workspace.dialogs_of(type):
        if type not in _WITH_PATH or present.path == target:
            opened = present
            workspace.focus_dialog(present)
            present.section = section
            break
    else:
        check_windows(workspace, call.principal.id)
        side = workspace.focused if type is DialogType.VOLUME_PICKER else None
        opened = workspace.open_dialog(type, call.principal.id, section=section, path=target, pane=side)
    call.events.changed()
    return Opened(opened.id, type, target, is_seen=is_seen(call, opened))


def close(call: Call, type: DialogType, path: bytes | None, proposal: str | None = None) -> str:
    """Close a dialog, or all viewers; of several confirmations the latest, or that of a proposal."""
    open_now = _matching(call.workspace, type, path)
    if type is DialogType.CONFIRMATION:
        if not call.principal.is_person:
            # What another agent or the person asked for is not this agent's to withdraw.
            open_now = [present for present in open_now if present.opened_by == call.principal.id]
        if proposal is not None:
            open_now = [present for present in open_now if present.proposal == proposal]
        if not open_now:
            raise CommandError("No confirmation dialog open" + (f" for {printable(proposal, 40)}" if proposal else ""))
        confirmation = open_now[-1]
        call.workspace.close_dialog(confirmation)
        if confirmation.proposal:
            call.commander.proposals.cancel(confirmation.proposal, call.principal)
        return "Cancelled confirmation dialog"
    for present in open_now:
        call.workspace.close_dialog(present)
    if type in _WITH_PATH and path is None:
        return f"Closed {len(open_now)} {SPOKEN[type]} dialog{'s' if len(open_now) != 1 else ''}"
    return f"Closed {SPOKEN[type]}" + (f" for {to_wire(path)}" if path else "")


@command("dialogs_available", access=Access.READ, title="Available dialogs", idempotent=True)
def dialogs_available(workspace: Workspace) -> PlainText:
    """Which dialogs there are."""
    told: list[Value] = []
    for type in DialogType:
        row: dict[str, Value] = {"type": type.value}
        if type is DialogType.SETTINGS:
            row["sections"] = [section.value for section in SettingsSection]
        if type in DESCRIPTIONS:
            row["description"] = DESCRIPTIONS[type]
        told.append(row)
    return PlainText(document({"dialogs": told}))


def _focus(workspace: Workspace, type: DialogType, section: SettingsSection | None, path: bytes | None) -> str:
    present = max(_matching(workspace, type, path), key=lambda dialog: dialog.opening)
    workspace.focus_dialog(present)
    if section is not None:
        present.section = section
    return f"Focused {SPOKEN[type]}" + (f" for {to_wire(present.path)}" if present.path else "")


def _matching(workspace: Workspace, type: DialogType, path: bytes | None) -> list[Dialog]:
    open_now = [present for present in workspace.dialogs_of(type) if path is None or present.path == path]
    if not open_now:
        if type is DialogType.CONFIRMATION:
            raise CommandError("No confirmation dialog open")
        raise CommandError(f"No {type} open" + (f" for {to_wire(path)}" if path else ""))
    return open_now


async def _target(call: Call, path: str | None) -> bytes:
    shown = pane_of(call.workspace, "focused")
    tab = shown.tab
    if path is not None:
        target = path_of(path, tab.path)
        await call.browser.facts.check_exists(target)
        return target
    name = tab.cursor_name()
    if name is None and tab.on_parent_row:
        raise nothing_there(shown)
    if name is None:
        raise CommandError("The pane is empty: there is no file under the cursor.")
    return os.path.join(tab.path, name)
