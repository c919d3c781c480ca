"""A file, a link or an empty folder goes away for good."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.removal import remove_exactly, verified_by_copy
from cmdr.engine.journal.records import Intent, ItemRecord, OperationRecord
from cmdr.engine.steps.step import Step, StepResult, UndoPhase, is_temp_free, source_of
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.undo import Continuations, UndoPlan

_GONE = "it was deleted for good, so it cannot be brought back"


class Remove(Step):
    """A file, a link or an empty folder goes away; with a witness, only while the witness is still there."""

    name = StepName.REMOVE
    commits_alone = True

    @classmethod
    def leaves_source(cls, item: PlanItem) -> bool:
        # A source that an earlier run had left is removed as an item of its own.
        return False

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        return item.fingerprint if item.source is not None and disk.at(item.source) is None else None

    @classmethod
    def merge(cls, later: Continuations, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        if run.plan.continues is None or item.source is None or not item.remove_source:
            return later.merged(item, found)
        if found.state.is_done:
            later.removed.add(item.source)
        return None

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        return UndoPhase.EMPTY if item.kind is Kind.FOLDER else UndoPhase.RENAME

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        """What an undo removed: a copy whose other copy was still there, or a folder that was empty."""
        if item.source is not None and item.target is not None and item.existing is not None:
            here = undo.look(item.target)
            mark = here if here is not None and item.existing.is_like(here) else item.existing
            back = PlanItem(StepName.COPY, item.kind, item.target, item.source, mark, totals=item.totals)
            undo.add(replace(back, member=item.member, mode=item.mode))
        elif item.kind is Kind.FOLDER:
            undo.add(PlanItem(StepName.MAKE, Kind.FOLDER, None, item.source, totals=item.totals, traits=found.traits))
        else:
            undo.leave(item, item.place, _GONE)

    def commit(self) -> StepResult:
        source, expected = source_of(self.item)
        context, spot = self.context, self.context.spot(source)
        expected = context.by_now(expected)
        if self.item.target is not None and self.item.existing is not None:
            copy, existing = context.spot(self.item.target), context.by_now(self.item.existing)
            if self.item.member is not None and not existing.matches(copy.found):
                raise Drifted("its archive is gone or has changed, so this was kept")
            if self.item.member is None and expected.kind is not Kind.FOLDER:
                expected = verified_by_copy(context.syscalls, spot, expected, copy, existing, context.stride)
        self.is_begun = True
        other_names = remove_exactly(context.syscalls, spot, expected, Spot(spot.folder, self.temp))
        context.changed(other_names, again=True)
        self.touched |= {spot.folder}
        return StepResult(landed=None if other_names is None else fingerprint.of_stat(other_names))

    def intent(self) -> Intent:
        source, expected = source_of(self.item)
        traits = self.context.traits(source, expected) if expected.kind is Kind.FOLDER else None
        return Intent(self.index, self.temp, self.item.source, parks=True, traits=traits)

    def abandon(self) -> bool:
        return is_temp_free(self.context, source_of(self.item)[0], self.temp)
