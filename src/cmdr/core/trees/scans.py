"""Scans as jobs: started for somebody, told of while they run, stopped on demand, remembered for a while."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.core.trees.idle_scans import IdleScans
from cmdr.index.errors import Cancelled, IndexFault
from cmdr.model.job import CONTENTS_PHASE, JobState, ScanJob
from cmdr.model.names import to_wire
from cmdr.model.units import count

if TYPE_CHECKING:
    from cmdr.index.contents.segments.build import BuildProgress
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
        if running := self._running(info.id, principal, of_contents=False):
            return running
        mine = sum(scan.owner == principal.id and not scan.state.is_over for scan in self._jobs.values())
        if mine >= SCANS_PER_CALLER and not principal.is_person:
            raise CommandError(f"{mine} scans of yours are running. Wait for one with job_progress, then repeat.")
        job = ScanJob(f"j_{secrets.token_urlsafe(9)}", info.root, info.id, principal.id)
        return self._begin(job, lambda: self._scan(library, job, options))

    async def start_contents(self, library: "Library", root: bytes, principal: Principal) -> ScanJob:
        """Start to index the contents of a tree whose names are indexed; one that is under way is joined."""
        info = await in_thread(library.prepare, root)
        if running := self._running(info.id, principal, of_contents=True):
            return running
        job = ScanJob(f"j_{secrets.token_urlsafe(9)}", info.root, info.id, principal.id, phase=CONTENTS_PHASE)
        return self._begin(job, lambda: self._index_contents(library, job))

    def _running(self, index: str, principal: Principal, *, of_contents: bool) -> ScanJob | None:
        for job in self._jobs.values():
            if job.index == index and not job.state.is_over and (job.phase == CONTENTS_PHASE) == of_contents:
                job.joined.add(principal.id)
                return job
        return None

    def _begin(self, job: ScanJob, work: "Callable[[], Awaitable[None]]") -> ScanJob:
        self._jobs[job.id] = job
        over = [id for id, scan in self._jobs.items() if scan.state.is_over]
        for old in over[: max(0, len(self._jobs) - MAX_REMEMBERED_SCANS)]:
            del self._jobs[old]
        self._tasks[job.id] = asyncio.get_running_loop().create_task(self._run(job, work))
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

    async def _scan(self, library: "Library", job: ScanJob, options: "WalkOptions") -> None:
        loop = asyncio.get_running_loop()

        def report(progress: "Progress") -> None:
            loop.call_soon_threadsafe(self._progressed, job, progress)

        info = await in_thread(library.index, job.root, options, report, lambda: job.is_cancelled)
        if info.totals is not None:
            job.folders, job.bytes = info.totals.dirs, info.totals.bytes
        if not job.is_cancelled and info.freshness.state == "partial":
            job.problem = f"not covered: {info.freshness.reason}"
        if not job.is_cancelled and options.follow_symlinks:
            job.problem = "; ".join(filter(None, [job.problem, await in_thread(_left_out_links, library, info.id)]))

    async def _index_contents(self, library: "Library", job: ScanJob) -> None:
        loop = asyncio.get_running_loop()

        def report(progress: "BuildProgress") -> None:
            loop.call_soon_threadsafe(self._contents_progressed, job, progress)

        def build() -> None:
            contents = library.get(job.index).indexed.contents_kept
            with suppress(Cancelled):
                contents.build(progress=report, cancelled=lambda: job.is_cancelled)

        await in_thread(build)

    async def _run(self, job: ScanJob, work: "Callable[[], Awaitable[None]]") -> None:
        state = JobState.FAILED
        try:
            await self._idle.stop()
            await work()
            if job.percent is not None and not job.is_cancelled:
                job.percent = 100.0
            state = JobState.CANCELLED if job.is_cancelled else JobState.DONE
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

    def _contents_progressed(self, job: ScanJob, progress: "BuildProgress") -> None:
        job.entries, job.bytes, job.seconds, job.percent = (
            progress.files,
            progress.bytes,
            progress.seconds,
            progress.percent,
        )
        job.rate = progress.files / progress.seconds if progress.seconds > 0 else 0.0
        self._events.progressed()

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
