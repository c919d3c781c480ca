"""What became of an operation, item by item."""

from dataclasses import dataclass
from functools import cached_property

from cmdr.files.engine.recorder import ItemState, Kept, OperationState
from cmdr.model.plan import Fingerprint, Place, Plan, PlanItem, Totals


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of one item."""

    index: int
    item: PlanItem
    state: ItemState
    reason: str = ""
    target: Place | None = None
    """Where it landed, when it has a target."""
    landed: Fingerprint | None = None
    kept: Kept | None = None
    """Where the trashed or displaced file is now."""
    warnings: tuple[str, ...] = ()
    """What could not be kept, such as an owner or an attribute."""


@dataclass(frozen=True)
class Outcome:
    """What became of an operation."""

    operation: int
    plan: Plan
    state: OperationState
    items: tuple[ItemOutcome, ...]

    @cached_property
    def done(self) -> tuple[ItemOutcome, ...]:
        """The items that were carried out."""
        return tuple(item for item in self.items if item.state.is_done)

    @cached_property
    def skipped(self) -> tuple[ItemOutcome, ...]:
        """The items left out on purpose."""
        return self._in(ItemState.SKIPPED)

    @cached_property
    def failed(self) -> tuple[ItemOutcome, ...]:
        """The items that could not be carried out."""
        return self._in(ItemState.FAILED)

    @cached_property
    def drifted(self) -> tuple[ItemOutcome, ...]:
        """The items left alone because something had changed since the plan."""
        return self._in(ItemState.DRIFTED)

    @cached_property
    def pending(self) -> tuple[ItemOutcome, ...]:
        """The items a cancelled operation did not come to."""
        return tuple(item for item in self.items if not item.state.is_settled)

    @cached_property
    def warnings(self) -> tuple[tuple[PlanItem, str], ...]:
        """What could not be kept, with the item it belongs to."""
        return tuple((item.item, text) for item in self.items for text in item.warnings)

    @cached_property
    def totals(self) -> Totals:
        """How much was done."""
        total = Totals()
        for item in self.done:
            total += item.item.totals
        return total

    @property
    def is_clean(self) -> bool:
        """Whether everything in the plan was carried out or left out on purpose."""
        return not (self.failed or self.drifted or self.pending)

    def retry(self) -> Plan:
        """The plan of the items that failed or were not reached, to run again."""
        return self.plan.only(item.index for item in (*self.failed, *self.pending))

    def _in(self, state: ItemState) -> tuple[ItemOutcome, ...]:
        return tuple(item for item in self.items if item.state is state)
