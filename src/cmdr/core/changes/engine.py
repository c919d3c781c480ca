"""The operation engine as the core sees it: it runs plans, remembers them, and finds the way back."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.lookback import EarlierVersion, earlier_version, undo_dependency
from cmdr.engine.journal.reading import NoSuchOperation
from cmdr.engine.journal.records import OperationRecord
from cmdr.engine.journal.store import Damage, JournalUnavailable
from cmdr.engine.plan.refusals import NothingToDo, NotTakenBack
from cmdr.engine.run.control import Control
from cmdr.engine.run.crash_recovery import RecoveryReport, recover
from cmdr.engine.run.operation import Operation
from cmdr.engine.run.outcome import Outcome
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Plan

log = logging.getLogger(__name__)


class OperationInterrupted(CommandError):
    """An operation ended in the middle, though the program goes on: most likely the journal could not be written."""

    def __init__(self, operation: int, why: str) -> None:
        self.operation = operation
        super().__init__(f"{why} Operation {operation} was stopped in the middle; what it finished stays.")


class Engine:
    """One journal, one way to the disk."""

    def __init__(self, journal: Journal, syscalls: Syscalls | None = None, *, verify: bool = False) -> None:
        self._journal = journal
        self._syscalls = syscalls or Syscalls()
        self._verify = verify
        self._cut_short: set[int] = set()
        """Operations that have ended in the middle, and the journal could not be told."""

    async def start(self) -> RecoveryReport:
        """Clean up after a crash, before the first new operation; later, when the journal cannot be written now."""
        try:
            return await in_thread(recover, self._journal, self._syscalls)
        except JournalUnavailable:
            log.info("what was cut short is looked after later", exc_info=True)
            self._cut_short |= {entry.id for entry in await in_thread(self._journal.running)}
            return RecoveryReport()

    async def close(self) -> None:
        """Close the journal."""
        await in_thread(self._journal.close)

    def run(
        self, plan: Plan, by: str, control: Control, begun: Callable[[int], None] = lambda operation: None
    ) -> Outcome:
        """Carry a plan out; blocks. Raises `OperationInterrupted` when something else than its files ended it.

        `begun` is told the operation's number before anything is changed.
        """
        operation = Operation(plan, self._syscalls, self._journal, by=by, verify=self._verify, begun=begun)
        try:
            return operation.run(control)
        except Exception as error:
            if operation.number is None:
                raise
            self._cut_short.add(operation.number)
            with suppress(JournalUnavailable):  # it is tried again whenever somebody asks for the operation
                self._recover_interrupted()
            raise OperationInterrupted(operation.number, str(error)) from error

    async def undo_plan(self, operation: int | None) -> Plan:
        """The inverse of an operation, or of the last one that can be undone."""
        number = operation if operation is not None else await in_thread(self._journal.last_undoable)
        if number is None:
            raise CommandError("Nothing to undo.")
        return await in_thread(self._undo_plan, number)

    async def resume_plan(self, operation: int) -> Plan:
        """What an interrupted operation did not come to."""
        return await in_thread(self._resume_plan, operation)

    async def history(self, limit: int = 50, before: int | None = None) -> list[HistoryEntry]:
        """The newest operations, newest first."""
        return await in_thread(self._history, limit, before)

    async def entry(self, operation: int) -> HistoryEntry | None:
        """One operation as the history tells it now; None when there is none of that number."""
        found = await self.history(1, operation + 1)
        return found[0] if found and found[0].id == operation else None

    async def begun_by(self, operation: int) -> str | None:
        """Who began an operation, or the one that it is the rest of; None when there is none of that number."""
        return await in_thread(self._journal.begun_by, operation)

    async def earlier_version(self, path: bytes, operation: int | None, most: int) -> EarlierVersion | None:
        """What a file held before an operation, or the last one, replaced it."""
        return await in_thread(earlier_version, self._journal, path, operation, most)

    def operation_of(self, digest: str) -> int | None:
        """The newest operation that carried out a plan, by the plan's digest; blocks."""
        return self._journal.operation_of(digest)

    async def interrupted(self) -> list[HistoryEntry]:
        """Operations that a crash cut short and that wait for a word."""
        return await in_thread(self._interrupted)

    async def leave(self, operation: int) -> None:
        """Leave an interrupted operation as it is."""
        await in_thread(self._leave, operation)

    @property
    def trouble(self) -> str:
        """Why the journal cannot be used just now; empty when it can."""
        return self._journal.trouble

    async def damage(self) -> list[Damage]:
        """What came before the journal and could not go on, oldest first."""
        return await in_thread(self._journal.damage)

    async def damage_seen(self) -> None:
        """The person knows of it."""
        await in_thread(self._journal.damage_seen)

    def _recover_interrupted(self) -> None:
        """Do for operations that were cut short what the next start would do: then they can go on, or back."""
        for number in sorted(self._cut_short):
            recover(self._journal, self._syscalls, only=number)
            self._cut_short.discard(number)

    def _history(self, limit: int, before: int | None) -> list[HistoryEntry]:
        with suppress(JournalUnavailable):
            self._recover_interrupted()
        entries = self._journal.history(limit, before)
        stopped = OperationState.INTERRUPTED
        return [replace(entry, state=stopped) if entry.id in self._cut_short else entry for entry in entries]

    def _interrupted(self) -> list[HistoryEntry]:
        with suppress(JournalUnavailable):
            self._recover_interrupted()
        late = [entry for entry in self._journal.running() if entry.id in self._cut_short]
        return [*self._journal.interrupted(), *late]

    def _leave(self, number: int) -> None:
        self._recover_interrupted()
        self._journal.leave(number)

    def _undo_plan(self, number: int) -> Plan:
        self._recover_interrupted()
        try:
            runs = self._journal.runs(number)
        except NoSuchOperation as error:
            raise CommandError(str(error)) from None
        for run in runs:
            if run.undone_by is not None:
                return self._rest_of_undo(number, runs, run.undone_by)
            if run.state is OperationState.RUNNING:
                raise CommandError(f"Operation {run.id} still runs. Wait for it, or cancel it first.")
        return self._inverse(number, runs)

    def _rest_of_undo(self, number: int, runs: Sequence[OperationRecord], undo: int) -> Plan:
        """What an undo that was stopped, failed in part, or left something alone has left to do."""
        attempts = self._journal.runs(undo)
        last = attempts[0]
        if last.undone_by is not None:
            raise CommandError(
                f"Operation {number} was undone by operation {last.id}, and that was taken back by operation "
                f"{last.undone_by}. Undo operation {last.undone_by}."
            )
        if last.state is OperationState.INTERRUPTED:
            raise CommandError(f"The undo of operation {number} was interrupted. Resume operation {last.id}.")
        if self._journal.left(number) == 0:
            raise CommandError(f"Operation {number} was already undone, by operation {last.id}.")
        try:
            return plan_resume(last).weigh()
        except NothingToDo:
            # Nothing failed: some were left alone. They are looked at once more, as they are now.
            return self._inverse(number, runs, attempts)

    def _inverse(self, number: int, runs: Sequence[OperationRecord], attempts: Sequence[OperationRecord] = ()) -> Plan:
        try:
            return plan_undo(*runs, attempts=attempts).weigh()
        except NotTakenBack as refused:
            first = undo_dependency(self._journal, number, refused.path) if refused.path is not None else None
            if first is None:
                raise
            raise CommandError(f"{refused} Operation {first} changed it too: undo that one first.") from refused

    def _resume_plan(self, number: int) -> Plan:
        self._recover_interrupted()
        record = self._record(number)
        if record.undone_by is not None:
            raise CommandError(f"Operation {number} was undone, by operation {record.undone_by}.")
        if record.state is OperationState.RUNNING:
            raise CommandError(f"Operation {number} still runs.")
        last = self._journal.runs(number)[0]
        if last.id != number:
            raise CommandError(f"Operation {number} went on as operation {last.id}.")
        return plan_resume(record).weigh()

    def _record(self, number: int) -> OperationRecord:
        try:
            return self._journal.operation(number)
        except NoSuchOperation as error:
            raise CommandError(str(error)) from None
