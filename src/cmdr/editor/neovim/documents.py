"""A running Neovim, and the files open there: opening, selecting, saving, closing, and what is wrong in them."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from cmdr.editor.languages import language_of
from cmdr.editor.neovim.connection import ANSWER_TIMEOUT_S, NeovimConnection, connect, lua_script
from cmdr.editor.neovim.diffs import NeovimDiffs, syntax_of
from cmdr.model.names import to_wire
from cmdr.model.texts.buffer import OpenedDocument, SelectedText, ShownDocument
from cmdr.model.texts.diagnostic import Diagnostic, Severity
from cmdr.model.texts.text_selection import (
    Position,
    TextIndex,
    TextSelection,
    character_index,
    find_range,
    utf16_column,
    utf16_length,
)

_SEVERITIES: dict[int, Severity] = {1: "Error", 2: "Warning", 3: "Info", 4: "Hint"}

_FILE_TIMEOUT_S = 15.0
"""For what loads or writes a file: plugins work then, and disks can be slow."""


class NeovimDocuments:
    """The files open in one Neovim. Every call answers within its deadline or raises a `NeovimError`."""

    def __init__(self, connection: NeovimConnection) -> None:
        self._connection = connection

    async def open_file(
        self,
        path: bytes,
        *,
        start_text: str | None = None,
        end_text: str | None = None,
        to_end_of_line: bool = False,
        front: bool = True,
        inert: bool = False,
    ) -> OpenedDocument:
        """Open a file, and select the range that the texts name.

        It comes in front unless told otherwise, or somebody types: then it is only loaded, and Neovim says so. With
        `inert` nothing in the file is obeyed and nothing starts because of it, unless it was open already.
        """
        waits = f"An agent has opened {to_wire(os.path.basename(path))}: find it among the buffers (:ls)"
        syntax = syntax_of(language_of(path)) if inert else None
        how = (front, self._connection.quiet_ms, waits, syntax)
        opened = await self._connection.lua(
            lua_script("find_buffer", "keys", "open_file"), os.fsdecode(path), *how, deadline=_FILE_TIMEOUT_S
        )
        lines: list[str] = opened["lines"]
        index = TextIndex("\n".join(lines))
        found = find_range(index, start_text, end_text, to_end_of_line=to_end_of_line)
        if found.selection is not None and opened["front"]:
            await self._select(opened["buf"], found.selection, lines)
        return OpenedDocument(path, language_of(path, lines[0] if lines else ""), len(lines), found.message or "")

    async def selection(self) -> SelectedText | None:
        """What is selected now; None when no file is in front."""
        given = await self._lua("selection")
        return None if given is None else _selection(given)

    async def on_selection(self, call: Callable[[], None]) -> None:
        """Call this whenever the cursor or the selection moved."""
        self._connection.on("cmdr_selection", lambda _: call())
        await self._connection.lua(lua_script("watch_selection"), self._connection.channel)

    async def shown(self) -> list[ShownDocument]:
        """All open files."""
        given = await self._lua("list_files")
        return [
            ShownDocument(path := os.fsencode(each["path"]), language_of(path), each["active"], each["dirty"])
            for each in given
        ]

    async def is_dirty(self, path: bytes) -> bool | None:
        """Whether a file has unsaved changes; None when it is not open."""
        dirty: bool | None = await self._lua("is_dirty", os.fsdecode(path))
        return dirty

    async def save(self, path: bytes) -> bool:
        """Save a file; False when it is not open."""
        return bool(await self._lua("save_file", os.fsdecode(path), deadline=_FILE_TIMEOUT_S))

    async def reload(self, path: bytes) -> bool:
        """Take a file from disk again; False when it is not open or has unsaved changes, which stay."""
        return bool(await self._lua("reload_file", os.fsdecode(path)))

    async def close(self, path: bytes) -> bool:
        """Close a file; False when it is not open. One with unsaved changes is refused."""
        return bool(await self._lua("close_file", os.fsdecode(path)))

    async def diagnostics(self, path: bytes | None = None) -> dict[bytes, tuple[Diagnostic, ...]]:
        """What Neovim knows to be wrong, in one file or in all; nothing for a file that is not open."""
        wanted = None if path is None else os.fsdecode(path)
        out: dict[bytes, list[Diagnostic]] = {}
        for each in await self._lua("diagnostics", wanted):
            out.setdefault(os.fsencode(each["path"]), []).append(_diagnostic(each))
        return {name: tuple(found) for name, found in out.items()}

    async def _lua(self, script: str, *args: Any, deadline: float = ANSWER_TIMEOUT_S) -> Any:
        return await self._connection.lua(lua_script("find_buffer", script), *args, deadline=deadline)

    async def _select(self, buffer: int, selection: TextSelection, lines: list[str]) -> None:
        places = (selection.start, _last_character(selection.end, lines), selection.end)
        cursors = [(line + 1, column) for line, column in (byte_of_position(place, lines) for place in places)]
        await self._connection.lua(lua_script("select_range"), buffer, *cursors, selection.is_empty)


def _last_character(end: Position, lines: list[str]) -> Position:
    """The last selected character: Neovim's selection includes the one under its cursor."""
    if end.character > 0 or end.line == 0:
        return Position(end.line, max(end.character - 1, 0))
    return Position(end.line - 1, max(utf16_length(lines[end.line - 1]), 0))


