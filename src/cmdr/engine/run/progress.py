"""The progress of a running operation: what became of each item, for the journal, the owner and the outcome."""

from cmdr.engine.journal.records import Intent, ItemUpdate, Recorder
from cmdr.engine.run.control import Control, Progress
from cmdr.engine.run.item_results import ItemResults
from cmdr.engine.steps.step import StepResult
from cmdr.model.plans.plan import Plan, PlanItem


class OperationProgress:
    """Counts items and bytes, and passes facts on in batches."""

    def __init__(self, plan: Plan, recorder: Recorder, operation: int, control: Control) -> None:
        self._items = plan.items
        self._recorder = recorder
        self._operation = operation
        self._control = control
        self._notes: list[ItemUpdate] = []
        self._current: PlanItem | None = None
        self._at = 0
        self._strode: dict[int, int] = {}
        """Bytes copied for items that are not settled yet."""
        self._bytes = 0
        self._total = plan.totals.bytes
        self._settled = 0
        self.results = ItemResults(plan.items)

    def begin(self, index: int, item: PlanItem) -> None:
        """An item is being worked on; waits while paused, raises Cancelled when the person said stop."""
        self._at = index
        self._current = item
        self._control.checkpoint()

    def stride(self, count: int) -> None:
        """Some bytes of the current item are copied; waits or stops as `begin` does."""
        self._strode[self._at] = self._strode.get(self._at, 0) + count
        self._bytes += count
        self._report()
        self._control.checkpoint()

    def settle(self, index: int, landed: StepResult) -> None:
        """What became of an item."""
        item = self._items[index]
        strode = self._strode.pop(index, 0)
        if self.results.settle(index, landed):
            self._settled += 1
            # An archive takes in the bytes of others, whose turn comes when it is made.
            self._bytes += max(0, item.totals.bytes - strode)
        else:
            self._bytes -= strode
        elsewhere = None if landed.target == item.target else landed.target
        self._notes.append(
            ItemUpdate(
                index,
                landed.state,
                landed.reason,
                elsewhere,
                None,
                landed.landed,
                landed.kept,
                landed.is_clean,
                landed.put_back,
            )
        )
        self._report()

    def stage(self, notes: list[ItemUpdate]) -> None:
        """Some items are complete under temporary names: written down before they land."""
        if notes:
            self._recorder.note(self._operation, notes)

    def intend(self, intents: list[Intent]) -> None:
        """Some items are about to be worked on: written down before the first change."""
        self.write()
        if intents:
            self._recorder.intend(self._operation, intents)

    def write(self) -> None:
        """Pass on what became of items."""
        if self._notes:
            notes, self._notes = self._notes, []
            self._recorder.note(self._operation, notes)

    def _report(self) -> None:
        total = self._total
        done = min(self._bytes, total)
        self._control.progress(Progress(self._settled, len(self.results), done, total, self._current))
