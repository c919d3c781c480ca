"""A stream that says when there is something new to see; the page then asks for a new picture."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from starlette.responses import StreamingResponse

from cmdr.core.commander import Commander
from cmdr.web.page.open_pages import OpenPages

BETWEEN = 0.04
"""Seconds between two notices: an agent may change things five hundred times a second, the eye needs no more."""
KEEP_ALIVE = 15.0


def changes(commander: Commander, pages: OpenPages, page: str) -> StreamingResponse:
    """Server-sent events whose data is the workspace's revision; while they are heard, the page is open."""
    return StreamingResponse(
        _heard(commander, pages, page), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _heard(commander: Commander, pages: OpenPages, page: str) -> AsyncIterator[str]:
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
                done, _ = await asyncio.wait({waiting, ending}, timeout=KEEP_ALIVE, return_when="FIRST_COMPLETED")
            finally:
                waiting.cancel()
            if not done:
                yield ": still here\n\n"
                continue
            news.clear()
            yield f"data: {commander.events.rev}\n\n"
            await asyncio.wait({ending}, timeout=BETWEEN)
        yield "event: over\ndata: over\n\n"
    finally:
        ending.cancel()
        for end in stop:
            end()
