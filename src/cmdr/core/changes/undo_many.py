"""Several operations of agents are undone, newest first, on one yes given beforehand.

Each undo is planned only when the one before is done, for what they touched may hang together, and each is an operation
of its own in the journal. At the first that fails, that finds something changed, or that needs more than a plain yes,
all of it stops and says what was undone and what was not.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cmdr.core.agents.turns import Deed, what_to_undo
from cmdr.core.changes.engine import Engine
from cmdr.core.changes.jobs import Jobs
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.proposals.proposals import Proposals
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.model.history import HistoryEntry
from cmdr.model.job import Job, JobState
from cmdr.model.plans.plan import Plan
from cmdr.model.units import count

log = logging.getLogger(__name__)

MAX_NUMBERS = 20
"""Operations that are named in one line; more are counted."""


class _Stopped(Exception):
    """The rest is not undone; says why."""


@dataclass(slots=True, eq=False)
class _Undoing:
    """One undo of several, under way."""

    job: Job
    deeds: Sequence[Deed]
    principal: Principal
    is_cancelled: bool = False
    current: Job | None = None
    """What undoes the operation whose turn it is."""
    undone: list[int] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)
    """What an earlier undo could not take back, and this one neither."""
    items: int = 0

    @property
    def rest(self) -> list[int]:
        """The operations that are not undone."""
        return [deed.entry.id for deed in self.deeds if deed.entry.id not in self.undone]


class UndoMany:
    """Belongs to the loop. One at a time: what two of them undid would hang together."""

    def __init__(self, engine: Callable[[], Engine], jobs: Jobs, proposals: Proposals, events: Events) -> None:
        self._engine = engine
        self._jobs = jobs
        self._proposals = proposals
        self._events = events
        self._now: _Undoing | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self, deeds: Sequence[Deed], principal: Principal, words: str) -> Job:
        """Undo some operations of agents, newest first; `words` say what they are. The job carries the outcome."""
        if self._now is not None:
            raise CommandError(f"Job {self._now.job.id} is still undoing. Wait for it, or cancel it, then repeat.")
        job = Job(f"j_{secrets.token_urlsafe(9)}", f"Undo {words}", principal.id, frozenset(), JobState.RUNNING)
        job.progress.items_total = sum(deed.entry.done for deed in deeds)
        self._now = undoing = _Undoing(job, sorted(deeds, key=lambda deed: -deed.entry.id), principal)
        self._jobs.adopt(job, lambda: self._cancel(undoing))
        self._task = asyncio.get_running_loop().create_task(self._run(undoing))
        return job

    async def close(self, patience: float) -> None:
        """Stop, and wait a little for what is being undone now."""
        if self._now is not None and self._task is not None:
            self._cancel(self._now)
            await asyncio.wait([self._task], timeout=patience)

    def _cancel(self, undoing: _Undoing) -> None:
        undoing.is_cancelled = True
        if undoing.current is not None:
            self._jobs.cancel(undoing.current)

    async def _run(self, undoing: _Undoing) -> None:
        job, state, why = undoing.job, JobState.FAILED, ""
        try:
            for deed in undoing.deeds:
                if undoing.is_cancelled:
                    break
                await self._undo(undoing, deed.entry)
            state = JobState.CANCELLED if undoing.is_cancelled else JobState.DONE
        except _Stopped as stopped:
            why = str(stopped)
        except Exception:
            log.exception("job %s failed", job.id)
            why = "cmdr failed inside; its log says how."
        finally:
            if undoing.is_cancelled:
                state = JobState.CANCELLED
            self._now = undoing.current = None
            job.outcome, job.problems = _told(undoing, state, why)
            job.progress.current = ""
            job.state = state
            self._events.changed()

    async def _undo(self, undoing: _Undoing, shown: HistoryEntry) -> None:
        """Undo one operation; raises `_Stopped` when that is not possible as it was said."""
        number = shown.id
        entry = await self._engine().entry(number)
        by = await self._engine().begun_by(number)
        if entry is None or by is None or not by.startswith("agent:"):
            raise _Stopped(f"operation {number}: the journal does not say any more that it is an agent's")
        target = what_to_undo(await self._chain(entry))
        if target is None:
            undoing.undone.append(number)  # with another one that it continues, or by somebody else meanwhile
            return
        plan = await self._planned(undoing, entry, target)
        if plan is None or undoing.is_cancelled:
            return
        why = "; ".join([*plan.risk.reasons, *(f"{reason}: {many}" for reason, many in plan.skipped)])
        if why:
            proposal = self._proposals.add(plan, undoing.principal)
            raise _Stopped(f"operation {number}, which needs your word ({why}): proposal {proposal.id}")
        await self._carry_out(undoing, entry, plan)

    async def _chain(self, entry: HistoryEntry) -> list[HistoryEntry]:
        """An operation, its undo, the undo of that, and so on, as they stand now."""
        chain = [entry]
        while (undone_by := chain[-1].undone_by) is not None and (found := await self._engine().entry(undone_by)):
            chain.append(found)
        return chain

    async def _planned(self, undoing: _Undoing, entry: HistoryEntry, target: int) -> Plan | None:
        """How it is undone; None when an earlier undo has left the same already, which the person knows."""
        try:
            return await self._engine().undo_plan(target)
        except (CommandError, PlanRefused) as error:
            if not entry.left:
                raise _Stopped(f"operation {entry.id}: {error}") from error
            undoing.left_alone.append(f"operation {entry.id}, undone in part before: {error}")
            undoing.undone.append(entry.id)
            return None

    async def _carry_out(self, undoing: _Undoing, entry: HistoryEntry, plan: Plan) -> None:
        job = undoing.job
        undoing.current = one = self._jobs.start(plan, undoing.principal.id)
        while not one.state.is_over:
            job.progress.items_done = undoing.items + one.progress.items_done
            asks = ", which asks you something" if one.state is JobState.WAITING else ""
            job.progress.current = f"operation {entry.id}{asks}"
            await self._events.beyond(self._events.rev)
        undoing.current = None
        if one.state is not JobState.DONE:
            if undoing.is_cancelled:
                return
            raise _Stopped("; ".join([f"operation {entry.id}: {one.outcome}", *one.problems]))
        undoing.undone.append(entry.id)
        undoing.items += entry.left or entry.done
        job.progress.items_done = undoing.items
        # It went well, and the history has it: one row for all of them is enough.
        self._jobs.forget(one)


def _told(undoing: _Undoing, state: JobState, why: str) -> tuple[str, tuple[str, ...]]:
    """What came of it in one line, and what is left."""
    done, all_of_them = len(undoing.undone), len(undoing.deeds)
    amount = f"{count(done, 'operation')} undone, {count(undoing.items, 'item')}"
    if state is not JobState.DONE:
        amount = f"{done} of {count(all_of_them, 'operation')} undone, {count(undoing.items, 'item')}"
    if state is JobState.CANCELLED:
        amount = f"cancelled: {amount}"
    elif why:
        amount += f"; stopped at {why}"
    problems = [*undoing.left_alone]
    if undoing.undone and undoing.rest:
        problems.append(f"undone: {_numbers(undoing.undone)}")
    if undoing.rest:
        problems.append(f"not undone: {_numbers(undoing.rest)}")
    return amount, tuple(problems)


def _numbers(operations: Sequence[int]) -> str:
    more = len(operations) - MAX_NUMBERS
    told = ", ".join(map(str, operations[:MAX_NUMBERS]))
    return f"{told} and {more} more" if more > 0 else told
