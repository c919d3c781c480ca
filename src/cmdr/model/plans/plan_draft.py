"""The items of a plan while it is made: packed as they come, with what a person is told gathered on the way."""

from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan_facts import Gathering, PlanFacts
from cmdr.model.plans.plan_item import PlanItem


class PlanDraft(PackedItems):
    """Packed items whose facts are known when the last one has come."""

    def __init__(self) -> None:
        super().__init__()
        self._gathering = Gathering()

    def append(self, item: PlanItem) -> None:
        """Add an item at the end."""
        super().append(item)
        self._gathering.add(item)

    @property
    def facts(self) -> PlanFacts:
        """What there is to tell about all of them."""
        return self._gathering.facts()
