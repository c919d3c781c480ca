"""The rest of what an editor tells a coding agent: selections, open documents, workspace, saving, closing."""

import json
import os
from urllib.parse import quote

from cmdr.commands.editor.editor_paths import check_may_read, editor_path, format_path, is_visible
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.results.result import PlainText
from cmdr.model.texts.buffer import SelectedText
from cmdr.model.texts.text_selection import Position


@command("get_current_selection", access=Access.READ, toolset="ide", title="Current selection")
async def get_current_selection(call: Call) -> PlainText:
    """What the person has selected in the open document."""
    check_may_read(call, "get_current_selection")
    return await _selected(call, await call.commander.editor.text.selection(), "No active editor found")


@command("get_latest_selection", access=Access.READ, toolset="ide", title="Latest selection")
async def get_latest_selection(call: Call) -> PlainText:
    """What the person selected last."""
    check_may_read(call, "get_latest_selection")
    return await _selected(call, await call.commander.editor.text.latest_selection(), "No selection available")


@command("get_open_editors", access=Access.READ, toolset="ide", title="Open documents")
async def get_open_editors(call: Call) -> PlainText:
    """Which documents are open."""
    tabs: list[Json] = [
        {
            "uri": f"file://{quote(each.path)}",
            "isActive": each.active,
            "label": format_path(call, os.path.basename(each.path)),
            "languageId": each.language_id,
            "isDirty": each.dirty,
        }
        for each in await call.commander.editor.text.shown()
        if await is_visible(call, each.path)
    ]
    return _json({"tabs": tabs})


@command("get_workspace_folders", access=Access.READ, toolset="ide", title="Workspace folders")
def get_workspace_folders(call: Call) -> PlainText:
    """The project folders that cmdr shows."""
    folders = call.commander.editor.folders.folders
    told: list[Json] = [
        {
            "name": format_path(call, os.path.basename(path) or path),
            "uri": f"file://{quote(path)}",
            "path": format_path(call, path),
        }
        for path in folders
    ]
    return _json({"success": True, "folders": told, "rootPath": format_path(call, folders[0]) if folders else None})


@command("check_document_dirty", access=Access.READ, toolset="ide", title="Unsaved changes")
async def check_document_dirty(call: Call, *, file_path: str) -> PlainText:
    """Whether an open document has unsaved changes."""
    target = await editor_path(call, file_path)
    told = format_path(call, target.link or target.real)
    dirty = await call.commander.editor.text.is_dirty(target.real)
    if dirty is None:
        return _json({"success": False, "message": f"Document not open: {told}"})
    return _json({"success": True, "filePath": told, "isDirty": dirty, "isUntitled": False})


@command("save_document", access=Access.PROPOSE, toolset="ide", title="Save a document")
async def save_document(call: Call, *, file_path: str) -> PlainText:
    """Save an open document as the person left it."""
    if not (call.connection or call.principal.is_person or call.commander.policy.allow_write):
        raise CommandError("Only the person saves it, or an agent where CMDR_MCP_ALLOW_WRITE is on.")
    target = await editor_path(call, file_path)
    told = format_path(call, target.link or target.real)
    saved = await call.commander.editor.text.save(target.real)
    if saved is None:
        return _json({"success": False, "message": f"Document not open: {told}"})
    message = "Document saved successfully" if saved else "The document could not be saved"
    return _json({"success": saved, "filePath": told, "saved": saved, "message": message})


@command("close_tab", access=Access.VIEW, toolset="ide", title="Close a review or document")
def close_tab(call: Call, *, tab_name: str) -> PlainText:
    """Close one of your own reviews by its title (one that waits is rejected), else an open document by its name."""
    editor = call.commander.editor
    # In this very step: a review that is announced after it is another one.
    if not editor.reviews.close_tab(call.connection or call.principal.id, tab_name):
        editor.documents.close_shown(tab_name)
    return PlainText("TAB_CLOSED")


@command("close_all_diff_tabs", access=Access.VIEW, toolset="ide", title="Close all reviews")
def close_all_diff_tabs(call: Call) -> PlainText:
    """Close all your own reviews; those that wait are rejected."""
    return PlainText(
        f"CLOSED_{call.commander.editor.reviews.close_tabs(call.connection or call.principal.id)}_DIFF_TABS"
    )


async def _selected(call: Call, found: SelectedText | None, none: str) -> PlainText:
    if found is None or not await is_visible(call, found.path):
        return _json({"success": False, "message": none})
    selection: Json = {
        "start": _place(found.selection.start),
        "end": _place(found.selection.end),
        "isEmpty": found.selection.is_empty,
    }
    return _json(
        {"success": True, "text": found.text, "filePath": format_path(call, found.path), "selection": selection}
    )


def _place(position: Position) -> Json:
    return {"line": position.line, "character": position.character}


def _json(value: dict[str, Json]) -> PlainText:
    return PlainText(json.dumps(value, ensure_ascii=False))
