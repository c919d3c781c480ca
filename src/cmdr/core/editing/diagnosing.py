"""What is wrong in files, for agents: from Neovim for what is open there, else from checkers and language servers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cmdr.core.editing.text_editor import TextEditor
from cmdr.core.threads import in_thread
from cmdr.model.texts.diagnostic import Diagnostic

if TYPE_CHECKING:
    from cmdr.editor.diagnostics.desk import CheckedText, DiagnosticsDesk

PATIENCE = 0.8
"""Seconds for an editor's client, which asks before and after each edit and waits for the answer."""
UNHURRIED = 10.0
"""Seconds for an agent that asks once and believes the answer: the first check loads and starts much."""
LARGEST = 4 * 1024 * 1024
Found = dict[bytes, tuple[Diagnostic, ...]]


class Diagnosing:
    """Quick, and never an error: a file that cannot be read has nothing wrong with it."""

    def __init__(self, editor: TextEditor) -> None:
        self._editor = editor
        self._desk: DiagnosticsDesk | None = None
        self._begun: asyncio.Future[DiagnosticsDesk] | None = None

    async def of(self, path: bytes, patience: float | None = None) -> Found:
        """What is wrong in one file; it is watched from now on."""
        there = await self._in_neovim(path)
        if path in there:
            return {path: there[path]}
        desk = await self._ready(patience or PATIENCE)
        return {path: () if desk is None else await desk.of(path, patience)}

    def was_checked(self, path: bytes) -> bool:
        """Whether the last answer about a file was its whole truth; false when the time was too short for it."""
        return self._desk is not None and path not in self._desk.unfinished

    async def of_all(self) -> Found:
        """What is wrong in every file that is open or was asked about."""
        desk = await self._ready(PATIENCE) if self._begun is not None else None
        found = {} if desk is None else dict(await desk.of_all())
        return {**found, **await self._in_neovim(None)}

    def warm_up(self) -> None:
        """Somebody may ask soon: load what that takes."""
        # The libraries take a while to load, so they are loaded in a thread and not before they are needed.
        if self._begun is None:
            self._begun = asyncio.ensure_future(in_thread(self._make))

    async def close(self) -> None:
        """End every server."""
        if self._begun is not None and self._desk is None:
            self._begun.cancel()
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

    async def _ready(self, patience: float) -> DiagnosticsDesk | None:
        self.warm_up()
        if self._desk is None and self._begun is not None:
            done, _ = await asyncio.wait({self._begun}, timeout=patience)
            self._desk = self._begun.result() if done else None
        return self._desk

    def _make(self) -> DiagnosticsDesk:
        from cmdr.editor.diagnostics.desk import DiagnosticsDesk

        return DiagnosticsDesk(self._read)

    async def _read(self, path: bytes) -> CheckedText | None:
        from cmdr.editor.diagnostics.desk import CheckedText
        from cmdr.editor.languages import language_of

        text = self._editor.documents.text_of(path)
        if text is None:
            text = await in_thread(_on_disk, path)
        return None if text is None else CheckedText(text, language_of(path, text.partition("\n")[0]))


def _on_disk(path: bytes) -> str | None:
    from cmdr.editor.loading import LoadingError, load
    from cmdr.model.texts.diff import BinaryContentError

    try:
        return load(path, limit=LARGEST).text
    except (LoadingError, BinaryContentError):
        return None
