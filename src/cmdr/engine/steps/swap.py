"""Two names exchange what they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.engine.errors import Drifted
from cmdr.engine.fs.atomic_rename import Spot, swap
from cmdr.engine.journal.records import Intent, ItemRecord, PutBack
from cmdr.engine.steps.step import Step, StepResult, UndoPhase, is_temp_free, source_of
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.undo import UndoPlan


class Swap(Step):
    """Two names exchange what they stand for."""

    name = StepName.SWAP
    commits_alone = True

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        return disk.same_file(found.target or item.target, item.fingerprint)

    @classmethod
    def renamed(cls, item: PlanItem) -> tuple[Place | None, ...]:
        return item.source, item.target

    @classmethod
    def homes(cls, item: PlanItem) -> tuple[Place | None, ...]:
        return item.source, item.target

    @classmethod
    def recovered(cls, item: PlanItem, landed: Fingerprint | None, disk: Recovery) -> PutBack | None:
        """The other file of a swap that took place, as it looks now; it has the first one's name."""
        if landed is None:
            return None
        there = disk.at(item.source)
        return PutBack(None, there if item.existing is not None and item.existing.is_like(there) else None)

    @classmethod
    def stood_at(cls, item: PlanItem) -> Place | None:
        return item.target

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        return UndoPhase.SWAP

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        target = found.target or item.target or item.place
        undo.swap(item, item.place, item.existing, target, found.landed)

    def intent(self) -> Intent:
        return Intent(self.index, self.temp, self.item.source, parks=True)

    def commit(self) -> StepResult:
        first, expected = source_of(self.item)
        second, existing = self.item.target, self.item.existing
        if second is None or existing is None:
            raise ValueError("a swap needs two files")
        source, target = self.context.spot(first), self.context.spot(second)
        expected, existing = self.context.by_now(expected), self.context.by_now(existing)
        if not (expected.matches(source.found) and existing.matches(target.found)):
            raise Drifted("one of the two has changed since the plan")
        parked = Spot(source.folder, self.temp)
        self.is_begun = True
        swap(self.context.syscalls, source, target, parked, expected.kind, existing.kind)
        landed = target.found
        if landed is None or not (expected.is_like(landed) and existing.is_like(source.found)):
            swap(self.context.syscalls, source, target, parked, expected.kind, existing.kind)
            raise Drifted("one of the two was exchanged for something else at the last moment")
        # In a ring of names each trades places several times.
        for spot in (source, target):
            self.context.changed(spot.look(), again=True)
        self.touched |= {source.folder, target.folder}
        # The other one got a name too, and a later step of the ring, or of its resumption, knows it by its new stamp.
        return StepResult(target=second, landed=landed, put_back=PutBack(None, source.found))

    def abandon(self) -> bool:
        first, _ = source_of(self.item)
        return is_temp_free(self.context, first, self.temp)
