"""Scans as jobs: started for somebody, told of while they run, stopped on demand, remembered for a while."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.core.trees.idle_scans import IdleScans
from cmdr.index.errors import IndexFault
from cmdr.model.job import JobState, ScanJob
from cmdr.model.names import to_wire
from cmdr.model.units import count

if TYPE_CHECKING:
    from cmdr.index.library import Library
    from cmdr.index.scan.walk import Progress
    from cmdr.model.trees.indexes import WalkOptions

log = logging.getLogger(__name__)

MAX_REMEMBERED_SCANS = 100
MAX_NAMED_LINKS = 3
SCANS_PER_CALLER = 2


class Scans:
    """Every scan that is remembered; `ended` is called after each."""

    def __init__(self, events: Events, idle: IdleScans, ended: Callable[[], None]) -> None:
        self._events, self._idle, self._ended = events, idle, ended
        self._jobs: dict[str, ScanJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, library: "Library", root: bytes, options: "WalkOptions", principal: Principal) -> ScanJob:
        """Start to read a tree into its index; a scan of the same root that is under way is joined."""
        info = await in_thread(library.prepare, root, options)
        for running in self._jobs.values():
            if running.index == info.id and not running.state.is_over:
                running.joined.add(principal.id)
                return running
        mine = sum(scan.owner == principal.id and not scan.state.is_over for scan in self._jobs.values())
        if mine >= SCANS_PER_CALLER and not principal.is_person:
            raise CommandError(f"{mine} scans of yours are running. Wait for one with job_progress, then repeat.")
        job = ScanJob(f"j_{secrets.token_urlsafe(9)}", info.root, info.id, principal.id)
        self._jobs[job.id] = job
        over = [id for id, scan in self._jobs.items() if scan.state.is_over]
        for old in over[: max(0, len(self._jobs) - MAX_REMEMBERED_SCANS)]:
            del self._jobs[old]
        self._tasks[job.id] = asyncio.get_running_loop().create_task(self._run(library, job, options))
        self._events.changed()
        return job

    def get(self, id: str, principal: Principal) -> ScanJob | None:
        """A scan by its id, or None; agents see only those they started or joined."""
        job = self._jobs.get(id)
        return job if job is not None and job.is_seen_by(principal.id, principal.is_person) else None

    def all(self) -> list[ScanJob]:
        """Every scan that is remembered, oldest first."""
        return list(self._jobs.values())

    @property
    def are_running(self) -> bool:
        """Whether any is under way."""
        return bool(self._tasks)

    async def finished(self, job: ScanJob, patience: float) -> bool:
        """Wait for a scan, but not for ever; whether it is over."""
        if job.id in self._tasks:
            await asyncio.wait({self._tasks[job.id]}, timeout=patience)
        return job.state.is_over

    def stop(self) -> set[asyncio.Task[None]]:
        """Stop them all, keeping what they read; the tasks that end with them."""
        for job in self._jobs.values():
            job.is_cancelled = True
        return {*self._tasks.values()}

    async def _run(self, library: "Library", job: ScanJob, options: "WalkOptions") -> None:
        loop = asyncio.get_running_loop()

        def report(progress: "Progress") -> None:
            loop.call_soon_threadsafe(self._progressed, job, progress)

        state = JobState.FAILED
        try:
            await self._idle.stop()
            info = await in_thread(library.index, job.root, options, report, lambda: job.is_cancelled)
            if info.totals is not None:
                job.folders, job.bytes = info.totals.dirs, info.totals.bytes
            if job.percent is not None and not job.is_cancelled:
                job.percent = 100.0
            state = JobState.CANCELLED if job.is_cancelled else JobState.DONE
            if state is JobState.DONE and info.freshness.state == "partial":
                job.problem = f"not covered: {info.freshness.reason}"
            if state is JobState.DONE and options.follow_symlinks:
                job.problem = "; ".join(filter(None, [job.problem, await in_thread(_left_out_links, library, info.id)]))
        except IndexFault as error:
            job.problem = str(error)
        except OSError as error:
            job.problem = f"{to_wire(job.root)} could not be indexed: {error.strerror}."
        except Exception:
            log.exception("the scan of %s failed", to_wire(job.root))
            job.problem = f"{to_wire(job.root)} could not be indexed: cmdr failed inside; its log says how."
        finally:
            job.state = state
            del self._tasks[job.id]
            self._idle.touched()
            self._ended()

    def _progressed(self, job: ScanJob, progress: "Progress") -> None:
        job.phase, job.entries, job.folders, job.bytes = progress.phase, progress.entries, progress.dirs, progress.bytes
        job.rate, job.percent, job.seconds = progress.rate, progress.percent, progress.seconds
        self._events.progressed()


def _left_out_links(library: "Library", index: str) -> str:
    """Which links a scan that follows them left alone, in one line; empty when there are none."""
    from cmdr.index.scan.walker_process import LINK_LEFT_OUT  # noqa: PLC0415

    found = library.get(index).view.facts.get("problems", [])
    links = [to_wire(bytes.fromhex(path)) for path, code in found if code == LINK_LEFT_OUT]
    if not links:
        return ""
    shown = ", ".join(links[:MAX_NAMED_LINKS]) + (", …" if len(links) > MAX_NAMED_LINKS else "")
    return f"{count(len(links), 'link')} to folders elsewhere not followed: {shown}. Index those folders by themselves"
