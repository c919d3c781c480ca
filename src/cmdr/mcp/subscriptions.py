"""Tell subscribers what has changed, in both protocol eras."""

import asyncio
import logging
from contextlib import suppress

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated

from cmdr.core.commander import Commander
from cmdr.mcp.caller import Context
from cmdr.mcp.resources import JOB, PROPOSAL, STATE

log = logging.getLogger(__name__)

GATHER = 0.05
"""Seconds in which further changes join the same notice."""
PROGRESS_EVERY = 1.0
"""Seconds between two notices that tell of nothing but progress."""
MOST_PER_RESOURCE = 1000


class Subscriptions:
    """Clients of 2026-07-28 listen on a stream of their own; older ones subscribe and get notices on theirs."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._bus = InMemorySubscriptionBus()
        self._sessions: dict[str, set[ServerSession]] = {}
        self._standing: dict[str, object] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.listen = ListenHandler(self._bus)

    def start(self) -> None:
        """Begin to publish changes."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._publish()), loop.create_task(self._end_on_quit())]

    async def close(self) -> None:
        """End all streams gracefully."""
        self.listen.close()
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Remember an older client's session."""
        sessions = self._sessions.setdefault(str(params.uri), set())
        if len(sessions) < MOST_PER_RESOURCE:
            sessions.add(ctx.session)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Forget it again."""
        self._sessions.get(str(params.uri), set()).discard(ctx.session)
        return types.EmptyResult()

    async def _end_on_quit(self) -> None:
        # The web server waits for open streams before it closes the faces, so they end here, at once.
        await self._commander.quitting.wait()
        self.listen.close()

    async def _publish(self) -> None:
        events, loop = self._commander.events, asyncio.get_running_loop()
        rev, told_at = events.rev, loop.time()
        while True:
            await events.beyond(rev)
            with suppress(TimeoutError):
                # Progress alone may wait; news may not. Not `wait_for`: before Python 3.12 it loses a cancel that comes
                # in the very moment of the news.
                async with asyncio.timeout_at(told_at + PROGRESS_EVERY):
                    await events.news_beyond(rev)
            await asyncio.sleep(GATHER)
            rev, told_at = events.rev, loop.time()
            for uri in [STATE, *self._changed()]:
                await self._tell(uri)

    def _changed(self) -> list[str]:
        """The jobs and proposals that have come further since the last notice."""
        standing: dict[str, object] = {
            JOB + job.id: (job.state, job.progress.items_done, job.progress.bytes_done)
            for job in self._commander.jobs.all()
        }
        standing |= {JOB + scan.id: (scan.state, scan.phase, scan.entries) for scan in self._commander.scans()}
        standing |= {PROPOSAL + proposal.id: proposal.state for proposal in self._commander.proposals.all()}
        before, self._standing = self._standing, standing
        return [uri for uri, now in standing.items() if before.get(uri) != now]

    async def _tell(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        for session in list(self._sessions.get(uri, ())):
            try:
                await session.send_resource_updated(uri)
            except Exception:
                # A session that ended says so in many ways; none of them may keep the others waiting.
                log.debug("a subscriber is gone", exc_info=True)
                self._sessions[uri].discard(session)
