"""The twelve tools of an editor, as Claude Code knows them, and the commands behind them."""

from dataclasses import dataclass
from typing import Any

from cmdr.core.dispatch.parameter import Arguments, Json
from cmdr.model.names import to_wire

_TEXT: dict[str, Json] = {"type": "string"}
_FLAG: dict[str, Json] = {"type": "boolean"}


class BadArguments(Exception):
    """The arguments of a call cannot be understood; the text says which."""


@dataclass(frozen=True, slots=True)
class IdeTool:
    """One tool: its name and inputs on the socket, and the command that does it."""

    name: str
    command: str
    description: str = ""
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Arguments that the command calls otherwise."""

    def listed(self) -> dict[str, Json]:
        """How it is listed."""
        properties: dict[str, Json] = {
            name: _FLAG if name in _FLAGS else _TEXT for name in (*self.required, *self.optional)
        }
        schema: dict[str, Json] = {"type": "object", "properties": properties, "required": [*self.required]}
        listing: dict[str, Json] = {"name": self.name, "inputSchema": schema}
        return {**listing, "description": self.description} if self.description else listing

    def arguments(self, sent: Any) -> Arguments:
        """The command's arguments for what a client sent; unknown ones are dropped, as other editors do."""
        if not isinstance(sent, dict):
            raise BadArguments(f"{self.name} takes an object of arguments")
        names = dict(self.renamed)
        out: Arguments = {}
        for name in (*self.required, *self.optional):
            value = sent.get(name)
            if value is None:
                if name in self.required:
                    raise BadArguments(f'{self.name} needs "{name}"')
                continue
            if not isinstance(value, bool if name in _FLAGS else str):
                raise BadArguments(f'"{name}" must be {"true or false" if name in _FLAGS else "text"}')
            if name in _PATHS and isinstance(value, str):
                # Paths come as they are, and commands take them in the one form that can name every file.
                value = to_wire(value.encode("utf-8", "surrogatepass"))
            out[names.get(name, name)] = value
        return out


_PATHS = frozenset({"old_file_path", "new_file_path", "filePath"})
_FLAGS = frozenset({"preview", "selectToEndOfLine", "makeFrontmost"})

TOOLS: dict[str, IdeTool] = {
    tool.name: tool
    for tool in (
        IdeTool(
            "openDiff",
            "open_diff",
            "Show a proposed edit and wait for the person's answer.",
            ("old_file_path", "new_file_path", "new_file_contents"),
            ("tab_name",),
            (
                ("old_file_path", "path"),
                ("new_file_path", "newPath"),
                ("new_file_contents", "contents"),
                ("tab_name", "title"),
            ),
        ),
        IdeTool(
            "openFile",
            "open_file",
            "Open a file and optionally select a range in it.",
            ("filePath",),
            ("preview", "startText", "endText", "selectToEndOfLine", "makeFrontmost"),
        ),
        IdeTool("getCurrentSelection", "get_current_selection", "What is selected in the active editor."),
        IdeTool("getLatestSelection", "get_latest_selection", "What was selected last."),
        IdeTool("getDiagnostics", "get_diagnostics", "Errors and warnings in a file, or in all.", (), ("uri",)),
        IdeTool("getOpenEditors", "get_open_editors", "The open documents."),
        IdeTool("getWorkspaceFolders", "get_workspace_folders", "The workspace folders."),
        IdeTool("checkDocumentDirty", "check_document_dirty", "Whether a document has unsaved changes.", ("filePath",)),
        IdeTool("saveDocument", "save_document", "Save a document.", ("filePath",)),
        IdeTool("closeAllDiffTabs", "close_all_diff_tabs", "Close all diffs of this connection."),
        IdeTool("close_tab", "close_tab", "", ("tab_name",), (), (("tab_name", "tabName"),)),
        IdeTool("executeCode", "execute_code", "Run Python in a kernel; the person is asked first.", ("code",)),
    )
}
