"""A job told step by step, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from cmdr.core.commander import Commander
from cmdr.core.entrance.carrying import Carrying
from cmdr.core.errors import CommandError
from cmdr.core.principals import Principal

OVER = frozenset({"done", "failed", "cancelled"})
KEEP_ALIVE = 15.0
EACH = 16
"""Jobs that one caller follows side by side."""
ALL = 128


async def job_stream(commander: Commander, following: Carrying, principal: Principal, job: str) -> StreamingResponse:
    """The stream of one job; the first event comes at once, the last when the job is over."""
    following.begin(principal)
    try:
        first = await commander.run(principal, "rest_job", {"jobId": job})
    except BaseException:
        following.end(principal)
        raise
    return _Stream(_events(commander, principal, job, first), lambda: following.end(principal))


def followers() -> Carrying:
    """Counts who follows jobs."""
    return Carrying("stream", EACH, ALL)


class _Stream(StreamingResponse):
    """Server-sent events; says when it is over, however it ends."""

    def __init__(self, events: AsyncIterator[str], over: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


async def _events(commander: Commander, principal: Principal, job: str, answer: str) -> AsyncIterator[str]:
    told = ""
    while True:
        rev = commander.events.rev
        if answer != told:
            told = answer
            yield f"id: {rev}\ndata: {answer}\n\n"
        if json.loads(answer)["status"] in OVER or commander.quitting.is_set():
            return
        waiting = asyncio.ensure_future(commander.events.beyond(rev))
        ending = asyncio.ensure_future(commander.quitting.wait())
        try:
            done, _ = await asyncio.wait({waiting, ending}, timeout=KEEP_ALIVE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            ending.cancel()
        if not done:
            yield ": still here\n\n"
        try:
            answer = await commander.run(principal, "rest_job", {"jobId": job})
        except CommandError:
            return  # the person stopped the agents, or the job is forgotten
