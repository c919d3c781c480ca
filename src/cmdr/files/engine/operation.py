"""Running a plan, item by item: written down first, prepared, on the disk, landed, written down again."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from cmdr.files.engine.arrival import CopiedFile, CopiedLink, NewFile, NewLink, Twin
from cmdr.files.engine.conflicts import Decider
from cmdr.files.engine.control import Cancelled, Control
from cmdr.files.engine.folders import Folders
from cmdr.files.engine.group_commit import GROUP, GROUP_BYTES, GroupCommit
from cmdr.files.engine.moved_out import MovedOut
from cmdr.files.engine.outcome import Outcome
from cmdr.files.engine.recorder import Intent, ItemState, Note, OperationState, Recorder
from cmdr.files.engine.relocation import MadeFolder, Removed, Renamed, Swapped, Trashed
from cmdr.files.engine.syscalls import Syscalls
from cmdr.files.engine.tally import Tally
from cmdr.files.engine.temporary import temp_name
from cmdr.files.engine.trash import home_trash
from cmdr.files.engine.trouble import TROUBLE, fate_of, saying
from cmdr.files.engine.workbench import Landed, Trashes, Work, Workbench
from cmdr.model.plan import Decision, Kind, Place, Plan, PlanItem, Step

_WORKS: dict[Step, type[Work]] = {
    Step.MAKE: MadeFolder,
    Step.COPY: CopiedFile,
    Step.TWIN: Twin,
    Step.RENAME: Renamed,
    Step.SWAP: Swapped,
    Step.TRASH: Trashed,
    Step.REMOVE: Removed,
    Step.CREATE: NewFile,
    Step.LINK: NewLink,
}
# Steps that wait for the disk together; the others take effect one by one, in the order of the plan.
_GROUPED = frozenset({Step.MAKE, Step.COPY, Step.TWIN, Step.CREATE, Step.TRASH, Step.LINK})


class Operation:
    """One run of one plan."""

    def __init__(
        self,
        plan: Plan,
        syscalls: Syscalls,
        recorder: Recorder,
        *,
        by: str = "",
        verify: bool = False,
        trash_home: bytes | None = None,
    ) -> None:
        self.plan = plan
        self._syscalls = syscalls
        self._recorder = recorder
        self._by = by
        self._verify = verify
        self._trash_home = trash_home or home_trash()

    def run(self, control: Control) -> Outcome:
        """Carry the plan out; blocking, for a worker thread. One item's trouble never stops the rest."""
        operation = self._recorder.begin(self.plan, self._by)
        tally = Tally(self.plan, self._recorder, operation, control)
        state = OperationState.DONE
        with ExitStack() as stack:
            folders = stack.enter_context(Folders(self._syscalls, self.plan.roots))
            trashes = Trashes(self._syscalls, self._trash_home)
            stack.callback(trashes.close)
            pool = GroupCommit(self._syscalls)
            stack.callback(pool.close)
            decider = Decider(self.plan.policy, control)

            def intend(intent: Intent) -> None:
                tally.intend([intent])

            bench = Workbench(self._syscalls, folders, trashes, decider, control, intend, tally.stride, self._verify)
            after = MovedOut(bench, tally, pool)
            try:
                _Line(bench, tally, pool).run(self.plan.items)
            except Cancelled:
                state = OperationState.CANCELLED
            after.finish_folders()
            if state is OperationState.DONE:
                try:
                    after.remove_sources()
                except Cancelled:
                    state = OperationState.CANCELLED
            tally.write()
        self._recorder.finish(operation, state)
        return Outcome(operation, self.plan, state, tuple(tally.fates))


