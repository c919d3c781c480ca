"""Converts between the language server protocol's messages and cmdr's paths, positions and diagnostics."""

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_from_bytes, unquote_to_bytes

from cmdr.model.texts.diagnostic import Diagnostic, Severity
from cmdr.model.texts.text_selection import Position, TextSelection

if TYPE_CHECKING:
    from cattrs import Converter
    from lsprotocol import types

_SEVERITIES: dict[int, Severity] = {1: "Error", 2: "Warning", 3: "Info", 4: "Hint"}
_CATEGORIES: dict[str, Severity] = {"error": "Error", "warning": "Warning", "message": "Info", "suggestion": "Hint"}


def file_uri(path: bytes) -> str:
    """The address of a file; `file_path` gives the path back, whatever bytes it holds."""
    return "file://" + quote_from_bytes(path, safe="/")


def file_path(uri: str) -> bytes | None:
    """The path that a file address names, None for any other address."""
    if not uri.startswith("file://"):
        return None
    rest = uri[len("file://") :].partition("#")[0]
    host, slash, path = rest.partition("/")
    return unquote_to_bytes(slash + path) if slash and host in ("", "localhost") else None


def diagnostic_from(found: "types.Diagnostic", server: str) -> Diagnostic:
    """A finding in cmdr's words; one without a severity is an error, as the protocol advises."""
    start, end = found.range.start, found.range.end
    return Diagnostic(
        message=found.message,
        severity=_SEVERITIES.get(int(found.severity or 1), "Error"),
        range=TextSelection(Position(start.line, start.character), Position(end.line, end.character)),
        source=found.source or server,
        code=None if found.code is None else str(found.code),
    )


def tsserver_diagnostics(answer: Any) -> list[Diagnostic]:
    """Findings as TypeScript's own server answers them, with lines and columns from 1; raises on anything else."""
    return [
        Diagnostic(
            message=str(found["text"]),
            severity=_CATEGORIES.get(found["category"], "Error"),
            range=TextSelection(_tsserver_place(found["start"]), _tsserver_place(found["end"])),
            source="typescript",
            code=str(found["code"]),
        )
        for found in answer["body"]
    ]


def _tsserver_place(given: dict[str, int]) -> Position:
    return Position(given["line"] - 1, given["offset"] - 1)


def initialize_params(root: bytes, settings: dict[str, object]) -> "types.InitializeParams":
    """How cmdr introduces itself: it reads diagnostics, in UTF-16 columns, and nothing else."""
    from lsprotocol import types

    folder = types.WorkspaceFolder(uri=file_uri(root), name=os.fsdecode(os.path.basename(root)))
    document = types.TextDocumentClientCapabilities(
        synchronization=types.TextDocumentSyncClientCapabilities(did_save=True),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
        diagnostic=types.DiagnosticClientCapabilities(),
    )
    return types.InitializeParams(
        process_id=None,  # a server that looked for us would not find us in its sandbox, and end
        client_info=types.ClientInfo(name="cmdr"),
        root_uri=folder.uri,
        workspace_folders=[folder],
        initialization_options=settings or None,
        capabilities=types.ClientCapabilities(
            text_document=document,
            workspace=types.WorkspaceClientCapabilities(workspace_folders=True, configuration=True),
            general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
        ),
    )


def message_reader() -> "Converter":
    """Reads only what cmdr uses from a server's messages: servers fill the rest in ways the schema does not foresee."""
    from lsprotocol import types
    from pygls.protocol import default_converter

    converter: Converter = default_converter()  # type: ignore[no-untyped-call]

    def capabilities(given: dict[str, Any], _: object) -> types.ServerCapabilities:
        asks = given.get("diagnosticProvider")
        options = types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False) if asks else None
        return types.ServerCapabilities(diagnostic_provider=options)

    def diagnostic(given: dict[str, Any], _: object) -> types.Diagnostic:
        message = given.get("message", "")
        return types.Diagnostic(
            range=converter.structure(given["range"], types.Range),
            message=message if isinstance(message, str) else str(message.get("value", "")),
            severity=types.DiagnosticSeverity(given.get("severity") or 1),
            code=given.get("code"),
            source=given.get("source"),
        )

    converter.register_structure_hook(types.ServerCapabilities, capabilities)
    converter.register_structure_hook(types.Diagnostic, diagnostic)
    return converter
