"""Going on: what an operation did not come to, or could not do, as a plan that is the rest of it.

The folders it had finished are part of the rest as far as something is still to come into them or to leave them: what
comes later changes their times, so they get those of their sources once more.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cmdr.files.engine.recorder import ItemRecord, ItemState, OperationRecord
from cmdr.files.engine.refusals import NothingToDo
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import Decision, Fingerprint, Place, Plan, PlanItem, Step

_NOT_DONE = (ItemState.PLANNED, ItemState.STAGED, ItemState.FAILED)
"""A file whose volume was away when the program started again may also be staged: nobody knows whether it landed."""


class SoFar(NamedTuple):
    """How far an item has come."""

    state: ItemState = ItemState.PLANNED
    reason: str = ""
    target: Place | None = None
    landed: Fingerprint | None = None

    def leaves_source(self, item: PlanItem) -> bool:
        """Whether a move has still to remove what it copied; what could not be removed says why and stays."""
        is_copied = item.remove_source and item.step is not Step.REMOVE
        return is_copied and self.state is ItemState.LANDED and not self.reason


Known = Iterable[tuple[PlanItem, SoFar]]


def plan_resume(record: OperationRecord) -> Plan:
    """What an operation did not come to, by what the journal knows."""
    return plan_rest(record.plan, record.id, lambda: _known(record))


def plan_rest(plan: Plan, operation: int, known: Callable[[], Known]) -> Plan:
    """The rest of a plan; what is known of its items is looked at twice, for there may be very many."""
    rest = _Rest()
    for item, so_far in known():
        rest.look(item, so_far)
    if not rest.is_any:
        raise NothingToDo(f"Operation {operation} is complete. There is nothing to resume.")
    items, removals = PackedItems(), PackedItems()
    for item, so_far in known():
        left = rest.of(item, so_far)
        if left is not None:
            (removals if left.step is Step.REMOVE and item.step is not Step.REMOVE else items).append(left)
    for item in removals:
        items.append(item)
    return replace(plan, items=items.done(), continues=operation)


@dataclass(slots=True)
class _Rest:
    """What is left, and the folders and copies that it needs."""

    is_any: bool = False
    _above: set[tuple[bytes, bytes]] = field(default_factory=set)
    """The folders that something still comes into or leaves."""
    _twins: set[Place] = field(default_factory=set)
    """The copies that something left is a second name of."""
    _copied: dict[Place, Fingerprint] = field(default_factory=dict)

    def look(self, item: PlanItem, so_far: SoFar) -> None:
        """Take in one item."""
        if not _is_left(item, so_far):
            return
        self.is_any = True
        for place in (item.source, so_far.target or item.target):
            if place is not None:
                self._add_above(place)
        if item.twin is not None:
            self._twins.add(item.twin)

    def of(self, item: PlanItem, so_far: SoFar) -> PlanItem | None:
        """What is left of an item once all are taken in."""
        if item.step is Step.MAKE:
            return self._folder(item, so_far) if _is_left(item, so_far) or self._is_above(item) else None
        if item.target in self._twins and so_far.landed is not None:
            self._copied[item.target] = so_far.landed
        if so_far.state in _NOT_DONE and item.step is Step.ATTRIBUTES:
            return replace(item, existing=so_far.landed)
        if so_far.state in _NOT_DONE:
            return item if item.twin is None else replace(item, twin_mark=self._copied.get(item.twin))
        if so_far.leaves_source(item):
            target = so_far.target or item.target
            return replace(item, step=Step.REMOVE, target=target, existing=so_far.landed, twin=None)
        return None

    def _folder(self, item: PlanItem, so_far: SoFar) -> PlanItem | None:
        if item.is_way or so_far.state in (ItemState.SKIPPED, ItemState.DRIFTED):
            return item
        if so_far.state is ItemState.SOURCE_REMOVED:
            return None
        if so_far.landed is not None:
            return replace(item, decision=Decision.LAND, existing=so_far.landed)
        return item if so_far.state in _NOT_DONE else replace(item, decision=Decision.MERGE)

    def _is_above(self, item: PlanItem) -> bool:
        return any(place is not None and (place.root, place.rel) in self._above for place in (item.source, item.target))

    def _add_above(self, place: Place) -> None:
        rel = place.folder
        while rel and (place.root, rel) not in self._above:
            self._above.add((place.root, rel))
            rel = rel.rpartition(b"/")[0]


def _is_left(item: PlanItem, so_far: SoFar) -> bool:
    if item.is_way:
        return False
    return so_far.state in _NOT_DONE or so_far.leaves_source(item)


def _known(record: OperationRecord) -> Iterator[tuple[PlanItem, SoFar]]:
    begun = iter(record.items)
    found = next(begun, None)
    for index, item in enumerate(record.plan.items):
        if found is not None and found.index == index:
            yield item, _so_far(item, found)
            found = next(begun, None)
        else:
            yield item, SoFar()


def _so_far(item: PlanItem, found: ItemRecord) -> SoFar:
    landed = found.landed
    if landed is None and item.step is Step.MAKE and found.state is ItemState.STAGED:
        landed = found.staged
    return SoFar(found.state, found.reason, found.target, landed)
