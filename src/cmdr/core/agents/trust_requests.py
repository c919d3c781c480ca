"""Asking the person whether they trust a folder, once, among all else that waits for them; and doing what they say."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable

from cmdr.core.agents.trust_store import CannotTrust, TrustedFolder, TrustStore, UnreadableTrustList, identity_of
from cmdr.core.changes.jobs import Jobs
from cmdr.core.changes.proposals import Proposals
from cmdr.core.dispatch.principals import Access, Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.model.job import Job, JobState
from cmdr.model.names import is_within, to_wire
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.trust_plan import NOTHING_MORE, Extras, TrustPlan

MAX_QUESTIONS = 10
"""Questions about trust in one run of the program; after that folders are trusted with `cmdr trust`."""


class TrustRequests:
    """Belongs to the loop. A folder that was asked about is not asked about again in this run, whatever the answer."""

    def __init__(
        self, trust: TrustStore, proposals: Proposals, jobs: Jobs, events: Events, homes: tuple[bytes, ...]
    ) -> None:
        """`homes` and what holds them are too much to trust at once: nobody is asked about those."""
        self.trust = trust
        self._proposals = proposals
        self._jobs = jobs
        self._events = events
        self._homes = homes
        self._asked: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed: Callable[[], Awaitable[None]] | None = None
        """What is told after the list has changed."""

    async def is_trusted(self, path: bytes) -> bool:
        """Whether a path lies in a folder that the person trusts."""
        try:
            return await in_thread(self.trust.of, path) is not None
        except UnreadableTrustList:
            return False

    async def ask(self, folder: bytes, principal: Principal) -> None:
        """Put the question before the person, if it may be asked; the caller hears nothing of the answer."""
        may_ask = not principal.is_person and not principal.read_only and Access.PROPOSE in principal.access
        if not may_ask or len(self._asked) >= MAX_QUESTIONS:
            return
        if any(is_within(folder, asked) for asked in self._asked) or any(
            is_within(each, folder) for each in self._homes
        ):
            return
        self._asked.append(folder)
        identity = await in_thread(identity_of, folder)
        try:
            if identity is None:
                raise CannotTrust(to_wire(folder))
            self._proposals.add(TrustPlan(Verb.TRUST, (), folder=folder, identity=identity), principal)
        except CommandError:
            self._asked.remove(folder)  # too much of this caller's waits already: another time

    def begin(self, plan: TrustPlan, by: str) -> Job:
        """Trust the folder that the person was shown."""
        job = Job(f"j_{secrets.token_urlsafe(9)}", plan.title, by, frozenset(), JobState.RUNNING)
        self._jobs.adopt(job, lambda: None)
        task = asyncio.get_running_loop().create_task(self._carry_out(job, plan))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def add(self, folder: bytes, extras: Extras = NOTHING_MORE) -> TrustedFolder:
        """Trust a folder by the person's own word; raises `CannotTrust`, `UnreadableTrustList`."""
        added = await in_thread(self.trust.add, folder, extras)
        await self._tell()
        return added

    async def remove(self, folder: bytes) -> bool:
        """Take trust back; what runs by it ends. False when the folder was not trusted."""
        removed = await in_thread(self.trust.remove, folder)
        await self._tell()
        return removed

    async def close(self) -> None:
        """Wait for what is being written."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _carry_out(self, job: Job, plan: TrustPlan) -> None:
        state = JobState.FAILED
        try:
            await in_thread(self.trust.add, plan.folder, plan.extras, plan.identity)
            job.outcome, state = f"{to_wire(plan.folder)} is trusted", JobState.DONE
            await self._tell()
        except (CannotTrust, UnreadableTrustList, OSError) as error:
            job.outcome = f"not trusted: {error}"
        finally:
            job.state = state
            self._events.changed()

    async def _tell(self) -> None:
        if self.changed is not None:
            await self.changed()
        self._events.changed()
