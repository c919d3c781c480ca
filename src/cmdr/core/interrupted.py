"""Operations that a crash cut short: each waits among the jobs for a word, to go on, be taken back or be left."""

from dataclasses import dataclass

from cmdr.core.engine import Engine
from cmdr.core.journal_history import HistoryEntry
from cmdr.model.job import Job, JobState, Progress
from cmdr.model.names import to_wire
from cmdr.model.plan import Plan


@dataclass(frozen=True, slots=True)
class CutShort:
    """The way on, and the way to leave it, for one of them."""

    engine: Engine
    operation: int

    async def rest(self) -> Plan:
        """What it did not come to."""
        return await self.engine.resume_plan(self.operation)

    async def leave(self) -> None:
        """Leave it as it is."""
        await self.engine.leave(self.operation)


async def interrupted_jobs(engine: Engine) -> list[tuple[Job, CutShort]]:
    """Every interrupted operation as a job that is over, and what can be done about it."""
    return [(_job(entry), CutShort(engine, entry.id)) for entry in await engine.interrupted()]


def _job(entry: HistoryEntry) -> Job:
    title = f"{entry.verb.capitalize()} {to_wire(entry.title)}"
    if entry.new_name is not None:
        title += f" → {to_wire(entry.new_name)}"
    if entry.total > 1:
        title += f" and {entry.total - 1} more"
    if entry.destination is not None:
        title += f" to {to_wire(entry.destination)}"
    return Job(
        f"j_interrupted_{entry.id}",
        title,
        entry.by,
        frozenset(),
        JobState.FAILED,
        Progress(entry.done, entry.total),
        operation=entry.id,
        outcome=f"interrupted: {entry.done} of {entry.total} done",
        problems=("try again: goes on · take back: undoes · cancel: leaves it",),
        can_retry=True,
    )
