"""Going on: what an operation did not come to, or could not do, as a plan that is the rest of it.

The folders it had finished are part of the rest as far as something is still to come into them or to leave them: what
comes later changes their times, so they get those of their sources once more.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cmdr.engine.journal.records import ItemRecord, ItemState, OperationRecord, PutBack
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, Plan, PlanItem, Step, Verb

_LEAVES_FILES = (Verb.COPY, Verb.PACK, Verb.UNPACK)
"""What only reads the files that are there: nothing of it changes how they look."""
_NOT_DONE = (ItemState.PLANNED, ItemState.STAGED, ItemState.FAILED)
"""A file whose volume was away when the program started again may also be staged: nobody knows whether it landed."""


class SoFar(NamedTuple):
    """How far an item has come."""

    state: ItemState = ItemState.PLANNED
    reason: str = ""
    target: Place | None = None
    landed: Fingerprint | None = None
    put_back: PutBack | None = None

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
    rest = _Rest(plan.verb is Verb.UNDO)
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
            (removals if left.step is Step.REMOVE and item.step is not Step.REMOVE else items).append(left)
    for item in removals:
        items.append(item)
    return replace(plan, items=items.done(), continues=operation)


@dataclass(slots=True)
class _Rest:
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
        if item.step is Step.MAKE:
            return self._folder(item, so_far) if _is_left(item, so_far) or self._is_above(item) else None
        if item.target in self._twins and so_far.landed is not None:
            self._copied[item.target] = so_far.landed
        if so_far.state in _NOT_DONE and item.step is Step.ATTRIBUTES:
            return replace(item, existing=so_far.landed)
        if so_far.state in _NOT_DONE:
            item = self._by_now(_as_put_back(item, so_far.put_back))
            return item if item.twin is None else replace(item, twin_mark=self._copied.get(item.twin))
        if so_far.leaves_source(item):
            target = so_far.target or item.target
            return replace(item, step=Step.REMOVE, target=target, existing=so_far.landed, twin=None)
        return item if self.keeps_all and not so_far.state.is_done else None

    def _by_now(self, item: PlanItem) -> PlanItem:
        mark, existing = self._stamped(item.fingerprint), self._stamped(item.existing)
        is_same = mark is item.fingerprint and existing is item.existing
        return item if is_same else replace(item, fingerprint=mark, existing=existing)

    def _stamped(self, mark: Fingerprint | None) -> Fingerprint | None:
        if mark is None or mark.stamp_ns is None:
            return mark
        stamp = self._stamps.get((mark.dev, mark.ino))
        return mark if stamp is None or stamp <= mark.stamp_ns else mark._replace(stamp_ns=stamp)

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


def _as_put_back(item: PlanItem, marks: PutBack | None) -> PlanItem:
    """An item with its files as the attempt before left them."""
    if marks is None:
        return item
    return replace(item, fingerprint=marks.source or item.fingerprint, existing=marks.existing or item.existing)


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
    return SoFar(found.state, found.reason, found.target, landed, found.put_back)
