"""What is wrong in files, for agents: from Neovim for what is open there, else from checkers and language servers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cmdr.core.text_editor import TextEditor
from cmdr.core.threads import in_thread
from cmdr.core.workspace_folders import WorkspaceFolders
from cmdr.model.diagnostic import Diagnostic

if TYPE_CHECKING:
    from cmdr.editor.diagnostics.desk import CheckedText, DiagnosticsDesk

LARGEST = 4 * 1024 * 1024
Found = dict[bytes, tuple[Diagnostic, ...]]


class Diagnosing:
    """Quick, and never an error: a file that cannot be read has nothing wrong with it."""

    def __init__(self, editor: TextEditor, folders: WorkspaceFolders) -> None:
        self._editor = editor
        self._folders = folders
        self._desk: DiagnosticsDesk | None = None
        self._begun: asyncio.Future[DiagnosticsDesk] | None = None

    async def of(self, path: bytes) -> Found:
        """What is wrong in one file; it is watched from now on."""
        there = await self._in_neovim(path)
        return {path: there[path] if path in there else await (await self._ready()).of(path)}

    async def of_all(self) -> Found:
        """What is wrong in every file that is open or was asked about."""
        found = dict(await (await self._ready()).of_all()) if self._begun is not None else {}
        return {**found, **await self._in_neovim(None)}

    async def close(self) -> None:
        """End every server."""
        if self._desk is not None:
            await self._desk.close()

    async def _in_neovim(self, path: bytes | None) -> Found:
        from cmdr.editor.neovim.errors import NeovimError

        if (nvim := self._editor.neovim) is None:
            return {}
        try:
            return await asyncio.wait_for(nvim.documents.diagnostics(path), 1.0)
        except (NeovimError, TimeoutError):
            return {}

    async def _ready(self) -> DiagnosticsDesk:
        # The libraries take a while to load, so they are loaded in a thread and only when first asked for.
        if self._begun is None:
            self._begun = asyncio.ensure_future(in_thread(self._make))
        self._desk = await asyncio.shield(self._begun)
        return self._desk

    def _make(self) -> DiagnosticsDesk:
        from cmdr.editor.diagnostics.desk import DiagnosticsDesk

        return DiagnosticsDesk(self._read)

    async def _read(self, path: bytes) -> CheckedText | None:
        from cmdr.editor.diagnostics.desk import CheckedText
        from cmdr.editor.languages import language_of

        if not await in_thread(self._folders.may_tell, path):
            return None
        text = self._editor.documents.text_of(path)
        if text is None:
            text = await in_thread(_on_disk, path)
        return None if text is None else CheckedText(text, language_of(path, text.partition("\n")[0]))


def _on_disk(path: bytes) -> str | None:
    from cmdr.editor.loading import LoadingError, load_now
    from cmdr.model.diff import BinaryContentError

    try:
        return load_now(path, limit=LARGEST).file.text
    except (LoadingError, BinaryContentError):
        return None