class _Line:
    """Takes items through intent, staging, landing and confirmation, a group at a time."""

    def __init__(self, bench: Workbench, tally: Tally, pool: GroupCommit) -> None:
        self._bench = bench
        self._tally = tally
        self._pool = pool
        self._staged: list[Work] = []
        self._landed: list[tuple[Work, Landed]] = []

    def run(self, items: Sequence[PlanItem]) -> None:
        _expect_planned_folders(self._bench.folders, items)
        for group in _groups(items):
            works = self._begin([(index, items[index]) for index in group])
            try:
                for work in works:
                    self._take(work)
            finally:
                # Also when the person said stop: what is complete lands, only the partial file goes.
                try:
                    self._land_staged()
                finally:
                    self._confirm()
            self._bench.folders.trim()

    def _begin(self, group: list[tuple[int, PlanItem]]) -> list[Work]:
        works, intents = [], []
        for index, item in group:
            if item.step is Step.NOTHING or item.decision is Decision.SKIP:
                self._tally.settle(index, Landed(ItemState.SKIPPED, item.reason))
                continue
            kind = CopiedLink if item.step is Step.COPY and item.kind is Kind.LINK else _WORKS[item.step]
            work = kind(self._bench, index, item, temp_name())
            try:
                intents.append(work.intent())
            except TROUBLE as problem:
                self._tally.settle(index, Landed(*fate_of(problem)))
                continue
            works.append(work)
        self._tally.intend(intents)
        return works

    def _take(self, work: Work) -> None:
        if work.item.step not in _GROUPED or self._waits_for_twin(work):
            self._land_staged()
        if self._bench.folders.is_crowded:
            self._land_staged()
            self._confirm()
            self._bench.folders.trim()
        try:
            self._tally.begin(work.index)
            work.stage()
        except Cancelled:
            self._give_up(work, ItemState.PLANNED, "")
            raise
        except TROUBLE as problem:
            self._give_up(work, *fate_of(problem))
            return
        self._staged.append(work)
        if work.item.step not in _GROUPED:
            self._land_staged()

    def _waits_for_twin(self, work: Work) -> bool:
        return work.item.twin is not None and work.item.twin not in self._bench.landed

    def _land_staged(self) -> None:
        works, self._staged = self._staged, []
        waiting = [(work, fd) for work in works for fd in work.unsynced]
        errors = self._pool.sync([fd for _, fd in waiting])
        failed = {work.index: error for (work, _), error in zip(waiting, errors, strict=True) if error is not None}
        for work in [work for work in works if work.index in failed]:
            works.remove(work)
            self._give_up(work, ItemState.FAILED, saying(failed[work.index]))
        self._record_staged(works)
        stopped: Cancelled | None = None
        for work in works:
            try:
                self._landed.append((work, work.land()))
            except Cancelled as stop:
                self._give_up(work, ItemState.PLANNED, "")
                stopped = stop
            except TROUBLE as problem:
                self._give_up(work, *fate_of(problem))
        if stopped is not None:
            raise stopped

    def _record_staged(self, works: list[Work]) -> None:
        notes = [
            Note(work.index, ItemState.STAGED, "", _elsewhere(work), work.staged, temp_gone=False)
            for work in works
            if work.staged is not None
        ]
        try:
            self._tally.stage(notes)
        except BaseException:
            # Without the journal nothing may land.
            for work in works:
                work.abandon()
            raise

    def _confirm(self) -> None:
        """Wait until the new names are on the disk, then settle the items."""
        landed, self._landed = self._landed, []
        folders = sorted(set().union(*(work.touched for work, _ in landed)))
        errors = zip(folders, self._pool.sync_folders(folders), strict=True)
        unsure = {folder: saying(error) for folder, error in errors if error is not None}
        for work, fate in landed:
            why = next((unsure[folder] for folder in work.touched if folder in unsure), "")
            self._tally.settle(work.index, _unconfirmed(fate, why) if why else fate)
        self._tally.write()

    def _give_up(self, work: Work, state: ItemState, reason: str) -> None:
        self._tally.settle(work.index, Landed(state, reason, is_clean=work.abandon()))


def _elsewhere(work: Work) -> Place | None:
    return None if work.goal == work.item.target else work.goal


def _unconfirmed(fate: Landed, why: str) -> Landed:
    reason = f"it was carried out, but the disk did not confirm it: {why}"
    return replace(fate, state=ItemState.FAILED, reason=reason)


def _groups(items: Sequence[PlanItem]) -> Iterator[range]:
    start = size = 0
    for index, item in enumerate(items):
        size += item.totals.bytes if item.step is Step.COPY else 0
        if index + 1 - start >= GROUP or size >= GROUP_BYTES:
            yield range(start, index + 1)
            start, size = index + 1, 0
    if start < len(items):
        yield range(start, len(items))


def _expect_planned_folders(folders: Folders, items: Sequence[PlanItem]) -> None:
    for item in items:
        if item.step is Step.MAKE:
            if item.source is not None and item.fingerprint is not None:
                folders.expect(item.source, item.fingerprint.dev, item.fingerprint.ino)
            if item.target is not None and item.existing is not None:
                folders.expect(item.target, item.existing.dev, item.existing.ino)
