"""Indexes as the core sees them: opened when first asked for, scanned as jobs, asked in threads."""

import asyncio
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cmdr.core.errors import CommandError, NotThere
from cmdr.core.events import Events
from cmdr.core.principals import Principal
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.model.entry import FolderSize
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.scan_job import ScanJob
from cmdr.model.shell_session import ShellSession

if TYPE_CHECKING:
    from cmdr.index.answers import Answers
    from cmdr.index.library import Library
    from cmdr.index.walk import Progress, WalkOptions

PATIENCE = 30.0
"""Seconds a question waits for the scan of a tree that nobody indexed before."""
KEPT = 100
SCANS_PER_CALLER = 2
PASSING_SETS = 20
MEMBERS = 100_000
"""Most entries of a set that one operation takes."""


class Indexing:
    """The library of indexes, the scans under way and the agents' sessions."""

    def __init__(self, state: str, events: Events) -> None:
        self._state = state
        self._events = events
        self._library: Library | None = None
        self._opening = asyncio.Lock()
        self._scans: dict[str, ScanJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._sessions: dict[str, ShellSession] = {}
        self._owners: dict[str, str] = {}
        self._followed: set[str] = set()
        self._behind: set[asyncio.Task[None]] = set()
        self._closing = False
        self.version = 0
        """Grows whenever indexes may know more than before, so that faces see when to ask again."""

    async def library(self) -> "Library":
        """The library; its heavy modules are imported by the first who asks, in a thread."""
        async with self._opening:
            if self._library is None:
                try:
                    self._library = await in_thread(_open, self._state)
                    self._owners = await in_thread(self._library.catalogue.owners)
                    self.version += 1
                except IndexFault as error:
                    raise CommandError(str(error)) from error
            return self._library

    async def close(self) -> None:
        """Stop the scans, keeping what they read, and close the library."""
        self._closing = True
        for scan in self._scans.values():
            scan.is_cancelled = True
        if self._tasks or self._behind:
            await asyncio.wait({*self._tasks.values(), *self._behind}, timeout=5)
        if self._library is not None:
            await in_thread(self._library.close)

    async def scan(self, root: bytes, options: "WalkOptions", principal: Principal) -> ScanJob:
        """Start to read a tree into its index; a scan of the same root that is under way is joined."""
        library = await self.library()
        info = await in_thread(library.prepare, root, options)
        for running in self._scans.values():
            if running.index == info.id and not running.state.is_over:
                return running
        mine = sum(scan.owner == principal.id and not scan.state.is_over for scan in self._scans.values())
        if mine >= SCANS_PER_CALLER and not principal.is_person:
            raise CommandError(f"{mine} scans of yours are running. Wait for one with job_progress, then repeat.")
        job = ScanJob(f"j_{secrets.token_urlsafe(9)}", info.root, info.id, principal.id)
        self._scans[job.id] = job
        for old in [id for id, scan in self._scans.items() if scan.state.is_over][: max(0, len(self._scans) - KEPT)]:
            del self._scans[old]
        self._tasks[job.id] = asyncio.get_running_loop().create_task(self._run(library, job, options))
        self._events.changed()
        return job

    def job(self, id: str, principal: Principal) -> ScanJob | None:
        """A scan by its id, or None; agents see only their own."""
        job = self._scans.get(id)
        return job if job is not None and (principal.is_person or job.owner == principal.id) else None

    def scans(self) -> list[ScanJob]:
        """Every scan that is remembered, oldest first."""
        return list(self._scans.values())

    def cancel(self, job: ScanJob) -> None:
        """Stop a scan; what was read stays, marked partial."""
        job.is_cancelled = True

    async def finished(self, job: ScanJob, patience: float) -> bool:
        """Wait for a scan, but not for ever; whether it is over."""
        if job.id in self._tasks:
            await asyncio.wait({self._tasks[job.id]}, timeout=patience)
        return job.state.is_over

    async def covering(self, path: bytes) -> "Answers | None":
        """The index that knows a path, or None."""
        library = await self.library()
        answers = await in_thread(library.covering, path)
        if answers is not None and answers.indexed.record.id not in self._followed:
            self._follow(library, answers)
        return answers

    async def folder_sizes(self, path: bytes, names: Sequence[bytes]) -> dict[bytes, FolderSize]:
        """What an index knows of the size of folders in a folder; nothing while no index has been asked for."""
        if self._library is None or not names:
            return {}
        answers = await self.covering(path)
        return {} if answers is None else await in_thread(_sizes, answers, path, names)

    def _follow(self, library: "Library", answers: "Answers") -> None:
        """Bring an index up to date behind the scenes, then keep it so; its answers count at once."""
        index = answers.indexed.record.id
        self._followed.add(index)
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._know_more)

        def catch_up() -> None:
            with suppress(IndexFault):
                library.refresh(index, lambda: self._closing)
                if not self._closing:
                    answers.indexed.watch(changed)
                    changed()

        task = loop.create_task(in_thread(catch_up))
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def own(self, set: str, principal: Principal, *, passing: bool = False) -> None:
        """Note whose a set is. A passing one, which a query left behind, goes when many newer ones have come."""
        library = await self.library()
        self._owners.setdefault(set, principal.id)
        theirs = await in_thread(library.catalogue.put_owner, set, principal.id, passing=passing)
        for old in theirs[PASSING_SETS:]:
            with suppress(IndexFault):
                await in_thread(library.sets.delete, old)

    def check_owner(self, set: str, principal: Principal) -> None:
        """Refuse a set that is somebody else's, as if it did not exist."""
        owner = self._owners.get(set)
        if not principal.is_person and owner not in (None, principal.id):
            raise NotThere(f"No resource set {set[:40]}.")

    async def members_of(self, set: str, principal: Principal) -> tuple[bytes, ...]:
        """The paths in a set, as they are now; entries that are gone are left out."""
        self.check_owner(set, principal)
        library = await self.library()
        page = await in_thread(library.sets.page, set, 0, MEMBERS)
        return tuple(entry.member.path_now for entry in page.members if entry.member.path_now is not None)

    async def ensure(
        self, root: bytes, principal: Principal, patience: float = PATIENCE
    ) -> "tuple[Answers, ScanJob | None]":
        """The index that knows a tree, scanned now when there is none; with the scan that was needed."""
        answers = await self.covering(root)
        if answers is not None:
            return answers, None
        from cmdr.index.walk import WalkOptions

        job = await self.scan(root, WalkOptions(), principal)
        if not await self.finished(job, patience):
            raise CommandError(
                f"{to_wire(root)} is being indexed ({job.entries} entries so far). "
                f'Repeat this when job_progress {{"jobId": "{job.id}"}} says done.'
            )
        answers = await self.covering(root)
        if answers is None:
            raise CommandError(job.problem or f"{to_wire(root)} could not be indexed.")
        return answers, job

    def session(self, id: str | None, principal: Principal, start: bytes) -> ShellSession:
        """A caller's session: the one it names, or its default one."""
        key = id or f"default:{principal.id}"
        session = self._sessions.get(key)
        if session is not None and session.owner == principal.id:
            return session
        if id is not None:
            raise NotThere(f"No session {id[:40]}. Leave sessionId out for your own, which always exists.")
        session = ShellSession(f"sh_{secrets.token_urlsafe(9)}", principal.id, start, start)
        self._sessions[key] = self._sessions[session.id] = session
        return session

    async def _run(self, library: "Library", job: ScanJob, options: "WalkOptions") -> None:
        loop = asyncio.get_running_loop()

        def told(progress: "Progress") -> None:
            loop.call_soon_threadsafe(self._progressed, job, progress)

        state = JobState.FAILED
        try:
            info = await in_thread(library.index, job.root, options, told, lambda: job.is_cancelled)
            if info.totals is not None:
                job.folders, job.bytes = info.totals.dirs, info.totals.bytes
            state = JobState.CANCELLED if job.is_cancelled else JobState.DONE
        except IndexFault as error:
            job.problem = str(error)
        finally:
            job.state = state
            del self._tasks[job.id]
            self._know_more()

    def _know_more(self) -> None:
        self.version += 1
        self._events.changed()

    def _progressed(self, job: ScanJob, progress: "Progress") -> None:
        job.phase, job.entries, job.folders, job.bytes = progress.phase, progress.entries, progress.dirs, progress.bytes
        job.rate, job.percent, job.seconds = progress.rate, progress.percent, progress.seconds
        self._events.changed()


def _sizes(answers: "Answers", path: bytes, names: Sequence[bytes]) -> dict[bytes, FolderSize]:
    fresh = answers.indexed.freshness.state == "fresh"
    sizes: dict[bytes, FolderSize] = {}
    for name in names:
        with suppress(IndexFault):
            node = answers.node(os.path.join(path, name))
            if node.size is not None and node.totals is not None:
                sizes[name] = FolderSize(node.size, node.totals.complete, fresh)
    return sizes


def _open(state: str) -> "Library":
    from cmdr.index.library import Library

    return Library.open(os.path.join(state, "index"))
