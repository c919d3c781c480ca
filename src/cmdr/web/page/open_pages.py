"""Which pages are open, and what each has open in the workspace: a page that has gone leaves nothing behind."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from cmdr.core.commander import Commander
from cmdr.core.entrance.browser_login import BROWSER
from cmdr.model.panes.workspace import Dialog

GRACE = 3.0
"""Seconds until a page that is not heard of any more is gone; one that only lost its connection is back by then."""
LONGEST = 64


class OpenPages:
    """Every page by the name it gave itself; while its stream of changes stands, it is open."""

    def __init__(self, commander: Commander, grace: float = GRACE) -> None:
        self._commander = commander
        self._grace = grace
        self._streams: Counter[str] = Counter()
        self._shown: dict[str, set[str]] = {}
        self._leaving: dict[str, asyncio.TimerHandle] = {}

    @contextmanager
    def listening(self, page: str) -> Iterator[None]:
        """The page is open at least as long as this lasts."""
        self._streams[page] += 1
        self._commander.desktop.pages += 1
        if (leaving := self._leaving.pop(page, None)) is not None:
            leaving.cancel()
        try:
            yield
        finally:
            self._streams[page] -= 1
            self._expect(page)
            # One that is loaded anew is back within the grace, and was open all the while.
            asyncio.get_running_loop().call_later(self._grace, self._closed)

    def _closed(self) -> None:
        self._commander.desktop.pages -= 1

    def shows(self, page: str, dialogs: Iterable[Dialog]) -> None:
        """The page has opened these dialogs, or brought them to the front."""
        own = {dialog.id for dialog in dialogs if dialog.opened_by == BROWSER.id}
        if own and page:
            self._shown.setdefault(page, set()).update(own)
            self._expect(page)

    def _expect(self, page: str) -> None:
        """Wait a while for a page without a stream."""
        if self._streams[page] > 0:
            return
        del self._streams[page]
        if page in self._shown and page not in self._leaving:
            self._leaving[page] = asyncio.get_running_loop().call_later(self._grace, self._gone, page)

    def _gone(self, page: str) -> None:
        del self._leaving[page]
        left = self._shown.pop(page) - set().union(*self._shown.values())
        workspace, proposals = self._commander.workspace, self._commander.proposals
        for dialog in [dialog for dialog in workspace.dialogs if dialog.id in left]:
            workspace.close_dialog(dialog)
            if dialog.proposal is not None:
                # The question was the page's own, and closing it there says no as well.
                proposals.cancel(dialog.proposal, BROWSER)
            self._commander.events.changed()
