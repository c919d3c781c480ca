"""The pages that are open, and the stream that tells each when there is something new to see."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing, contextmanager

from starlette.responses import StreamingResponse

from cmdr.core.commander import Commander
from cmdr.http.browser_login import BROWSER
from cmdr.model.panes.workspace import Dialog

GRACE_S = 3.0
"""Seconds until a page that is not heard of any more is gone; one that only lost its connection is back by then."""
MAX_NAME_CHARS = 64
MIN_INTERVAL_S = 0.04
"""Seconds between two notices: an agent may change things five hundred times a second, the eye needs no more."""
KEEP_ALIVE_S = 15.0


class OpenPages:
    """Every page by the name it gave itself; while its stream of events stands, it is open."""

    def __init__(self, commander: Commander, grace: float = GRACE_S) -> None:
        self._commander = commander
        self._grace = grace
        self._streams: Counter[str] = Counter()
        self._shown: dict[str, set[str]] = {}
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._busy: set[str] = set()
        commander.agent_fronts.is_busy["pages"] = lambda: bool(self._busy)

    def present(self, page: str, *, by_key: bool, busy: bool) -> None:
        """The person did something at a page, which is perhaps in the middle of something: a search, a window."""
        (self._busy.add if busy and self._streams[page] > 0 else self._busy.discard)(page)
        self._commander.agent_fronts.touched(by_key=by_key)

    @contextmanager
    def listening(self, page: str) -> Iterator[None]:
        """The page is open at least as long as this lasts."""
        self._streams[page] += 1
        self._commander.desktop.pages += 1
        self._commander.agent_fronts.touched(by_key=False)
        if (leaving := self._leaving.pop(page, None)) is not None:
            leaving.cancel()
        try:
            yield
        finally:
            self._streams[page] -= 1
            if not self._streams[page]:
                self._busy.discard(page)
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


def event_stream(commander: Commander, pages: OpenPages, page: str) -> StreamingResponse:
    """Server-sent events whose data is the workspace's revision; while they are read, the page is open."""
    return StreamingResponse(
        _stream(commander, pages, page), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _stream(commander: Commander, pages: OpenPages, page: str) -> AsyncIterator[str]:
    with pages.listening(page):
        async with aclosing(_notices(commander)) as notices:
            async for notice in notices:
                yield notice


async def _notices(commander: Commander) -> AsyncGenerator[str]:
    news = asyncio.Event()
    stop = [commander.events.listen(lambda _: news.set()), commander.activity.listen(lambda _: news.set())]
    ending = asyncio.ensure_future(commander.quitting.wait())
    try:
        yield f"data: {commander.events.rev}\n\n"
        while not ending.done():
            waiting = asyncio.ensure_future(news.wait())
            try:
                done, _ = await asyncio.wait({waiting, ending}, timeout=KEEP_ALIVE_S, return_when="FIRST_COMPLETED")
            finally:
                waiting.cancel()
            if not done:
                yield ": still here\n\n"
                continue
            news.clear()
            yield f"data: {commander.events.rev}\n\n"
            await asyncio.wait({ending}, timeout=MIN_INTERVAL_S)
        yield "event: over\ndata: over\n\n"
    finally:
        ending.cancel()
        for end in stop:
            end()
