"""Tell subscribers what has changed, in both protocol eras."""

import asyncio
import logging
from collections import defaultdict
from contextlib import suppress
from typing import Generic, TypeVar

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from cmdr.core.admission.limits import LISTEN_STREAMS, SUBSCRIPTIONS_PER_SESSION
from cmdr.core.admission.quotas import ConcurrencyQuota
from cmdr.core.commander import Commander
from cmdr.core.errors import TooMany
from cmdr.mcp.caller import Context, caller_of, conversation_of
from cmdr.mcp.resources import JOB, PROPOSAL, STATE, Resources

log = logging.getLogger(__name__)

GATHER_S = 0.05
"""Seconds in which further changes join the same notice."""
PROGRESS_INTERVAL_S = 1.0
"""Seconds between two notices that tell of nothing but progress."""
MAX_SESSIONS = 2000
"""Sessions; when there are more, the one that came first is forgotten. One that ended is not always told."""

S = TypeVar("S")


class Subscriptions:
    """Clients of 2026-07-28 listen on a stream of their own; older ones subscribe and get notices on theirs."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._bus = InMemorySubscriptionBus()
        self._resources = Resources(commander)
        self._older = Subscribers[ServerSession]()
        self._standing: dict[str, object] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._streams = ListenHandler(self._bus, max_subscriptions=LISTEN_STREAMS.total)
        self._listening = ConcurrencyQuota("listen", LISTEN_STREAMS)

    def start(self) -> None:
        """Begin to publish changes."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._publish()), loop.create_task(self._end_on_quit())]

    async def close(self) -> None:
        """End all streams gracefully."""
        self._streams.close()
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell a newer client on this very stream, one of few that it may have."""
        caller = caller_of(ctx)
        try:
            self._listening.begin(caller)
        except TooMany as error:
            raise MCPError(
                types.INVALID_REQUEST, f"{LISTEN_STREAMS.per_caller} streams are open already. End one first."
            ) from error
        try:
            return await self._streams(ctx, params)
        finally:
            self._listening.end(caller)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Remember an older client's session, for something that it can read."""
        uri = str(params.uri)
        await self._resources.of(caller_of(ctx), uri, is_older=True)
        if not self._older.add(conversation_of(ctx), uri, ctx.session):
            raise MCPError(
                types.INVALID_PARAMS, "This session has too many subscriptions. Unsubscribe from some first."
            )
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Forget it again."""
        self._older.remove(conversation_of(ctx), str(params.uri))
        return types.EmptyResult()

    def forget(self, session: bytes) -> None:
        """A session has ended."""
        self._older.forget(session.decode("latin-1"))

    async def _end_on_quit(self) -> None:
        # The web server waits for open streams before it closes the faces, so they end here, at once.
        await self._commander.quitting.wait()
        self._streams.close()

    async def _publish(self) -> None:
        events, loop = self._commander.events, asyncio.get_running_loop()
        rev, told_at = events.rev, loop.time()
        while True:
            await events.beyond(rev)
            with suppress(TimeoutError):
                # Progress alone may wait; news may not. Not `wait_for`: before Python 3.12 it loses a cancel that comes
                # in the very moment of the news.
                async with asyncio.timeout_at(told_at + PROGRESS_INTERVAL_S):
                    await events.news_beyond(rev)
            await asyncio.sleep(GATHER_S)
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
        for conversation, asked, session in self._older.of(uri):
            try:
                await session.send_resource_updated(asked)
            except Exception:
                # A session that ended says so in many ways; none of them may keep the others waiting.
                log.debug("a subscriber is gone", exc_info=True)
                self._older.forget(conversation)


class Subscribers(Generic[S]):
    """Sessions of older clients by what they subscribed to; nothing stays of one that wants nothing any more.

    The SDK makes a new object of a session for every request, so a session is known by its id.
    """

    def __init__(self, per_session: int = SUBSCRIPTIONS_PER_SESSION, sessions: int = MAX_SESSIONS) -> None:
        self._per_session = per_session
        self._sessions = sessions
        self._wanted: dict[str, dict[str, S]] = {}
        """Of each session, what it wants to hear of, and how to tell it."""
        self._hearing: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
        """Of each resource, the sessions with the very address that each asked for."""

    def __len__(self) -> int:
        return sum(map(len, self._wanted.values()))

    def add(self, session: str, uri: str, way: S) -> bool:
        """Remember a wish; whether there was space for it."""
        wanted = self._wanted.setdefault(session, {})
        if uri not in wanted and len(wanted) >= self._per_session:
            return False
        wanted[uri] = way
        self._hearing[_resource(uri)][session, uri] = None
        if len(self._wanted) > self._sessions:
            self.forget(next(iter(self._wanted)))
        return True

    def remove(self, session: str, uri: str) -> None:
        """Forget one wish."""
        wanted = self._wanted.get(session, {})
        if wanted.pop(uri, None) is None:
            return
        if not wanted:
            del self._wanted[session]
        hearing = self._hearing[_resource(uri)]
        del hearing[session, uri]
        if not hearing:
            del self._hearing[_resource(uri)]

    def forget(self, session: str) -> None:
        """Forget all that a session wanted."""
        for uri in list(self._wanted.get(session, ())):
            self.remove(session, uri)

    def of(self, uri: str) -> list[tuple[str, str, S]]:
        """The sessions that hear of a resource: each with the address it asked for, which may name a part of it."""
        return [(session, asked, self._wanted[session][asked]) for session, asked in self._hearing.get(uri, ())]


def _resource(uri: str) -> str:
    return uri.partition("?")[0]
