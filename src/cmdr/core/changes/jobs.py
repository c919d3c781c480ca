"""Jobs: approved plans are carried out one after the other on each device, side by side on different ones.

A job that asks or is paused steps aside: only what touches the same places waits behind it.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable

from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.changes.engine import Engine, OperationInterrupted
from cmdr.core.changes.interrupted import Interrupted
from cmdr.core.changes.job_control import JobControl, Meter
from cmdr.core.changes.job_outcome import JobOutcome
from cmdr.core.changes.lanes import Lanes
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import AskedInstead, CommandError, NotThere
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.engine.run.control import Answer, Conflict
from cmdr.engine.run.control import Progress as RunProgress
from cmdr.engine.run.outcome import Outcome
from cmdr.model.job import Job, JobState, Question
from cmdr.model.names import printable, to_wire
from cmdr.model.plans.plan import ConflictPolicy, Plan
from cmdr.model.plans.plan_text import title_of

log = logging.getLogger(__name__)

KEPT = 100
"""How many finished jobs are remembered."""
KEPT_STEPS = 500_000
"""Steps of the jobs that can be tried again; with more, those that ended longest ago no longer can."""

Run = Callable[[Plan, str, JobControl], Outcome]
"""Carries a plan out, in a worker thread: the plan, for whom, and what controls it."""
PlanUndo = Callable[[int], Awaitable[Plan]]
"""Plans the way back of an operation."""


class Jobs:
    """Every job by its id. Belongs to the loop; operations run in threads of their own."""

    def __init__(self, run: Run, events: Events, audit: Audit, plan_undo: PlanUndo | None = None) -> None:
        """Without `plan_undo` nothing can be taken back here."""
        self._run = run
        self._plan_undo = plan_undo
        self._events = events
        self._audit = audit
        self._all: dict[str, Job] = {}
        self._plans: dict[str, Plan] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._controls: dict[str, JobControl] = {}
        self._meters: dict[str, Meter] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stops: dict[str, Callable[[], None]] = {}
        self._lanes = Lanes(self._compared)
        self._agents_stopped = False
        self._interrupted = Interrupted()

    def adopt(self, job: Job, stop: Callable[[], None]) -> None:
        """Take in work that runs elsewhere, as a command does; `stop` ends it."""
        self._all[job.id] = job
        self._stops[job.id] = stop
        self._forget_oldest()
        self._events.changed()

    async def adopt_interrupted(self, engine: Engine) -> None:
        """Take in the operations that a crash cut short; each waits for a word."""
        self._all |= {job.id: job for job in await self._interrupted.adopt(engine)}
        self._events.changed()

    def interrupted(self) -> list[Job]:
        """The operations that a crash cut short and nobody has said a word about yet."""
        return self._interrupted.jobs

    def interrupted_as(self, operation: int) -> Job | None:
        """The job of an operation that was cut short, if it still waits for a word."""
        return self._interrupted.of(operation)

    def start(self, plan: Plan, principal_id: str) -> Job:
        """Queue a plan; it begins when no other job works on its devices, and none that stands still would be met."""
        for operation, word in ((plan.undoes, "taken back"), (plan.continues, "continued")):
            if (answered := self._interrupted.of(operation)) is not None:
                self._interrupted.decide(answered, word)
        job = Job(
            f"j_{secrets.token_urlsafe(9)}", title_of(plan), principal_id, frozenset(root.dev for root in plan.roots)
        )
        job.progress.items_total = len(plan.items)
        job.progress.bytes_total = plan.totals.bytes
        self._all[job.id] = job
        self._plans[job.id] = plan
        self._lanes.add(job, plan)
        if self._agents_stopped and job.is_of_agent:
            self._hold(job)
        self._forget_oldest()
        self._begin_what_can()
        self._events.changed()
        return job

    def get(self, id: str, principal: Principal) -> Job:
        """A job by its id; agents see only what they proposed."""
        job = self._all.get(id)
        if job is None or not (principal.is_person or job.started_by == principal.id):
            raise NotThere(f"No job {printable(id, 40)}. It may have been forgotten.")
        return job

    def all(self) -> list[Job]:
        """Every job, oldest first."""
        return list(self._all.values())

    def running(self) -> list[Job]:
        """The jobs that are not over."""
        return [job for job in self._all.values() if not job.state.is_over]

    def pause(self, job: Job) -> None:
        """Hold a running job at its next chunk."""
        if job.state is not JobState.RUNNING:
            raise CommandError(f"Job {job.id} is {job.state}; only a running one can be paused.")
        if job.id in self._stops:
            raise CommandError("A command cannot be paused. Cancel it, or let it end.")
        self._controls[job.id].pause()
        job.progress.rate = 0.0
        self._now(job, JobState.PAUSED)

    def go_on(self, job: Job) -> None:
        """Let a paused job go on, also one that was paused when agents were stopped."""
        control = self._controls.get(job.id)
        if job.state is JobState.WAITING and control is not None and control.is_paused:
            # It goes on once its question is answered.
            control.resume()
            job.is_stopped = False
            self._events.changed()
            return
        if job.state is not JobState.PAUSED:
            raise CommandError(f"Job {job.id} is {job.state}; only a paused one can be resumed.")
        job.is_stopped = False
        if control is None:
            self._now(job, JobState.QUEUED)
            return
        control.resume()
        self._meters[job.id].restart()
        self._now(job, JobState.RUNNING)

    def cancel(self, job: Job, *, takes_back: bool = False) -> None:
        """Stop a job; finished items stay as they are, unless somebody takes them back."""
        if job.id in self._stops:
            self._stops[job.id]()
        elif job.id in self._controls:
            self._controls[job.id].cancel()
        elif not job.state.is_over:
            job.outcome = "cancelled before it began"
            del self._plans[job.id]
            self._lanes.remove(job)
            self._now(job, JobState.CANCELLED)
        elif job in self._interrupted:
            self._interrupted.decide(job, "taken back" if takes_back else "left as it is")
            self._events.changed()

    async def take_back(self, job: Job, principal_id: str) -> Job | None:
        """Stop a job and undo what it has done, as a new job; None when it had done nothing."""
        if not job.state.is_over:
            self.cancel(job)
            await self.finished(job)
        if not job.operation or self._plan_undo is None:
            return None
        plan = await self._plan_undo(job.operation)
        self.cancel(job, takes_back=True)
        self.seen(job)
        return self.start(plan, principal_id)

    def stop_agents(self) -> None:
        """Hold what agents proposed where it is, and begin nothing of theirs; only a word of the person lets it go on.

        Work that runs elsewhere is ended by those who run it.
        """
        self._agents_stopped = True
        for job in self.running():
            if job.is_of_agent and job.id in self._plans:
                self._hold(job)
        self._begin_what_can()
        self._events.changed()

    def allow_agents(self) -> None:
        """What agents propose from now on begins again; what was held stays so until somebody lets it go on."""
        self._agents_stopped = False

    def paused_by_stop(self) -> list[Job]:
        """The jobs that stand still because agents were stopped, oldest first."""
        return [job for job in self.running() if job.is_stopped]

    def failed_unseen(self) -> list[Job]:
        """The jobs of which something failed, until the person has looked, oldest first."""
        return [job for job in self._all.values() if not job.is_seen]

    def seen(self, job: Job) -> None:
        """The person knows what came of a job."""
        if not job.is_seen:
            job.is_seen = True
            self._forget_oldest()
            self._events.changed()

    def answer(self, job: Job, question: str, policy: ConflictPolicy, *, for_all: bool) -> None:
        """Answer a job's question; the first answer counts."""
        if job.question is None or job.question.id != question:
            raise CommandError(f"Job {job.id} does not ask {printable(question, 40)} any more.")
        if policy is ConflictPolicy.ASK:
            raise CommandError("That is not an answer. Choose skip, overwrite, rename, newer or larger.")
        if job.question.inside and policy not in (ConflictPolicy.SKIP, ConflictPolicy.OVERWRITE):
            raise CommandError("That is not an answer here. Choose overwrite to take all of it, or skip to leave it.")
        job.question = None
        control = self._controls[job.id]
        control.answer(question, Answer(policy, for_all))
        self._now(job, JobState.PAUSED if control.is_paused else JobState.RUNNING)

    async def retry(self, job: Job, principal_id: str) -> Job:
        """Run the items that failed or were not reached, as a new job."""
        if job in self._interrupted:
            try:
                rest = await self._interrupted.go_on(job)
            finally:
                self._events.changed()
            return self.start(rest, principal_id)
        outcome = self._outcomes.get(job.id)
        if outcome is None or not job.can_retry:
            raise CommandError(f"Job {job.id} has nothing to retry.")
        job.can_retry = False
        del self._outcomes[job.id]
        self.seen(job)
        return self.start(await in_thread(lambda: outcome.retry().weigh()), principal_id)

    def forget(self, job: Job) -> None:
        """Let go of a job that is over and that nobody needs to look at."""
        self._all.pop(job.id, None)
        self._events.changed()

    async def finished(self, job: Job) -> None:
        """Wait until a job is over."""
        while not job.state.is_over:
            await self._events.beyond(self._events.rev)

    async def close(self, patience: float) -> None:
        """Cancel everything and wait a little; what remains is swept at the next start."""
        # The last first: cancelling one that others wait behind would let those begin.
        for job in reversed(self.running()):
            self.cancel(job)
        if tasks := [*self._tasks.values(), *self._interrupted.being_left]:
            await asyncio.wait(tasks, timeout=patience)

    def _compared(self) -> None:
        self._begin_what_can()
        self._events.changed()

    def _begin_what_can(self) -> None:
        for job in self._lanes.ready(self._all.values()):
            self._begin(job)

    def _hold(self, job: Job) -> None:
        job.is_stopped = True
        if (control := self._controls.get(job.id)) is not None:
            control.pause()
        job.progress.rate = 0.0
        if job.state is not JobState.WAITING:  # that one asks, and stands still after the answer
            job.state, job.behind = JobState.PAUSED, None

    def _begin(self, job: Job) -> None:
        loop = asyncio.get_running_loop()
        meter = self._meters[job.id] = Meter()

        def told(step: RunProgress) -> None:
            loop.call_soon_threadsafe(self._progressed, job, step, meter)

        def asked(conflict: Conflict) -> None:
            loop.call_soon_threadsafe(self._asked, job, conflict)

        def begun(operation: int) -> None:
            loop.call_soon_threadsafe(self._begun, job, operation)

        self._controls[job.id] = JobControl(told, asked, begun)
        job.state = JobState.RUNNING
        self._tasks[job.id] = loop.create_task(self._carry_out(job))

    async def _carry_out(self, job: Job) -> None:
        state = JobState.FAILED
        try:
            outcome = await in_thread(self._run, self._plans[job.id], job.started_by, self._controls[job.id])
            # Beside the loop: this looks at every item, and there may be half a million.
            found = await in_thread(JobOutcome.of, outcome)
            found.write_on(job)
            state = found.state
            if job.can_retry:
                self._outcomes[job.id] = outcome
                self._forget_outcomes()
            job.is_seen = not job.failed
        except AskedInstead as asked:
            job.outcome, state = str(asked), JobState.CANCELLED
        except OperationInterrupted as error:
            job.outcome = f"interrupted: {error}"
            self._interrupted.add(job, error.operation)
            log.exception("job %s was cut short", job.id)
        except Exception as error:
            job.outcome = f"stopped: {error}"
            job.is_seen = False
            log.exception("job %s failed", job.id)
        finally:
            job.question, job.is_stopped = None, False
            self._lanes.remove(job)
            del self._tasks[job.id], self._controls[job.id], self._meters[job.id]
            plan = self._plans.pop(job.id)
            self._audit.record(
                AuditRecord(job.started_by, f"job {job.id}", "", job.outcome, decision=state.value, plan=plan.digest)
            )
            job.state = state
            self._begin_what_can()
            self._events.changed()

    def _begun(self, job: Job, operation: int) -> None:
        job.operation = operation
        self._events.progressed()

    def _progressed(self, job: Job, step: RunProgress, meter: Meter) -> None:
        progress = job.progress
        progress.items_done, progress.items_total = step.items_done, step.items_total
        progress.bytes_done, progress.bytes_total = step.bytes_done, step.bytes_total
        progress.current = to_wire(step.current.place.path) if step.current else ""
        progress.rate = 0.0 if job.state is JobState.PAUSED else meter.rate(step.bytes_done)
        self._events.progressed()

    def _asked(self, job: Job, conflict: Conflict) -> None:
        item, there, inside = conflict.item, conflict.existing, conflict.inside
        source = item.arriving
        if inside is not None:
            path = item.place.path
            job.question = Question(conflict.id, path, path, shown=item.totals.told, inside=inside.told)
            self._now(job, JobState.WAITING)
            return
        job.question = Question(
            conflict.id,
            item.place.path,
            (item.target or item.place).path,
            source.size if source else 0,
            there.size,
            source.mtime_ns if source else 0,
            there.mtime_ns,
        )
        self._now(job, JobState.WAITING)

    def _now(self, job: Job, state: JobState) -> None:
        job.state = state
        self._begin_what_can()  # it may have stepped aside, or stand in the way again
        self._events.changed()

    def _forget_oldest(self) -> None:
        for is_seen in (True, False):  # what waits to be looked at takes nobody's place, and is not endless either
            over = [id for id, job in self._all.items() if job.state.is_over and job.is_seen is is_seen]
            for id in over[: max(0, len(over) - KEPT)]:
                del self._all[id]
                self._stops.pop(id, None)
                self._outcomes.pop(id, None)

    def _forget_outcomes(self) -> None:
        *older, newest = self._outcomes
        steps = len(self._outcomes[newest].plan.items)
        for id in reversed(older):
            steps += len(self._outcomes[id].plan.items)
            if steps > KEPT_STEPS:
                del self._outcomes[id]
                self._all[id].can_retry = False
