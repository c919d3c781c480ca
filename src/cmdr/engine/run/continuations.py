"""What later runs of an operation know about its items: an operation that was interrupted and went on is still one."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cmdr.engine.journal.records import ItemRecord, ItemState, OperationRecord
from cmdr.model.plans.plan import Place, PlanItem, Step


@dataclass(slots=True)
class LaterRuns:
    """Gathered while the runs are looked at, the last one first."""

    _folders: dict[Place, tuple[PlanItem, ItemRecord]] = field(default_factory=dict)
    """Folders that a later run worked on, by where they come from, or else go: an earlier one may have made them."""
    _gone: set[Place] = field(default_factory=set)
    """Sources that a later run removed, of copies that an earlier one had made."""
    _dressed: set[Place] = field(default_factory=set)
    """What got its attributes in a later run; an earlier one may not have known that it had them."""

    def take(self, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        """All that is known about an item by now, or None when an earlier run may know more."""
        if item.step is Step.ATTRIBUTES:
            return self._first(run, item, found)
        if run.plan.continues is None:
            return self._whole(item, found)
        if item.step is Step.MAKE and not item.is_way:
            whole = self._whole(item, found)
            if whole.state is not ItemState.PLANNED:
                self._folders[item.place] = item, whole
            return None
        if item.step is Step.REMOVE and item.source is not None and item.remove_source:
            if found.state.is_done:
                self._gone.add(item.source)
            return None
        return self._whole(item, found)

    def rest(self) -> Iterator[tuple[PlanItem, ItemRecord]]:
        """The folders that no earlier run had come to."""
        yield from self._folders.values()

    def _first(self, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        """What the last run that gave an item its attributes knows."""
        if item.place in self._dressed:
            return None
        if run.plan.continues is not None and (found.state.is_done or found.landed is not None):
            self._dressed.add(item.place)
        return found

    def _whole(self, item: PlanItem, found: ItemRecord) -> ItemRecord:
        if not (self._folders or self._gone):
            return found
        _, later = self._folders.pop(item.place, (item, found))
        is_gone = later.state is ItemState.SOURCE_REMOVED or item.source in self._gone
        return replace(
            found,
            state=ItemState.SOURCE_REMOVED if is_gone else later.state,
            landed=found.landed or later.landed,
            target=found.target or later.target,
            traits=found.traits or later.traits,
        )
