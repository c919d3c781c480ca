"""What later runs of an operation know about its items: an operation that was interrupted and went on is still one."""

from dataclasses import dataclass, field, replace

from cmdr.engine.journal.records import ItemRecord, ItemState
from cmdr.model.plans.plan import Place, PlanItem


@dataclass(slots=True)
class Continuations:
    """Gathered by the steps while the runs are looked at, the last one first."""

    folders: dict[Place, tuple[PlanItem, ItemRecord]] = field(default_factory=dict)
    """Folders that a later run worked on, by where they come from, or else go: an earlier one may have made them."""
    removed: set[Place] = field(default_factory=set)
    """Sources that a later run removed, of copies that an earlier one had made."""
    attributes_set: set[Place] = field(default_factory=set)
    """What got its attributes in a later run."""

    def merged(self, item: PlanItem, found: ItemRecord) -> ItemRecord:
        """What one run knows about an item, with what later ones found out."""
        if not (self.folders or self.removed):
            return found
        _, later = self.folders.pop(item.place, (item, found))
        is_gone = later.state is ItemState.SOURCE_REMOVED or item.source in self.removed
        return replace(
            found,
            state=ItemState.SOURCE_REMOVED if is_gone else later.state,
            landed=found.landed or later.landed,
            target=found.target or later.target,
            traits=found.traits or later.traits,
        )
