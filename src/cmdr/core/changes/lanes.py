"""Which jobs may begin: one after the other on each device, and past those that stand still unless they would meet."""

import asyncio
import logging
from collections.abc import Callable, Iterable

from cmdr.core.changes.touched_paths import TouchedPaths
from cmdr.core.threads import in_thread
from cmdr.model.job import Job, JobState
from cmdr.model.plans.plan import Plan

log = logging.getLogger(__name__)


class Lanes:
    """Belongs to the loop; plans are compared in threads, as they may be long.

    A job that runs has its devices for itself. One that asks or is paused holds none: what touches the places of its
    plan waits behind it, everything else goes on.
    """

    def __init__(self, compared: Callable[[], None]) -> None:
        """`compared` is called whenever more is known than at the last question."""
        self._compared = compared
        self._plans: dict[str, Plan] = {}
        self._begun: set[str] = set()
        self._places: dict[str, TouchedPaths] = {}
        self._touching: dict[tuple[str, str], bool | None] = {}
        """Whether two plans touch the same places, by the jobs' ids; None while that is found out."""
        self._comparing: set[asyncio.Task[None]] = set()

    def add(self, job: Job, plan: Plan) -> None:
        """Let a job have its turn."""
        self._plans[job.id] = plan

    def remove(self, job: Job) -> None:
        """A job is over: nobody waits behind it any more."""
        job.behind = None
        del self._plans[job.id]
        self._begun.discard(job.id)
        self._places.pop(job.id, None)
        for pair in [pair for pair in self._touching if job.id in pair]:
            del self._touching[pair]

    def ready(self, jobs: Iterable[Job]) -> list[Job]:
        """The queued jobs that begin now, of all in their order; those that do not know behind which they wait."""
        ours = [job for job in jobs if job.id in self._plans]
        taken = [job for job in ours if job.state is JobState.RUNNING]
        still = [job for job in ours if job.id in self._begun and job.state is not JobState.RUNNING]
        found: list[Job] = []
        for job in ours:
            if job.id in self._begun:
                continue
            if job.state is JobState.PAUSED:
                still.append(job)  # what came before it does not wait for it
                continue
            touching = {other: self._touches(job, other) for other in still if other.devices & job.devices}
            job.behind = next((other for other, is_so in touching.items() if is_so), None)
            if job.behind is not None:
                still.append(job)
                continue
            job.behind = next((other for other in taken if other.devices & job.devices), None)
            if job.behind is None and None not in touching.values():
                found.append(job)
                self._begun.add(job.id)
            # In its turn: what comes later on the same devices does not overtake it.
            taken.append(job)
        return found

    def _touches(self, job: Job, other: Job) -> bool | None:
        pair = (job.id, other.id)
        if pair not in self._touching:
            self._touching[pair] = None
            plans = (self._plans[job.id], self._plans[other.id])
            comparing = asyncio.get_running_loop().create_task(self._compare(pair, plans))
            self._comparing.add(comparing)
            comparing.add_done_callback(self._comparing.discard)
        return self._touching[pair]

    async def _compare(self, pair: tuple[str, str], plans: tuple[Plan, Plan]) -> None:
        found: dict[str, TouchedPaths] = {}

        def compare() -> bool:
            for id, plan in zip(pair, plans, strict=True):
                found[id] = self._places.get(id) or TouchedPaths.of(plan)
            one, two = found.values()
            return one.touches(two)

        try:
            touching = await in_thread(compare)
        except Exception:
            log.exception("it is not known whether two operations would meet")
            touching = True
        if pair in self._touching:  # else one of them is over meanwhile
            self._places |= found
            self._touching[pair] = touching
            self._compared()
