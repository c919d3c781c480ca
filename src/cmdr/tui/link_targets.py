"""Where links lead, for the line about the entry under the cursor: looked up behind it, never waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the first picture is drawn before any of this is loaded
    import asyncio
    from collections.abc import Callable

    from cmdr.core.commander import Commander
    from cmdr.model.panes.entry import Entry

_MOST = 256
_Link = tuple[bytes, int, int]
"""A path and what changes when another link takes its place."""


class LinkTargets:
    """The last known targets; `found` is called when there is a new one."""

    def __init__(self, commander: Commander, found: Callable[[], None]) -> None:
        self._commander = commander
        self._found = found
        self._known: dict[_Link, bytes | None] = {}
        self._asking: dict[_Link, asyncio.Task[None]] = {}

    def of(self, path: bytes, entry: Entry) -> bytes | None:
        """The target as the link names it, or None while it is not known."""
        facts = entry.facts
        if facts is None:
            return None
        link = (path, facts.inode, facts.modified_ns)
        if link not in self._known and link not in self._asking:
            import asyncio

            self._asking[link] = asyncio.get_running_loop().create_task(self._ask(link))
        return self._known.get(link)

    async def _ask(self, link: _Link) -> None:
        try:
            _, target = await self._commander.browser.row_facts.of(link[0])
        finally:
            del self._asking[link]
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[link] = target
        if target is not None:
            self._found()
