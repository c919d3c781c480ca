"""Steps that take a target name: who may have it, what is displaced, and files that are staged beside it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, place, replace
from cmdr.engine.fs.names import free_name
from cmdr.engine.fs.trash import Slot, Trash
from cmdr.engine.journal.records import Backup, Intent, ItemRecord, ItemState, PutBack
from cmdr.engine.run.conflicts import Verdict
from cmdr.engine.steps.step import CHANGED, Step, StepResult
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.undo import UndoPlan
    from cmdr.engine.steps.run_context import RunContext


class TargetStep(Step):
    """Takes a target name: settles who may have it, and keeps what it displaces."""

    def __init__(self, context: RunContext, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(context, index, item, temp)
        if item.target is None:
            raise ValueError("this item needs a target")
        self.target: Place = item.target
        self._wanted = item.target.name
        self.replacing: Fingerprint | None = None
        self.kept: Backup | None = None
        self._trash: Trash | None = None
        self._noted = False
        self._note: int | None = None
        """The note about the displaced file, written while staging and not yet on the disk."""

    @property
    def unsynced(self) -> list[int]:
        return super().unsynced + ([] if self._note is None else [self._note])

    def intent(self) -> Intent:
        if self.item.existing is not None and self.context.decider.may_replace(self.item):
            self._trash, self.kept = self._choose_slot()
        return Intent(self.index, self.temp, self.target, self.kept)

    def settle_target(self) -> Spot:
        """Find out whether the name is free, may be replaced, or must change."""
        while True:
            spot = self.context.spot(self.target)
            found = spot.found
            if self.replacing is not None and (replacing := self.context.by_now(self.replacing)).matches(found):
                # Decided before, for exactly this file.
                self.replacing = replacing
                return spot
            self.replacing = None
            if found is None:
                return spot
            existing = None if self.item.existing is None else self.context.by_now(self.item.existing)
            if self.context.decider.decide(self.item, existing, found) is Verdict.REPLACE:
                self.replacing = found
                self._note_displaced(spot)
                return spot
            taken = partial(_is_taken, folder=spot.folder)
            self.target = self.goal = self.target.renamed(free_name(self._wanted, taken))

    @property
    def slot(self) -> Slot | None:
        """The place in the trash for a displaced file."""
        return None if self._trash is None or self.kept is None else self._trash.slot(self.kept)

    def release_slot(self) -> bool:
        """Remove the note about a displaced file that was not displaced after all; whether it is gone."""
        if self._noted and self.slot is not None:
            try:
                self.slot.forget()
            except OSError:
                return False
            self._noted = False
            self.touched |= {self.slot.note.folder}
        return True

    def _choose_slot(self) -> tuple[Trash, Backup]:
        trash = self.context.trashes.beside(self.context.folders.open(self.target.root, self.target.folder))
        return trash, trash.choose(self.target.name)

    def _note_displaced(self, spot: Spot) -> None:
        if self._noted:
            return
        if self._trash is None or self.kept is None:
            self._trash, self.kept = self._choose_slot()
            self.context.intend(Intent(self.index, self.temp, self.target, self.kept))
        slot = self._trash.slot(self.kept)
        self._noted = True
        self._note = slot.write_note(self._trash.note_for(spot.folder, spot.name))
        self.announced |= {slot.note.folder}

    def sync_note(self) -> None:
        """Bring a note to the disk that was written too late to be waited for with the others."""
        if self._note is not None:
            self.context.syscalls.sync_data(self._note)
            for folder in self.announced:
                self.context.syscalls.sync_folder(folder)
            self.drop_note()

    def drop_note(self) -> None:
        """Close the note."""
        if self._note is not None:
            note, self._note = self._note, None
            self.context.syscalls.discard(note)


class StagedFile(TargetStep):
    """A new file, link or copy that is staged beside its target."""

    is_second_name: ClassVar[bool] = False
    """Whether it is one of several names of a copy."""

    def __init__(self, context: RunContext, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(context, index, item, temp)
        self.warnings: tuple[str, ...] = ()
        self._made = False

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        target = found.target or item.target or item.place
        here = None if found.landed is None else undo.versions.standing(item, target, found.landed)
        if here is None or found.landed is None:
            undo.leave(item, target, CHANGED)
            return
        if found.state is ItemState.SOURCE_REMOVED and item.source is not None:
            back = PlanItem(StepName.COPY, item.kind, target, item.source, here, totals=item.totals)
            undo.add(dataclasses.replace(back, remove_source=found.kept is None))
            if cls.is_second_name:
                undo.linked.add((here.dev, here.ino))
        elif found.kept is None:
            undo.take_away(item, target, here, found.landed, cls.taken_totals(item, here))
        if found.kept is not None:
            # What was displaced gets its name back; what displaced it stays in the trash in its stead.
            undo.swap(item, found.kept.place, undo.look(found.kept.place), target, here)

    @classmethod
    def taken_totals(cls, item: PlanItem, here: Fingerprint) -> Totals:
        """How much goes to the trash when it is taken back."""
        return item.totals

    def stage(self) -> None:
        spot = self.settle_target()
        self.write(Spot(spot.folder, self.temp))

    @abstractmethod
    def write(self, temp: Spot) -> None:
        """Make the complete file under the temporary name."""

    def commit(self) -> StepResult:
        self.close()
        self.drop_note()
        clean = True
        # A name that was free is taken without another look: landing replaces nothing, and says when it is taken.
        target = self.settle_target() if self.replacing is not None else self.context.spot(self.target)
        while True:
            self.sync_note()
            temp = Spot(target.folder, self.temp)
            try:
                if self.replacing is None or self.slot is None:
                    place(self.context.syscalls, temp, target, self.item.kind, is_copy=True)
                    clean = self.release_slot()
                else:
                    self.is_begun = True
                    replace(self.context.syscalls, temp, target, self.replacing, self.slot, is_copy=True)
                    self.context.changed(self.slot.spot.look())
                    self.touched |= {self.slot.spot.folder, self.slot.note.folder}
            except FileExistsError:
                target = self.settle_target()
                continue
            break
        self.touched |= {target.folder}
        found = target.look()
        if self.staged is None or found is None or not self.staged.is_like(landed := fingerprint.of_stat(found)):
            raise Drifted("another program took the name right after the file had landed")
        self.context.changed(found)
        if self.target in self.context.twins:
            self.context.landed[self.target] = landed
        kept = self.kept if self.replacing else None
        return StepResult(target=self.target, landed=landed, kept=kept, warnings=self.warnings, is_clean=clean)

    def put_back(self) -> PutBack | None:
        """How the file to be replaced looks after an attempt; the source of a copy is only read."""
        return PutBack(None, self._again(self.item.target, self.item.existing)) if self.is_begun else None

    def abandon(self) -> bool:
        if self.fd is not None:
            fd, self.fd = self.fd, None
            if self.staged is None:
                with contextlib.suppress(OSError):
                    self.staged = fingerprint.of_open(fd)
            self.context.syscalls.discard(fd)
        self.drop_note()
        gone = self._remove_temp()
        return self.release_slot() and gone

    def _remove_temp(self) -> bool:
        if not self._made:
            return True
        try:
            temp = Spot(self.context.folders.open(self.target.root, self.target.folder), self.temp)
            found = temp.found
            if found is None:
                return True
            if self.staged is None or not found.is_same_file(self.staged):
                # Not what was staged: a displaced original. The next start brings it to the trash.
                return False
            self.context.syscalls.unlink(temp.name, temp.folder)
            self.context.syscalls.sync_folder(temp.folder)
        except (OSError, Drifted):
            return False
        return True

    def expected(self) -> Fingerprint:
        """How the source must look if nobody but this operation has changed it; raises `Drifted` when nobody knows."""
        if self.item.fingerprint is None:
            raise Drifted("it has changed since the plan")
        return self.context.by_now(self.item.fingerprint)

    def mark_made(self, temp: Spot) -> None:
        """Remember that the temporary name exists, and which file it is."""
        self._made = True
        self.staged = temp.found


def _is_taken(name: bytes, folder: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    return False


def must_match(
    expected: Fingerprint | None, found: Fingerprint | None, why: str = "it has changed since the plan"
) -> None:
    """Refuse a file that is not exactly the expected one."""
    if expected is None or not expected.matches(found):
        raise Drifted(why)


def must_show(expected: Fingerprint, found: os.stat_result, why: str = "it has changed since the plan") -> None:
    """The same, of what is known about an open file."""
    if not fingerprint.shows(found, expected):
        raise Drifted(why)
