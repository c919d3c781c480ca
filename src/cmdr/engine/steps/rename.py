"""A file or a whole folder gets another name on its volume."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, move_exactly, place, replace
from cmdr.engine.fs.names import folded
from cmdr.engine.fs.removal import put_back
from cmdr.engine.journal.records import Intent, ItemRecord
from cmdr.engine.steps.staged_file import TargetStep
from cmdr.engine.steps.step import StepResult, source_of
from cmdr.engine.steps.trash import confirm_grown_folder
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem, Totals
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.undo import UndoPlan


class Rename(TargetStep):
    """A file or a whole folder gets another name on its volume."""

    name = StepName.RENAME
    commits_alone = True

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        return disk.same_file(found.target or item.target, item.fingerprint)

    @classmethod
    def recover(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> None:
        target = found.target or item.target
        cls._finish_replacing(item, found, disk)
        if item.kind is not Kind.FOLDER:
            disk.drop_second_name(item.source, target)

    @classmethod
    def _finish_replacing(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> None:
        """One that replaced by exchange and then stopped: the displaced file stands under the source's name."""
        if item.source is None or item.fingerprint is None or item.existing is None or found.kept is None:
            return
        source, target = disk.reach(item.source), disk.reach(found.target or item.target or item.source)
        there = None if source is None else source.found
        if (
            source is not None
            and target is not None
            and there is not None
            and item.existing.is_same_file(there)
            and item.fingerprint.is_same_file(target.found)
        ):
            disk.rescue(source, there, found, item.source.path)

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        target = found.target or item.target or item.place
        undo.rename(item, target, item.place, found.landed)
        if found.kept is not None and found.kept.place not in undo.taken_back:
            undo.restore(dataclasses.replace(item, totals=Totals(1, 0, 0)), found.kept, target)

    def intent(self) -> Intent:
        return dataclasses.replace(super().intent(), beside=self.item.source, parks=True)

    def commit(self) -> StepResult:
        place_, planned = source_of(self.item)
        source = self.context.spot(place_)
        totals = None
        while True:
            expected = self.context.by_now(planned)
            if not expected.matches(source.found):
                raise Drifted("it has changed since the plan")
            if self._is_respelling(source):
                self.is_begun = True
                moved = self._respell(source, self.context.spot(self.target), expected)
                break
            target = self.settle_target()
            self.sync_note()
            totals = confirm_grown_folder(self.context, self.item, source)
            try:
                self.is_begun = True
                moved = self._move(source, target, expected)
            except FileExistsError:
                continue
            break
        self.context.changed(moved)
        clean = self.release_slot() if self.replacing is None else True
        target = self.context.spot(self.target)
        self.touched |= {source.folder, target.folder}
        kept = self.kept if self.replacing else None
        landed = fingerprint.of_found(moved, target.name, target.folder)
        return StepResult(target=self.target, landed=landed, kept=kept, is_clean=clean, totals=totals)

    def tidy(self) -> bool:
        """Remove the trash's note about a file that has left the trash."""
        if self.item.info is None:
            return True
        try:
            note = self.context.spot(self.item.info)
            if note.found is not None:
                self.context.syscalls.unlink(note.name, note.folder)
                self.tidied |= {note.folder}
        except (OSError, Drifted):
            return False
        return True

    def abandon(self) -> bool:
        self.drop_note()
        return self.release_slot()

    def _move(self, source: Spot, target: Spot, expected: Fingerprint) -> os.stat_result:
        if self.replacing is None or self.slot is None:
            return move_exactly(self.context.syscalls, source, target, expected)
        replace(self.context.syscalls, source, target, self.replacing, self.slot)
        self.context.changed(self.slot.spot.look())
        self.touched |= {self.slot.spot.folder, self.slot.note.folder}
        landed = target.look()
        if landed is None or not expected.is_like(fingerprint.of_stat(landed)):
            raise Drifted("another program took the name right after the file had landed")
        return landed

    def _is_respelling(self, source: Spot) -> bool:
        """Whether only the spelling changes, on a file system for which both spellings are one name."""
        target = self.context.spot(self.target)
        if target.folder != source.folder or folded(target.name) != folded(source.name):
            return False
        found = target.found
        return found is not None and found.is_same_file(source.found) and not _has_both(source, target)

    def _respell(self, source: Spot, target: Spot, expected: Fingerprint) -> os.stat_result:
        parked = Spot(source.folder, self.temp)
        moved = move_exactly(self.context.syscalls, source, parked, expected)
        try:
            place(self.context.syscalls, parked, target, expected.kind)
        except OSError:
            put_back(self.context.syscalls, parked, source, expected.kind)
            raise
        return target.look() or moved


def _has_both(source: Spot, target: Spot) -> bool:
    """Whether both spellings stand in the folder as names of their own."""
    names = set(map(os.fsencode, os.listdir(source.folder)))
    return source.name in names and target.name in names
