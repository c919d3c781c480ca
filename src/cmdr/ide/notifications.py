"""What clients hear by themselves: what the person selects, and what they point at with a key."""

import asyncio
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from cmdr.core.commander import Commander
from cmdr.core.editing.documents import Mention
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.texts.text_selection import Position

SETTLE_S = 0.05
"""Seconds of rest before a selection is sent; a moving cursor would flood the client."""
MAX_TEXT_CHARACTERS = 100_000

Notify = Callable[[str, dict[str, Any]], int]
"""Sends a notice to every client; how many there were."""


class Notifications:
    """Watches the editor and sends; only about files inside the workspace, and never about secrets."""

    def __init__(self, commander: Commander, notify: Notify) -> None:
        self._editor = commander.editor
        self._policy = commander.policy
        self._audit = commander.audit
        self._notify = notify
        self._settling: asyncio.TimerHandle | None = None
        self._sending: asyncio.Task[None] | None = None
        self._last_sent: dict[str, Any] | None = None
        self._stop = [
            self._editor.text.on_selection(self._selected),
            self._editor.mentions.listen(self._mentioned),
        ]

    def close(self) -> None:
        """Watch no more."""
        for stop in self._stop:
            stop()
        if self._settling is not None:
            self._settling.cancel()
        if self._sending is not None:
            self._sending.cancel()

    def _selected(self) -> None:
        if self._policy.agents_stopped:
            return  # also when they may go on before it would be sent
        if self._settling is not None:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().call_later(SETTLE_S, self._begin)

    def _begin(self) -> None:
        self._settling = None
        if self._sending is not None and not self._sending.done():
            self._selected()
            return
        self._sending = asyncio.get_running_loop().create_task(self._send_selection())

    async def _send_selection(self) -> None:
        try:
            found = await self._editor.text.selection()
        except CommandError:
            return
        if found is None or not await in_thread(self._editor.folders.may_tell, found.path):
            return
        if self._policy.agents_stopped or self._audit.gap is not None:
            return  # while nothing can be recorded no contents go out
        payload = {
            "text": found.text[:MAX_TEXT_CHARACTERS],
            "filePath": os.fsdecode(found.path),
            "fileUrl": f"file://{quote(found.path)}",
            "selection": {
                "start": _place(found.selection.start),
                "end": _place(found.selection.end),
                "isEmpty": found.selection.is_empty,
            },
        }
        if payload != self._last_sent:
            self._last_sent = payload
            self._notify("selection_changed", payload)

    def _mentioned(self, mention: Mention) -> bool:
        payload: dict[str, Any] = {"filePath": os.fsdecode(mention.path)}
        if mention.first is not None:
            payload |= {"lineStart": mention.first, "lineEnd": mention.first if mention.last is None else mention.last}
        return bool(self._notify("at_mentioned", payload))


def _place(position: Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}
