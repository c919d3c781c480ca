"""What became of an operation, and what of it can be tried again."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cmdr.engine.journal.records import ItemState
from cmdr.engine.run.item_results import ItemResult, ItemResults
from cmdr.engine.run.resume import SoFar, resume_plan
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Place, Plan, PlanItem, Totals

_UNREACHED = tuple(state for state in ItemState if not state.is_settled)


@dataclass(frozen=True)
class Outcome:
    """What became of an operation."""

    operation: int
    plan: Plan
    state: OperationState
    items: ItemResults

    @property
    def done(self) -> tuple[ItemResult, ...]:
        """The items that were carried out; all of them, so for very many files this is a lot."""
        return self.items.having(ItemState.LANDED, ItemState.SOURCE_REMOVED)

    @cached_property
    def skipped(self) -> tuple[ItemResult, ...]:
        """The items left out on purpose."""
        return self.items.having(ItemState.SKIPPED)

    @cached_property
    def failed(self) -> tuple[ItemResult, ...]:
        """The items that could not be carried out."""
        return self.items.having(ItemState.FAILED)

    @cached_property
    def drifted(self) -> tuple[ItemResult, ...]:
        """The items left alone because something had changed since the plan."""
        return self.items.having(ItemState.DRIFTED)

    @property
    def pending(self) -> tuple[ItemResult, ...]:
        """The items a cancelled operation did not come to."""
        return self.items.having(*_UNREACHED)

    @cached_property
    def warnings(self) -> tuple[tuple[PlanItem, str], ...]:
        """What could not be kept, with the item it belongs to."""
        return self.items.warnings()

    @cached_property
    def elsewhere(self) -> tuple[tuple[PlanItem, Place], ...]:
        """What arrived under another name than was planned, because the planned one was taken by then."""
        return self.items.elsewhere()

    @property
    def totals(self) -> Totals:
        """How much was done."""
        return self.items.totals

    @property
    def is_clean(self) -> bool:
        """Whether everything in the plan was carried out or left out on purpose."""
        return not self.items.which(ItemState.FAILED, ItemState.DRIFTED, *_UNREACHED)

    @property
    def can_retry(self) -> bool:
        """Whether there are items that failed or were not reached, or sources that a move did not come to remove."""
        if self.items.which(ItemState.FAILED, *_UNREACHED):
            return True
        was_stopped = self.state is OperationState.CANCELLED and self.items.has_moved
        return was_stopped and any(so_far.leaves_source(item) for item, so_far in self._so_far())

    def retry(self) -> Plan:
        """What failed or was not reached, to run again: the rest of the same operation."""
        return resume_plan(self.plan, self.operation, self._so_far)

    def _so_far(self) -> Iterator[tuple[PlanItem, SoFar]]:
        for found in self.items:
            yield found.item, SoFar(found.state, found.reason, found.target, found.landed, found.put_back)
