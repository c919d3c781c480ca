"""Operations that were cut short: each waits among the jobs for a word, to go on, be taken back or be left."""

import asyncio
import logging
from dataclasses import dataclass

from cmdr.core.changes.engine import Engine
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.model.history import HistoryEntry
from cmdr.model.job import Job, JobState, Progress
from cmdr.model.plans.plan import Plan

log = logging.getLogger(__name__)

_WORDS = ("try again: goes on · take back: undoes · cancel: leaves it",)


@dataclass(frozen=True, slots=True)
class _CutShort:
    job: Job
    engine: Engine
    operation: int


class Interrupted:
    """Those about which nobody has said a word yet."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._waiting: dict[str, _CutShort] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    def __contains__(self, job: Job) -> bool:
        return job.id in self._waiting

    @property
    def jobs(self) -> list[Job]:
        """Each of them as a job that is over."""
        return [each.job for each in self._waiting.values()]

    @property
    def being_left(self) -> list[asyncio.Task[None]]:
        """What the journal is still being told."""
        return list(self._leaving)

    async def adopt(self, engine: Engine) -> list[Job]:
        """Find them in the journal."""
        self._engine = engine
        found = [_CutShort(_job(entry), engine, entry.id) for entry in await engine.interrupted()]
        self._waiting |= {each.job.id: each for each in found}
        return [each.job for each in found]

    def add(self, job: Job, operation: int) -> None:
        """A job was cut short while the program goes on: it waits for a word like those that a crash cut short."""
        if self._engine is not None:
            job.operation, job.can_retry, job.problems = operation, True, _WORDS
            self._waiting[job.id] = _CutShort(job, self._engine, operation)

    def of(self, operation: int | None) -> Job | None:
        """The one that is about an operation, if it waits."""
        return next((each.job for each in self._waiting.values() if each.operation == operation), None)

    async def go_on(self, job: Job) -> Plan:
        """What it did not come to: a job of its own from now on."""
        cut_short = self._waiting[job.id]
        try:
            rest = await cut_short.engine.resume_plan(cut_short.operation)
        except NothingToDo:
            # Killed when all was done: only the last word was missing.
            self.decide(job, "it was complete")
            raise
        self.decide(job, "continued")
        return rest

    def decide(self, job: Job, word: str) -> None:
        """The person has said a word about one: it does not ask again."""
        cut_short = self._waiting.pop(job.id)
        job.outcome += f"; {word}"
        job.can_retry, job.problems, job.state = False, (), JobState.CANCELLED
        leaving = asyncio.get_running_loop().create_task(cut_short.engine.leave(cut_short.operation))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._left)

    def _left(self, leaving: asyncio.Task[None]) -> None:
        self._leaving.discard(leaving)
        if not leaving.cancelled() and leaving.exception() is not None:
            log.error("the journal was not told: %s", leaving.exception())


def _job(entry: HistoryEntry) -> Job:
    return Job(
        f"j_interrupted_{entry.id}",
        f"{entry.verb.capitalize()} {entry.about()}",
        entry.by,
        frozenset(),
        JobState.FAILED,
        Progress(entry.done, entry.total),
        operation=entry.id,
        outcome=f"interrupted: {entry.done} of {entry.total} done",
        problems=_WORDS,
        can_retry=True,
    )
