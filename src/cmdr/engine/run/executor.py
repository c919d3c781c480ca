"""The executor takes items of a plan through intent, staging, commit and confirmation, a group at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from cmdr.engine.errors import ITEM_ERRORS, Drifted, error_text, failure_of
from cmdr.engine.fs.names import temp_names
from cmdr.engine.journal.records import ItemState, ItemUpdate
from cmdr.engine.run.control import Cancelled
from cmdr.engine.run.fsync_pool import GROUP_BYTES, GROUP_ITEMS, FsyncPool
from cmdr.engine.run.progress import OperationProgress
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.run_context import RunContext
from cmdr.engine.steps.step import Step, StepResult
from cmdr.model.plans.plan import Kind, Place, PlanItem


class FreshNames:
    """What has landed since the disk was last waited for."""

    def __init__(self) -> None:
        self._landed: list[Step] = []
        self._names: set[Place] = set()
        self._gathered = 0
        """How many of what landed have their names in the set; it is seldom asked for, so they are gathered then."""

    def add(self, work: Step) -> None:
        """Something has landed."""
        self._landed.append(work)

    def clear(self) -> None:
        """All of it is on the disk."""
        self._landed.clear()
        self._names.clear()
        self._gathered = 0

    def are_used_by(self, work: Step) -> bool:
        """Whether a change builds on one of them."""
        if not self._landed:
            return False
        names = _names(work)
        if work.commits_alone and work.goal is not None:
            names += _folders_above(work.goal)
        for landed in self._landed[self._gathered :]:
            self._names.update(_names(landed))
        self._gathered = len(self._landed)
        return not self._names.isdisjoint(names)


def _names(work: Step) -> list[Place]:
    return [place for place in (work.item.source, work.item.target, work.goal) if place is not None]


def _folders_above(place: Place) -> list[Place]:
    parts = place.rel.split(b"/")
    return [Place(place.root, b"/".join(parts[:depth])) for depth in range(1, len(parts))]


Of = TypeVar("Of", bytes, int)


class Executor:
    """Takes items through intent, staging, landing and confirmation, a group at a time."""

    def __init__(self, context: RunContext, progress: OperationProgress, pool: FsyncPool) -> None:
        self._context = context
        self._progress = progress
        self._pool = pool
        self._staged: list[Step] = []
        self._landed: list[tuple[Step, StepResult]] = []
        self._seen: set[bytes] = set()
        """Roots that were in their places when this group was begun."""
        self._fresh = FreshNames()
        self._late: Sequence[int] = ()
        """What is left for `run_late`."""

    def run(self, items: Sequence[PlanItem], is_late: Callable[[PlanItem], bool] | None = None) -> None:
        """Take all items through, but for the late ones."""
        self._context.items = items
        for item in items:
            step_of(item).prepare(self._context, item)
        late = {index for index, item in enumerate(items) if is_late(item)} if is_late is not None else ()
        self._late = sorted(late)
        self._take_all((index, item) for index, item in enumerate(items) if index not in late)

    def run_late(self, items: Sequence[PlanItem], *, folders: bool) -> None:
        """Take the late folders through, or all that is late and no folder, when what they wait for is done."""
        late = ((index, items[index]) for index in self._late)
        self._take_all((index, item) for index, item in late if (item.kind is Kind.FOLDER) is folders)

    def _take_all(self, numbered: Iterable[tuple[int, PlanItem]]) -> None:
        for group in _groups(numbered):
            works = self._begin(group)
            self._seen.clear()
            try:
                for folders in _levels(works):
                    for folder in folders:
                        self._take(folder)
                    self._land_staged()
                for work in works:
                    if not work.makes_folder:
                        self._take(work)
            finally:
                # Also when the person said stop: what is complete lands, only the partial file goes.
                try:
                    self._land_staged()
                finally:
                    self._confirm()
            self._context.folders.trim()

    def _begin(self, group: list[tuple[int, PlanItem]]) -> list[Step]:
        works, intents = [], []
        for (index, item), temp in zip(group, temp_names(len(group)), strict=True):
            if item.is_left_alone:
                self._progress.settle(index, StepResult(ItemState.SKIPPED, item.reason))
                continue
            work = step_of(item).variant(item)(self._context, index, item, temp)
            try:
                intents.append(work.intent())
            except ITEM_ERRORS as problem:
                self._progress.settle(index, StepResult(*failure_of(problem)))
                continue
            works.append(work)
        self._progress.intend(intents)
        return works

    def _take(self, work: Step) -> None:
        if work.commits_alone or self._waits_for_twin(work):
            self._land_staged()
        if self._context.folders.is_crowded or self._fresh.are_used_by(work) or work.shuts:
            self._land_staged()
            self._confirm()
            self._context.folders.trim()
        try:
            self._progress.begin(work.index, work.item)
            self._must_be_there(work)
            work.stage()
        except Cancelled:
            self._give_up(work, ItemState.PLANNED, "")
            raise
        except ITEM_ERRORS as problem:
            self._give_up(work, *failure_of(problem))
            return
        self._staged.append(work)
        if work.commits_alone:
            self._land_staged()

    def _must_be_there(self, work: Step) -> None:
        """Refuse to work in a root that has gone. What waits for the disk together is looked at together: here when
        the first of a group is prepared, and all of it again when its names are on the disk."""
        for root in work.roots:
            if work.commits_alone or root not in self._seen:
                self._context.folders.must_be_there(root)
                self._seen.add(root)

    def _waits_for_twin(self, work: Step) -> bool:
        return work.item.twin is not None and work.item.twin not in self._context.landed

    def _land_staged(self) -> None:
        works, self._staged = self._staged, []
        failed = self._unsafe(works)
        for work in [work for work in works if work.index in failed]:
            works.remove(work)
            self._give_up(work, ItemState.FAILED, error_text(failed[work.index]))
        self._record_staged(works)
        stopped: Cancelled | None = None
        for work in works:
            try:
                self._landed.append((work, work.commit()))
                self._fresh.add(work)
            except Cancelled as stop:
                self._give_up(work, ItemState.PLANNED, "")
                stopped = stop
            except ITEM_ERRORS as problem:
                self._give_up(work, *failure_of(problem))
        if stopped is not None:
            raise stopped

    def _unsafe(self, works: list[Step]) -> dict[int, OSError]:
        """Wait until what is prepared is on the disk: contents first, then the names that announce it."""
        files = [(work, fd) for work in works for fd in work.unsynced]
        errors = self._pool.sync([fd for _, fd in files])
        failed = {work.index: error for (work, _), error in zip(files, errors, strict=True) if error is not None}
        folders = sorted(set().union(*(work.announced for work in works)))
        for folder, error in zip(folders, self._pool.sync_folders(folders), strict=True):
            if error is not None:
                failed.update((work.index, error) for work in works if folder in work.announced)
        return failed

    def _record_staged(self, works: list[Step]) -> None:
        notes = [
            ItemUpdate(work.index, ItemState.STAGED, "", _elsewhere(work), work.staged, temp_gone=False)
            for work in works
            if work.staged is not None
        ]
        try:
            self._progress.stage(notes)
        except BaseException:
            # Without the journal nothing may land.
            for work in works:
                work.abandon()
            raise

    def _confirm(self) -> None:
        """Wait until the new names are on the disk, then settle the items."""
        landed, self._landed = self._landed, []
        self._fresh.clear()
        unsure = self._unsure(set().union(*(work.touched for work, _ in landed)))
        missing = self._missing({root for work, _ in landed for root in work.roots})
        results = []
        for work, result in landed:
            why = _first(missing, work.roots) or _first(unsure, work.touched)
            if why:
                # Nothing is cleared away yet; the next start sees what is true and does it then.
                results.append(_unconfirmed(result, why)._replace(is_clean=result.is_clean and work.item.info is None))
            elif work.tidy():
                results.append(result)
            else:
                results.append(result._replace(is_clean=False))
        untidy = self._unsure(set().union(*(work.tidied for work, _ in landed)))
        for (work, _), result in zip(landed, results, strict=True):
            work.release()
            is_tidy = not untidy or untidy.keys().isdisjoint(work.tidied)
            self._progress.settle(work.index, result if is_tidy else result._replace(is_clean=False))
        self._progress.write()

    def _missing(self, roots: set[bytes]) -> dict[bytes, str]:
        """The directories of the plan for which it is not certain where a change went, and why."""
        missing = {}
        for root in roots:
            try:
                self._context.folders.must_be_there(root)
            except (Drifted, OSError) as problem:
                missing[root] = failure_of(problem)[1]
        return missing

    def _unsure(self, folders: set[int]) -> dict[int, str]:
        """Wait until names are on the disk; the directories that do not say so, and what they say instead."""
        ordered = sorted(folders)
        errors = zip(ordered, self._pool.sync_folders(ordered), strict=True)
        return {folder: error_text(error) for folder, error in errors if error is not None}

    def _give_up(self, work: Step, state: ItemState, reason: str) -> None:
        is_clean = work.abandon()
        self._progress.settle(work.index, StepResult(state, reason, is_clean=is_clean, put_back=work.put_back()))


def _elsewhere(work: Step) -> Place | None:
    return None if work.goal is work.item.target else work.goal


def _first(told: Mapping[Of, str], about: Iterable[Of]) -> str:
    """The first that is told about some of these, or nothing."""
    return next((told[one] for one in about if one in told), "") if told else ""


def _unconfirmed(result: StepResult, why: str) -> StepResult:
    reason = f"it was carried out, but the disk did not confirm it: {why}"
    return result._replace(state=ItemState.FAILED, reason=reason)


def _levels(works: Iterable[Step]) -> list[list[Step]]:
    """The folders to be made, the outer ones first; those equally deep are written down together."""
    levels: dict[int, list[Step]] = {}
    for work in works:
        if work.makes_folder:
            levels.setdefault(work.depth, []).append(work)
    return [levels[depth] for depth in sorted(levels)]


def _groups(numbered: Iterable[tuple[int, PlanItem]]) -> Iterator[list[tuple[int, PlanItem]]]:
    group: list[tuple[int, PlanItem]] = []
    size = 0
    for index, item in numbered:
        group.append((index, item))
        size += step_of(item).group_bytes(item)
        if len(group) >= GROUP_ITEMS or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
