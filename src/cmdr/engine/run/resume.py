"""Going on: what an operation did not come to, or could not do, as a plan that is the rest of it.

The folders it had finished are part of the rest as far as something is still to come into them or to leave them: what
comes later changes their times, so they get those of their sources once more.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cmdr.engine.journal.records import ItemState, OperationRecord, PutBack
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.step import NOT_DONE
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import Fingerprint, Kind, Place, Plan, PlanItem, Verb

_LEAVES_FILES = (Verb.COPY, Verb.PACK, Verb.UNPACK)
"""What only reads the files that are there: nothing of it changes how they look."""


class SoFar(NamedTuple):
    """How far an item has come."""

    state: ItemState = ItemState.PLANNED
    reason: str = ""
    target: Place | None = None
    landed: Fingerprint | None = None
    put_back: PutBack | None = None

    def leaves_source(self, item: PlanItem) -> bool:
        """Whether a move has still to remove what it copied; what could not be removed says why and stays."""
        return self.state is ItemState.LANDED and not self.reason and step_of(item).leaves_source(item)


Known = Iterable[tuple[PlanItem, SoFar]]


def plan_resume(record: OperationRecord) -> Plan:
    """What an operation did not come to, by what the journal knows."""
    return resume_plan(record.plan, record.id, lambda: _known(record))


def resume_plan(plan: Plan, operation: int, known: Callable[[], Known]) -> Plan:
    """The rest of a plan; what is known of its items is looked at twice, for there may be very many."""
    rest = ResumePlan(plan.verb is Verb.UNDO)
    for item, so_far in known():
        rest.look(item, so_far)
    if not rest.is_any:
        raise NothingToDo(f"Operation {operation} is complete. There is nothing to resume.")
    if plan.verb not in _LEAVES_FILES:
        rest.take_stamps(so_far for _, so_far in known())
    items, removals = PackedItems(), PackedItems()
    for item, so_far in known():
        left = rest.of(item, so_far)
        if left is not None:
            (items if left.step is item.step else removals).append(left)
    for item in removals:
        items.append(item)
    return replace(plan, items=items.done(), continues=operation)


@dataclass(slots=True)
class ResumePlan:
    """What is left, and the folders and copies that it needs."""

    keeps_all: bool = False
    """Whether what was left alone stays part of it: of an undo it is told how much is left until all is taken back."""
    is_any: bool = False
    _above: set[tuple[bytes, bytes]] = field(default_factory=set)
    """The folders that something still comes into or leaves."""
    _twins: set[Place] = field(default_factory=set)
    """The copies that something left is a second name of."""
    _copied: dict[Place, Fingerprint] = field(default_factory=dict)
    _stamps: dict[tuple[int, int], int | None] = field(default_factory=dict)
    """When the operation itself changed a file last that is left under another name, by the file's identity."""

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
        for mark in (item.fingerprint, item.existing):
            if mark is not None and mark.kind is not Kind.FOLDER:
                self._stamps[mark.dev, mark.ino] = None

    def take_stamps(self, known: Iterable[SoFar]) -> None:
        """Learn which of the files that are left were changed by what is done: they are the same files, linked."""
        for so_far in known:
            for mark in (so_far.landed, *(so_far.put_back or ())):
                if mark is not None and mark.stamp_ns is not None and (mark.dev, mark.ino) in self._stamps:
                    self._stamps[mark.dev, mark.ino] = max(mark.stamp_ns, self._stamps[mark.dev, mark.ino] or 0)

    def of(self, item: PlanItem, so_far: SoFar) -> PlanItem | None:
        """What is left of an item once all are taken in."""
        if item.target in self._twins and so_far.landed is not None:
            self._copied[item.target] = so_far.landed
        return step_of(item).resume(item, so_far, self)

    def as_it_is_now(self, item: PlanItem, marks: PutBack | None) -> PlanItem:
        """An item with its files as the run before left them."""
        if marks is not None:
            item = replace(item, fingerprint=marks.source or item.fingerprint, existing=marks.existing or item.existing)
        mark, existing = self._stamped(item.fingerprint), self._stamped(item.existing)
        if mark is not item.fingerprint or existing is not item.existing:
            item = replace(item, fingerprint=mark, existing=existing)
        return item if item.twin is None else replace(item, twin_mark=self._copied.get(item.twin))

    def needs_folder(self, item: PlanItem, so_far: SoFar) -> bool:
        """Whether a folder is not done, or something still comes into it or leaves it."""
        places = (item.source, item.target)
        is_above = any(place is not None and (place.root, place.rel) in self._above for place in places)
        return is_above or _is_left(item, so_far)

    def _stamped(self, mark: Fingerprint | None) -> Fingerprint | None:
        if mark is None or mark.stamp_ns is None:
            return mark
        stamp = self._stamps.get((mark.dev, mark.ino))
        return mark if stamp is None or stamp <= mark.stamp_ns else mark._replace(stamp_ns=stamp)

    def _add_above(self, place: Place) -> None:
        rel = place.folder
        while rel and (place.root, rel) not in self._above:
            self._above.add((place.root, rel))
            rel = rel.rpartition(b"/")[0]


def _is_left(item: PlanItem, so_far: SoFar) -> bool:
    if item.is_missing_folder:
        return False
    return so_far.state in NOT_DONE or so_far.leaves_source(item)


def _known(record: OperationRecord) -> Iterator[tuple[PlanItem, SoFar]]:
    begun = iter(record.items)
    found = next(begun, None)
    for index, item in enumerate(record.plan.items):
        if found is not None and found.index == index:
            landed = step_of(item).landed_so_far(found)
            yield item, SoFar(found.state, found.reason, found.target, landed, found.put_back)
            found = next(begun, None)
        else:
            yield item, SoFar()
