"""A job told step by step, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from cmdr.core.commander import Commander
from cmdr.core.principals import Principal

OVER = frozenset({"done", "failed", "cancelled"})
KEEP_ALIVE = 15.0


async def job_stream(commander: Commander, principal: Principal, job: str) -> StreamingResponse:
    """The stream of one job; the first event comes at once, the last when the job is over."""
    first = await commander.run(principal, "rest_job", {"jobId": job})
    return StreamingResponse(_events(commander, principal, job, first), media_type="text/event-stream")


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
        answer = await commander.run(principal, "rest_job", {"jobId": job})
