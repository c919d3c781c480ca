"""New folders: made under a temporary name, named without displacing anything, or joined when one stands there."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from cmdr.engine.errors import ITEM_ERRORS, Drifted, Skipped, failure_of
from cmdr.engine.fs.atomic_rename import Spot, place
from cmdr.engine.fs.metadata import keep_metadata, keep_time, restore_traits
from cmdr.engine.journal.records import Intent, ItemRecord, ItemState, OperationRecord
from cmdr.engine.steps.step import NOT_DONE, Step, StepResult, UndoPhase, source_of
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, PlanItem
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.resume import ResumePlan, SoFar
    from cmdr.engine.run.undo import Continuations, UndoPlan
    from cmdr.engine.steps.run_context import RunContext


class MakeFolder(Step):
    """A folder is made, or joined when one stands there.

    As a file does, it comes into being under a temporary name, and the journal knows it before it gets its own: so a
    later start can tell a folder of ours from one that somebody else has made meanwhile.
    """

    name = StepName.MAKE
    makes_folder = finishes_late = True
    _made = False

    @classmethod
    def prepare(cls, context: RunContext, item: PlanItem) -> None:
        """Learn which folders the plan means."""
        if item.source is not None and item.fingerprint is not None and item.member is None:
            context.folders.expect(item.source, item.fingerprint)
        if item.target is not None and item.existing is not None:
            context.folders.expect(item.target, item.existing)

    @classmethod
    def finish(cls, context: RunContext, item: PlanItem) -> tuple[int | None, tuple[str, ...]]:
        """Give a new folder the attributes of its source, after all that is inside."""
        syscalls = context.syscalls
        try:
            goal = item.target or item.place
            target = context.folders.open(goal.root, goal.rel)
            if item.traits is not None:
                return target, restore_traits(syscalls, target, item.traits)
            if item.member is not None:
                return target, keep_time(syscalls, target, item.member.mtime_ns)
            place, mark = source_of(item)
            source = context.folders.open(place.root, place.rel)
            # What a move takes out of a folder, in this run or in one before, changes the folder's own time.
            time = mark.mtime_ns if item.remove_source else None
            return target, keep_metadata(syscalls, source, target, os.fstat(source), mtime_ns=time)
        except ITEM_ERRORS as problem:
            return None, (f"folder attributes ({failure_of(problem)[1]})",)

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        there = disk.at(found.target or item.target)
        return there if found.staged is not None and found.staged.is_like(there) else None

    @classmethod
    def committed_state(cls, item: PlanItem) -> ItemState:
        """A new folder is finished only with its attributes; resuming gives it those."""
        return ItemState.LANDED if item.source is None else ItemState.STAGED

    @classmethod
    def landed_so_far(cls, found: ItemRecord) -> Fingerprint | None:
        return found.staged if found.landed is None and found.state is ItemState.STAGED else found.landed

    @classmethod
    def resume(cls, item: PlanItem, so_far: SoFar, left: ResumePlan) -> PlanItem | None:
        if not left.needs_folder(item, so_far):
            return None
        if item.is_missing_folder or so_far.state in (ItemState.SKIPPED, ItemState.DRIFTED):
            return item
        if so_far.state is ItemState.SOURCE_REMOVED:
            return None
        if so_far.landed is not None:
            return replace(item, decision=Decision.LAND, existing=so_far.landed)
        return item if so_far.state in NOT_DONE else replace(item, decision=Decision.MERGE)

    @classmethod
    def merge(cls, later: Continuations, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        merged = later.merged(item, found)
        if run.plan.continues is None or item.is_missing_folder:
            return merged
        if merged.state is not ItemState.PLANNED:
            later.folders[item.place] = item, merged
        return None

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        return UndoPhase.MAKE

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        target = found.target or item.target or item.place
        here = undo.look(target)
        # A folder that lost only some of what it held gets its times back as well.
        has_traits = found.landed is not None or found.traits is not None
        is_back = found.state is ItemState.SOURCE_REMOVED or (
            found.state is ItemState.LANDED and item.remove_source and has_traits
        )
        if is_back and item.source is not None and here is not None:
            before = undo.look(item.source)
            back = PlanItem(StepName.MAKE, Kind.FOLDER, target, item.source, here, before, totals=item.totals)
            # Its copy has what it had. One that it was joined to has its own, and stays.
            is_copy = found.landed is not None
            undo.add(replace(back, remove_source=is_copy, traits=None if is_copy else found.traits))
        elif found.landed is not None and here is not None and found.landed.matches(here):
            # As it is now: it has got its time since it landed.
            undo.whole.close(target, here, item.totals)

    def intent(self) -> Intent:
        intent = super().intent()
        if self.item.remove_source:
            # Only the copy of a folder has what the folder had; one that others are joined to has its own.
            intent.traits = self.context.traits(*source_of(self.item))
        return intent

    def stage(self) -> None:
        spot = self.context.spot(self._target)
        planned = self.item.existing
        if self.item.decision is Decision.MERGE and planned is not None and not planned.matches(spot.found):
            raise Drifted("the folder there is not the one that was planned")
        if self.item.source is not None:
            source, expected = source_of(self.item)
            if not expected.matches(self.context.spot(source).found):
                raise Drifted("it has changed since the plan")
        if spot.found is not None:
            self._join(spot)
            return
        temp = Spot(spot.folder, self.temp)
        self._made = True
        self.context.syscalls.mkdir(temp.name, temp.folder, self._mode)
        self.staged = temp.found
        if self.staged is None:
            raise Drifted("another program removed the folder right after it was made")

    def commit(self) -> StepResult:
        clean = True
        if self._made and self.staged is not None:
            spot = self.context.spot(self._target)
            try:
                place(self.context.syscalls, Spot(spot.folder, self.temp), spot, Kind.FOLDER, is_copy=True)
            except FileExistsError:
                clean = self.abandon()
                self._join(spot)
            else:
                self._made = False
                self.touched |= {spot.folder}
                self._expect(self.staged)
        if self.staged is None:
            return StepResult(target=self.item.target, is_clean=clean)
        state = ItemState.STAGED if self._is_finished_later else ItemState.LANDED
        return StepResult(state, target=self.item.target, landed=self.staged)

    def abandon(self) -> bool:
        if not self._made:
            return True
        try:
            temp = Spot(self.context.spot(self._target).folder, self.temp)
            if temp.found is not None:
                self.context.syscalls.rmdir(temp.name, temp.folder)
                self.context.syscalls.sync_folder(temp.folder)
        except (OSError, Drifted):
            return False
        self._made, self.staged = False, None
        return True

    @property
    def _is_finished_later(self) -> bool:
        """Whether the folder is finished only when its attributes are set, after all its children."""
        return self.item.source is not None or self.item.traits is not None

    @property
    def _mode(self) -> int:
        if self.item.mode is not None:
            return self.item.mode
        return 0o700 if self._is_finished_later else 0o777

    @property
    def _target(self) -> Place:
        if self.item.target is None:
            raise ValueError("a folder needs a target")
        return self.item.target

    def _expect(self, found: Fingerprint) -> None:
        self.context.folders.expect(self._target, found)

    def _join(self, spot: Spot) -> None:
        found = spot.found
        if found is None or found.kind is not Kind.FOLDER:
            raise Skipped("a file has that name")
        if self.item.decision is Decision.LAND and self.item.existing is not None:
            # Made by an earlier run that stopped: its attributes are still to come.
            if not self.item.existing.matches(found):
                raise Drifted("the folder there is not the one that was planned")
            self.staged = found
        elif self.item.source is None and self.item.decision is not Decision.MERGE:
            raise Skipped("the folder is there already")
        self._expect(found)
