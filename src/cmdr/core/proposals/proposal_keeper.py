"""Keeping proposals over a restart, as the loop asks for it: one write after the other, in threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from cmdr.core.places import UnsafePlace
from cmdr.core.proposals.ended_proposals import EndedProposal, EndedProposals
from cmdr.core.proposals.kept_forms import Kept
from cmdr.core.proposals.proposal_store import Found, NotKept, ProposalStore
from cmdr.core.threads import in_thread

if TYPE_CHECKING:
    from cmdr.core.write_queue import WriteQueue

log = logging.getLogger(__name__)


class ProposalKeeper:
    """Belongs to the loop. Without a store nothing is kept, and nothing is said about it."""

    def __init__(self, store: ProposalStore | None, ended: EndedProposals) -> None:
        self._store = store
        self._ended = ended
        self._queue: WriteQueue | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._is_ended_due = False
        self._latest: tuple[list[EndedProposal], dict[str, int]] = ([], {})
        ended.changed = self._keep_ended

    @property
    def is_keeping(self) -> bool:
        """Whether what is proposed outlives the program."""
        return self._store is not None

    async def load(self) -> Found:
        """What was kept; a folder that cannot be used is told, and keeps nobody from starting."""
        if self._store is None:
            return Found()
        try:
            return await in_thread(self._store.load)
        except (OSError, UnsafePlace) as error:
            log.exception("kept proposals cannot be read")
            return Found(problem=str(error))

    async def keep(self, kept: Kept) -> str:
        """Write it down before anybody is told of it; why that could not be, or nothing when it is kept."""
        if self._store is None:
            return ""
        store = self._store
        try:
            await self._writes.write(lambda: store.keep(kept))
        except NotKept as why:
            log.warning("%s is not kept over a restart: %s", kept.id, why)
            return str(why)
        except asyncio.CancelledError:
            self.forget(kept.id)  # nobody is left who would be told of it
            raise
        return ""

    async def approve(self, id: str) -> None:
        """Take note of a yes before its job begins; a disk that refuses does not hold the job up."""
        if self._store is not None:
            store = self._store
            await self._do(lambda: store.approve(id), id)

    def forget(self, id: str) -> None:
        """It is answered, or over: behind everything that was asked for before."""
        if self._store is not None:
            store = self._store
            self._later(lambda: store.forget(id), id)

    async def close(self, seconds: float) -> None:
        """Wait a little for what is still being written."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=seconds)

    def _keep_ended(self) -> None:
        if self._store is None:
            return
        self._latest = self._ended.all(), self._ended.more()
        if not self._is_ended_due:
            self._is_ended_due = True
            store = self._store

            def write() -> None:
                # What is added from now on asks for a further write; what was added meanwhile goes along.
                self._is_ended_due = False
                store.keep_ended(*self._latest)

            self._later(write, "what ended")

    def _later(self, work: Callable[[], None], what: str) -> None:
        task = asyncio.get_running_loop().create_task(self._do(work, what))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    @property
    def _writes(self) -> WriteQueue:
        from cmdr.core.write_queue import WriteQueue

        self._queue = self._queue or WriteQueue()
        return self._queue

    async def _do(self, work: Callable[[], None], what: str) -> None:
        try:
            await self._writes.write(work)
        except Exception:
            log.exception("%s could not be noted", what)
