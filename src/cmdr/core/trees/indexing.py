"""Indexes as the core sees them: opened when first asked for, scanned as jobs, asked in threads."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, StillIndexing
from cmdr.core.events import Events
from cmdr.core.threads import in_thread
from cmdr.core.trees.idle_scans import IdleScans, ScannedTree
from cmdr.core.trees.ownership import OwnedQueries, OwnedSets
from cmdr.core.trees.private_contents import private_in
from cmdr.core.trees.scans import Scans
from cmdr.core.trees.session_file import SessionFile
from cmdr.core.trees.shell_sessions import ShellSessions
from cmdr.index.errors import IndexFault
from cmdr.model.job import ScanJob
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import FolderSize

if TYPE_CHECKING:
    from cmdr.index.library import Library
    from cmdr.index.query.queries import IndexQueries
    from cmdr.model.trees.indexes import WalkOptions


_FOLDERS = 8  # both panes and the tabs that somebody goes to and fro between
Sizes = dict[bytes, FolderSize | None]
"""By name; None for what no index knows."""
T = TypeVar("T")
SCAN_TIMEOUT_S = 30.0
"""Seconds a question waits for the scan of a tree that nobody indexed before."""


class FolderSizeCache:
    """What was told of the folders that were looked at last."""

    def __init__(self) -> None:
        self._version: object = None
        self._folders: dict[bytes, Sizes] = {}

    def of(self, folder: bytes, version: object) -> Sizes:
        """What is known of a folder at this moment of the indexes; whoever finds out more adds it."""
        if version != self._version:
            self._version, self._folders = version, {}
        known = self._folders.pop(folder, {})
        self._folders[folder] = known
        if len(self._folders) > _FOLDERS:
            del self._folders[next(iter(self._folders))]
        return known


class Indexing:
    """The library of indexes, the scans under way and the agents' sessions."""

    def __init__(self, state: str, events: Events) -> None:
        self._state = state
        self._events = events
        self._library: Library | None = None
        self._being_opened: asyncio.Future[Library] | None = None
        self._opening = asyncio.Lock()
        self.sessions = ShellSessions(SessionFile(state))
        self.sets = OwnedSets(self.library)
        self.queries = OwnedQueries(self.library)
        self._folder_sizes = FolderSizeCache()
        self._followed: set[str] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._closing = False
        self.idle = IdleScans(self._trees_in_use, self._rescan)
        self._scans = Scans(events, self.idle, self._know_more)
        self.version = 0
        """Grows whenever indexes may know more than before, so that faces see when to ask again."""

    async def library(self) -> "Library":
        """The library; its heavy modules are imported by the first who asks, in a thread."""
        async with self._opening:
            if self._library is None:
                # Whoever asked may leave meanwhile; a library that nobody keeps would lock out the next who asks.
                opening = self._being_opened or asyncio.ensure_future(in_thread(_open, self._state))
                self._being_opened = opening
                try:
                    await asyncio.shield(opening)
                except IndexFault as error:
                    raise CommandError(str(error)) from error
                finally:
                    if opening.done():
                        self._being_opened = None  # what failed is tried again by the next who asks
                        if (
                            not opening.cancelled() and opening.exception() is None
                        ):  # kept also when who asked leaves at this very moment
                            self._library = opening.result()
                            self.version += 1
                return opening.result()
            return self._library

    async def close(self) -> None:
        """Stop the scans, keeping what they read, and close the library."""
        self._closing = True
        await self.idle.close()
        await self.sessions.close()
        if ending := self._scans.stop() | self._background:
            await asyncio.wait(ending, timeout=5)
        if self._library is not None:
            await in_thread(self._library.close)

    async def scan(self, root: bytes, options: "WalkOptions", principal: Principal) -> ScanJob:
        """Start to read a tree into its index; a scan of the same root that is under way is joined."""
        return await self._scans.start(await self.library(), root, options, principal)

    async def index_contents(self, root: bytes, principal: Principal) -> ScanJob:
        """Start to index what is in the files of a tree that is indexed; refused where it cannot be."""
        return await self._scans.start_contents(await self.library(), root, principal)

    def job(self, id: str, principal: Principal) -> ScanJob | None:
        """A scan by its id, or None; agents see only their own."""
        return self._scans.get(id, principal)

    def scans(self) -> list[ScanJob]:
        """Every scan that is remembered, oldest first."""
        return self._scans.all()

    def cancel(self, job: ScanJob) -> None:
        """Stop a scan; what was read stays, marked partial."""
        job.is_cancelled = True

    async def finished(self, job: ScanJob, patience: float) -> bool:
        """Wait for a scan, but not for ever; whether it is over."""
        return await self._scans.finished(job, patience)

    async def covering(self, path: bytes, moments: Mapping[str, int] | None = None) -> "IndexQueries | None":
        """The index that knows best what is in a folder, or None when none has listed it."""
        library = await self.library()
        return await self._ask(library, lambda: library.covering(path, moments=moments), lambda answers: answers)

    async def covering_entry(self, path: bytes) -> "IndexQueries | None":
        """The index that knows best of an entry, or None; it may never have looked into it."""
        return await self.ask_of_entry(path, lambda answers: answers)

    async def ask_of_folder(self, path: bytes, question: "Callable[[IndexQueries], T]") -> T | None:
        """What the index says that knows best what is in a folder; None when none has listed it."""
        library = await self.library()
        return await self._ask(library, lambda: library.covering(path), question)

    async def ask_of_entry(self, path: bytes, question: "Callable[[IndexQueries], T]") -> T | None:
        """What the index says that knows best of an entry, or None; it may never have looked into it."""
        library = await self.library()
        from cmdr.index.query.coverage import Coverage  # noqa: PLC0415

        return await self._ask(library, lambda: library.covering(path, Coverage.ENTRY), question)

    async def _ask(
        self, library: "Library", find: "Callable[[], IndexQueries | None]", question: "Callable[[IndexQueries], T]"
    ) -> T | None:
        """Find an index and ask it, both in one thread: starting a second one would take longer than the question."""
        asked: list[IndexQueries] = []

        def work() -> T | None:
            if (answers := find()) is None:
                return None
            asked.append(answers)
            return question(answers)

        try:
            return await in_thread(work)
        finally:
            for answers in asked:
                if answers.indexed.record.id not in self._followed:
                    self._follow(library, answers)

    async def _caught_up(self, path: bytes) -> "IndexQueries | None":
        """The index that knows a folder once it has looked again: it listed the one above before this came."""
        above = await self.covering(os.path.dirname(path))
        if above is None or await self.covering_entry(path) is not None:
            return None
        library = await self.library()
        with suppress(IndexFault, OSError):  # then it is scanned like any other
            await in_thread(library.refresh, above.indexed.record.id, lambda: self._closing)
        return await self.covering(path)

    async def open(self, index: str, place: str | bytes | None = None) -> "IndexQueries":
        """An index by its id, with its answers about a place (a path or node id; all of it when left out) as of now."""
        library = await self.library()

        def work() -> "IndexQueries":
            answers = library.get(index)
            return answers.as_of(None, place) if answers.indexed.scanned else answers

        answers = await in_thread(work)
        if answers.indexed.scanned and index not in self._followed:
            self._follow(library, answers)
        return answers

    async def folder_sizes(self, path: bytes, names: Sequence[bytes]) -> dict[bytes, FolderSize]:
        """What an index knows of the size of folders in a folder; nothing while no index has been asked for."""
        if self._library is None or not names:
            return {}
        await in_thread(self._library.hear)
        known = self._folder_sizes.of(path, self._library.version())
        unknown = [name for name in names if name not in known]
        if unknown:
            found = await self.ask_of_folder(path, lambda answers: _sizes(answers, path, unknown)) or {}
            known |= {name: found.get(name) for name in unknown}
        return {name: size for name in names if (size := known[name]) is not None}

    def _follow(self, library: "Library", answers: "IndexQueries") -> None:
        """Bring an index up to date behind the scenes, then keep it so; its answers count at once."""
        index = answers.indexed.record.id
        self._followed.add(index)
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._know_more)

        def catch_up() -> None:
            with suppress(IndexFault, OSError):  # the state of the index tells
                library.refresh(index, lambda: self._closing)
                if not self._closing:
                    answers.indexed.watch(changed)
                    changed()

        task = loop.create_task(in_thread(catch_up))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def ensure(
        self, root: bytes, principal: Principal, patience: float = SCAN_TIMEOUT_S
    ) -> "tuple[IndexQueries, ScanJob | None]":
        """The index that knows a tree as of this call, scanned now when there is none; with the scan that was needed.

        Where making its answers true takes too long, its `behind` says how many folders are not known.
        """
        moments = (await self.library()).moments()
        answers = await self.covering(root, moments) or await self._caught_up(root)
        if answers is not None:
            return answers, None
        from cmdr.model.trees.indexes import WalkOptions  # noqa: PLC0415

        job = await self.scan(root, WalkOptions(), principal)
        if not await self.finished(job, patience):
            raise StillIndexing(
                f"{to_wire(root)} is being indexed ({job.entries} entries so far). "
                f'Repeat this when job_progress {{"jobId": "{job.id}"}} says done.'
            )
        answers = await self.covering(root, moments)
        if answers is None:
            raise CommandError(job.problem or f"{to_wire(root)} could not be indexed.")
        return answers, job

    async def _trees_in_use(self) -> list[ScannedTree]:
        if self._library is None or self._scans.are_running:
            return []
        return await in_thread(_walked, self._library, sorted(self._followed))

    async def _rescan(self, index: str, stop: Callable[[], bool]) -> None:
        assert self._library is not None
        await in_thread(self._library.rescan_when_idle, index, stop)
        self._know_more()

    def _know_more(self) -> None:
        self.version += 1
        self._events.changed()


def _sizes(answers: "IndexQueries", path: bytes, names: Sequence[bytes]) -> dict[bytes, FolderSize]:
    fresh = not answers.behind and answers.indexed.freshness.state == "fresh"
    sizes: dict[bytes, FolderSize] = {}
    for name in names:
        with suppress(IndexFault):
            node = answers.node(os.path.join(path, name))
            if node.size is not None and node.totals is not None:
                sizes[name] = FolderSize(node.size, node.totals.complete, fresh)
    return sizes


def _walked(library: "Library", indexes: Sequence[str]) -> list[ScannedTree]:
    found = []
    for index in indexes:
        with suppress(IndexFault):
            indexed = library.get(index).indexed
            is_current = indexed.is_watched and indexed.freshness.state != "stale"
            found.append(ScannedTree(index, int(indexed.view.facts["started_ns"]) / 1e9, is_current))
    return found


def _open(state: str) -> "Library":
    from cmdr.index.library import Library

    library = Library.open(os.path.join(state, "index"))
    library.private_in = private_in
    return library
