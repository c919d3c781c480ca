"""What is left alone, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.engine.journal.records import ItemRecord, ItemState
from cmdr.engine.steps.step import Step, StepResult
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem
from cmdr.model.plans.plan_item import Member
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.undo import UndoPlan


class Nothing(Step):
    """An item of a plan that stays as it is."""

    name = StepName.NOTHING

    @classmethod
    def because(
        cls,
        why: str,
        kind: Kind,
        place: Place,
        target: Place | None = None,
        mark: Fingerprint | None = None,
        member: Member | None = None,
    ) -> PlanItem:
        """The item that says why something is left alone."""
        return PlanItem(cls.name, kind, place, target, mark, reason=why, member=member)

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        """Nothing was done."""

    def commit(self) -> StepResult:  # pragma: no cover - the executor leaves it out
        return StepResult(ItemState.SKIPPED, self.item.reason)
