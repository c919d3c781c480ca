"""Running a plan: the executor carries out its items, then folders are finished and the sources of a move removed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from cmdr.engine.errors import ITEM_ERRORS, Drifted, error_text, failure_of
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.names import temp_name
from cmdr.engine.fs.removal import remove_exactly, verified_by_copy
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import home_trash
from cmdr.engine.journal.records import Intent, ItemState, Recorder
from cmdr.engine.run.conflicts import Decider
from cmdr.engine.run.control import Cancelled, Control
from cmdr.engine.run.executor import Executor
from cmdr.engine.run.fsync_pool import GROUP_ITEMS, FsyncPool
from cmdr.engine.run.item_results import ItemResult
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.run.progress import OperationProgress
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.run_context import RunContext, Trashes
from cmdr.engine.steps.step import StepResult, source_of
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Fingerprint, Kind, Plan, PlanItem, Verb
from cmdr.model.plans.steps import KINDS


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
        begun: Callable[[int], None] = lambda operation: None,
    ) -> None:
        """`begun` is told its number before anything is changed."""
        self.plan = plan
        self._begun = begun
        self._syscalls = syscalls
        self._recorder = recorder
        self._by = by
        self._verify = verify
        self._trash_home = trash_home or home_trash()
        self.number: int | None = None
        """Its number in the record, once it has begun."""

    def run(self, control: Control) -> Outcome:
        """Carry the plan out; blocking, for a worker thread. One item's trouble never stops the rest."""
        operation = self.number = self._recorder.begin(self.plan, self._by)
        self._begun(operation)
        progress = OperationProgress(self.plan, self._recorder, operation, control)
        state = OperationState.DONE
        with ExitStack() as stack:
            folders = stack.enter_context(Folders(self._syscalls, self.plan.roots))
            trashes = Trashes(self._syscalls, self._trash_home)
            stack.callback(trashes.close)
            pool = FsyncPool(self._syscalls)
            stack.callback(pool.close)
            decider = Decider(self.plan.policy, control)

            def intend(intent: Intent) -> None:
                progress.intend([intent])

            context = RunContext(
                self._syscalls, folders, trashes, decider, control, intend, progress.stride, self._verify
            )
            stack.callback(context.archives.close)
            after = Finish(context, progress, pool)
            executor = Executor(context, progress, pool)
            try:
                executor.run(self.plan.items, self._is_late)
            except Cancelled:
                state = OperationState.CANCELLED
            after.finish_folders()
            if state is OperationState.DONE:
                try:
                    executor.run_late(self.plan.items, folders=False)
                    if progress.results.has_moved:
                        after.remove_sources()
                    executor.run_late(self.plan.items, folders=True)
                except Cancelled:
                    state = OperationState.CANCELLED
            progress.write()
        self._recorder.finish(operation, state)
        return Outcome(operation, self.plan, state, progress.results)

    @property
    def _is_late(self) -> Callable[[PlanItem], bool] | None:
        """What waits until the new folders have their attributes, if anything does.

        Folders that an undo empties go last. Where a move goes on, or goes back, new folders get the times of old ones,
        which change as soon as something is removed from those.
        """
        items, verb = self.plan.items, self.plan.verb
        makes_folders = bool(items) and KINDS[items[0].step].makes_folder
        if (verb is Verb.UNDO and makes_folders) or (verb is Verb.MOVE and self.plan.continues is not None):
            return _is_removed
        return _is_emptied if verb is Verb.UNDO else None


def _is_removed(item: PlanItem) -> bool:
    return KINDS[item.step].removes


def _is_emptied(item: PlanItem) -> bool:
    return KINDS[item.step].removes and item.kind is Kind.FOLDER


_FOLDERS_AT_ONCE = 64
"""How many folders are finished at a time; each holds two descriptors."""


class Finish:
    """What is left to do when everything has landed."""

    def __init__(self, context: RunContext, progress: OperationProgress, pool: FsyncPool) -> None:
        self._context = context
        self._progress = progress
        self._pool = pool

    def finish_folders(self) -> None:
        """Give new folders the attributes of their sources: after their children, innermost first."""
        for made in self._some(ItemState.STAGED, _FOLDERS_AT_ONCE):
            self._finish_some([result for result in made if step_of(result.item).finishes_late])
        self._progress.write()

    def remove_sources(self) -> None:
        """Remove the sources of a move that copied: exactly those that landed and are unchanged."""
        for done in self._some(ItemState.LANDED, GROUP_ITEMS):
            group = [(result, temp_name()) for result in done if step_of(result.item).leaves_source(result.item)]
            self._progress.intend(
                [Intent(result.index, temp, result.item.source, result.kept, parks=True) for result, temp in group]
            )
            touched: set[int] = set()
            for result, temp in group:
                self._context.control.checkpoint()
                self._remove_source(result, temp, touched)
            # The copies are on the disk; at worst a removed source shows up again after a power cut.
            self._pool.sync_folders(sorted(touched))
            self._progress.write()
            self._context.folders.trim()

    def _some(self, state: ItemState, count: int) -> Iterator[list[ItemResult]]:
        """The items in a state, the last ones first, so many at a time: all at once they would take much memory."""
        results = self._progress.results
        chosen = results.which(state)
        for end in range(len(chosen), 0, -count):
            yield [results[index] for index in reversed(chosen[max(0, end - count) : end])]

    def _finish_some(self, made: list[ItemResult]) -> None:
        lost = [step_of(result.item).finish(self._context, result.item) for result in made]
        targets = [target for target, _ in lost if target is not None]
        errors = dict(zip(targets, self._pool.sync_folders(targets), strict=True))
        for result, (target, warnings) in zip(made, lost, strict=True):
            error = None if target is None else errors[target]
            told = warnings if error is None else (*warnings, f"folder attributes ({error_text(error)})")
            self._progress.settle(result.index, StepResult(target=result.target, landed=result.landed, warnings=told))
        self._context.folders.trim()

    def _remove_source(self, result: ItemResult, temp: bytes, touched: set[int]) -> None:
        place, expected = source_of(result.item)
        kept = StepResult(target=result.target, landed=result.landed, kept=result.kept)
        clean = True
        try:
            source = self._context.spot(place)
            expected = self._copied(result, source, self._context.by_now(expected))
            parked = Spot(source.folder, temp)
            try:
                other_names = remove_exactly(self._context.syscalls, source, expected, parked)
                self._context.changed(other_names, again=True)
            finally:
                clean = parked.found is None
            touched.add(source.folder)
        except ITEM_ERRORS as problem:
            reason = f"the source was kept: {failure_of(problem)[1]}"
            landed = StepResult(ItemState.LANDED, reason, kept.target, kept.landed, kept.kept, (reason,), clean)
            self._progress.settle(result.index, landed)
            return
        self._progress.settle(
            result.index, StepResult(ItemState.SOURCE_REMOVED, "", kept.target, kept.landed, kept.kept)
        )

    def _copied(self, result: ItemResult, source: Spot, expected: Fingerprint) -> Fingerprint:
        """The source that may go, because its copy stands where it landed."""
        context = self._context
        context.folders.must_be_there((result.target or result.item.place).root)
        if result.item.kind is Kind.FOLDER:
            return expected
        if result.target is None or result.landed is None:
            raise Drifted("its copy is gone or has changed")
        landed = context.by_now(result.landed)
        return verified_by_copy(context.syscalls, source, expected, context.spot(result.target), landed, context.stride)
