"""Diagnostics of files for agents: from Neovim for what is open there, else from checkers and language servers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cmdr.core.editing.text_editor import TextEditor
from cmdr.core.threads import in_thread
from cmdr.editor.diagnostics.service import Asker, CheckedText, CheckResult, DiagnosticsService
from cmdr.editor.file_loading import LoadingError, load
from cmdr.editor.languages import language_of
from cmdr.model.texts.diff import BinaryContentError

if TYPE_CHECKING:
    from cmdr.core.editing.language_servers import LanguageServers

SERVER_TIMEOUT_S = 0.8
"""Seconds for servers when an editor's client asks, which does so before and after each edit and waits."""
PATIENT_TIMEOUT_S = 10.0
"""Seconds for an agent that asks once and believes the answer: the first check loads and starts much."""
MAX_CHECKED_BYTES = 4 * 1024 * 1024
Found = dict[bytes, CheckResult]


class EditorDiagnostics:
    """Quick, and never an error: a file that cannot be read has nothing wrong with it."""

    def __init__(self, editor: TextEditor, servers: LanguageServers) -> None:
        self._editor = editor
        self._service = DiagnosticsService(self._read, servers.offer, deadline=SERVER_TIMEOUT_S)
        self._stopping: set[asyncio.Task[None]] = set()

    @property
    def watched(self) -> list[bytes]:
        """The files that somebody has asked about."""
        return self._service.watched

    async def of(self, path: bytes, asker: Asker, patience: float | None = None) -> Found:
        """What is wrong in one file; it is watched from now on."""
        there = await self._in_neovim(path)
        return {path: there[path]} if path in there else {path: await self._service.of(path, asker, patience)}

    async def of_all(self, askers: Mapping[bytes, Asker]) -> Found:
        """What is wrong in these files of all that somebody asked about, and in every file that is open in Neovim."""
        return {**await self._service.of_all(askers), **await self._in_neovim(None)}

    def leave(self, asker: str) -> None:
        """Somebody has gone: what was started for them alone ends."""
        self._service.leave(asker)

    async def restart_servers(self) -> None:
        """What servers may do has changed: those that run end, and start anew when they are needed."""
        await self._service.end_servers()

    def stop_servers(self) -> None:
        """The kill switch: end every server."""
        task = asyncio.get_running_loop().create_task(self._service.end_servers())
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    async def close(self) -> None:
        """End every server."""
        await self._service.close()
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _in_neovim(self, path: bytes | None) -> Found:
        from cmdr.editor.neovim.connection import NeovimError

        if (nvim := self._editor.neovim) is None:
            return {}
        try:
            found = await asyncio.wait_for(nvim.documents.diagnostics(path), 1.0)
        except (NeovimError, TimeoutError):
            return {}
        return {name: CheckResult(each) for name, each in found.items()}

    async def _read(self, path: bytes) -> CheckedText | None:
        text = self._editor.documents.text_of(path)
        if text is None:
            text = await in_thread(_on_disk, path)
        return None if text is None else CheckedText(text, language_of(path, text.partition("\n")[0]))


def _on_disk(path: bytes) -> str | None:
    try:
        return load(path, limit=MAX_CHECKED_BYTES).text
    except (LoadingError, BinaryContentError):
        return None