def _selection(given: dict[str, Any]) -> SelectedText:
    path = os.fsencode(given["path"])
    (first, first_byte), (last, last_byte) = sorted((tuple(given["anchor"]), tuple(given["cursor"])))
    lines: list[str] = given["lines"] or [""]
    start_index = index_of_byte(lines[0], first_byte)
    end_index = index_of_byte(lines[-1], last_byte)
    if not given["visual"]:
        place = Position(first, utf16_column(lines[0], start_index))
        return SelectedText(path, "", TextSelection(place, place))
    if given["whole_lines"]:
        start_index, end_index = 0, len(lines[-1])
    elif not given["exclusive"]:
        end_index = min(end_index + 1, len(lines[-1]))
    start = Position(first, utf16_column(lines[0], start_index))
    end = Position(last, utf16_column(lines[-1], end_index))
    text = "\n".join([*lines[:-1], lines[-1][:end_index]])[start_index:]
    return SelectedText(path, text, TextSelection(start, end))


def _diagnostic(given: dict[str, Any]) -> Diagnostic:
    return Diagnostic(
        message=given["message"],
        severity=_SEVERITIES.get(given["severity"], "Error"),
        range=TextSelection(position_of_byte(*given["start"]), position_of_byte(*given["finish"])),
        source=given["source"],
        code=given["code"],
    )


def index_of_byte(line: str, column: int) -> int:
    """The character index of a byte column; inside a character its beginning, beyond the line its end."""
    # Bytes that are no UTF-8 come from Neovim as escapes, one for each byte.
    content = line.encode("utf-8", "surrogateescape")
    while 0 < column < len(content) and content[column] & 0xC0 == 0x80:
        column -= 1
    return len(content[: max(column, 0)].decode("utf-8", "surrogateescape"))


def position_of_byte(number: int, column: int, line: str) -> Position:
    """A position for the byte column of a line."""
    return Position(number, utf16_column(line, index_of_byte(line, column)))


def byte_of_position(position: Position, lines: Sequence[str]) -> tuple[int, int]:
    """The line and byte column of a position."""
    number = min(max(position.line, 0), max(len(lines) - 1, 0))
    line = lines[number] if lines else ""
    before = line[: character_index(line, position.character)]
    return number, len(before.encode("utf-8", "surrogateescape"))


class Neovim:
    """The editor that the person already has open."""

    def __init__(self, connection: NeovimConnection) -> None:
        self.connection = connection
        self.diffs = NeovimDiffs(connection)
        self.documents = NeovimDocuments(connection)

    @classmethod
    async def attach(cls, address: str, deadline: float = 5.0) -> "Neovim":
        """Connect to a socket path or `host:port`, as in `$NVIM`; raises a `NeovimError`."""
        return cls(await connect(address, deadline))

    @property
    def running(self) -> bool:
        """Whether Neovim is still there."""
        return not self.connection.gone.is_set()

    async def close(self) -> None:
        """Leave; diffs still open there are closed, and raise `NeovimGoneError` where they are awaited."""
        self.diffs.close_all()
        await self.connection.close()
