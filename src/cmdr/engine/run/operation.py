"""Running a plan: its items go through the line, and what a move leaves behind is removed after."""

from collections.abc import Callable
from contextlib import ExitStack

from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash_site import home_trash
from cmdr.engine.journal.records import Intent, Recorder
from cmdr.engine.run.conflicts import Decider
from cmdr.engine.run.control import Cancelled, Control
from cmdr.engine.run.executor import ItemLine
from cmdr.engine.run.finish import MovedOut
from cmdr.engine.run.fsync_pool import GroupCommit
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.run.progress import Tally
from cmdr.engine.steps.bench import Trashes, Workbench
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Kind, Plan, PlanItem, Verb
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
    ) -> None:
        self.plan = plan
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
            stack.callback(bench.archives.close)
            after = MovedOut(bench, tally, pool)
            line = ItemLine(bench, tally, pool)
            try:
                line.run(self.plan.items, self._is_late)
            except Cancelled:
                state = OperationState.CANCELLED
            after.finish_folders()
            if state is OperationState.DONE:
                try:
                    line.run_late(self.plan.items, folders=False)
                    if tally.fates.has_moved:
                        after.remove_sources()
                    line.run_late(self.plan.items, folders=True)
                except Cancelled:
                    state = OperationState.CANCELLED
            tally.write()
        self._recorder.finish(operation, state)
        return Outcome(operation, self.plan, state, tally.fates)

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
