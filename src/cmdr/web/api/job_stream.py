"""A job told step by step, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from cmdr.core.admission.limits import JOB_STREAMS
from cmdr.core.admission.quotas import ConcurrencyQuota
from cmdr.core.commander import Commander
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.dispatch.registry import Command
from cmdr.core.errors import CommandError
from cmdr.model.results.jobs import OperationStatus, ScanStatus
from cmdr.web.api.links import Links
from cmdr.web.api.trees import job as job_body

Status = ScanStatus | OperationStatus
KEEP_ALIVE = 15.0


async def job_stream(
    following: ConcurrencyQuota, command: Command, arguments: Arguments, call: Call
) -> StreamingResponse:
    """The stream of one job, asked by a command; the first event comes at once, the last when the job is over."""

    async def status() -> Status:
        asked = (await call.commander.perform(command, arguments, call)).result
        assert isinstance(asked, ScanStatus | OperationStatus)
        return asked

    following.begin(call.principal)
    try:
        first = await status()
    except BaseException:
        following.end(call.principal)
        raise
    return _Stream(_events(call.commander, first, status), lambda: following.end(call.principal))


def followers() -> ConcurrencyQuota:
    """Counts who follows jobs."""
    return ConcurrencyQuota("stream", JOB_STREAMS)


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


async def _events(commander: Commander, status: Status, ask: Callable[[], Awaitable[Status]]) -> AsyncIterator[str]:
    told, links = "", Links(commander.base_url)
    while True:
        rev = commander.events.rev
        event = json.dumps(job_body(status, links))
        if event != told:
            told = event
            yield f"id: {rev}\ndata: {event}\n\n"
        if status.state.is_over or commander.quitting.is_set():
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
            status = await ask()
        except CommandError:
            return  # the person stopped the agents, or the job is forgotten
