"""Newcomers: whatever takes a target name, and keeps what it displaces."""

import contextlib
import os
from functools import partial

from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.names import free_name
from cmdr.engine.fs.trash import Slot, Trash
from cmdr.engine.journal.records import Intent, Kept
from cmdr.engine.run.conflicts import Verdict
from cmdr.engine.steps.bench import Work, Workbench
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem


class Newcomer(Work):
    """Something that takes a target name: settles who may have the name, and keeps what it displaces."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        if item.target is None:
            raise ValueError("this item needs a target")
        self.target: Place = item.target
        self._wanted = item.target.name
        self.replacing: Fingerprint | None = None
        self.kept: Kept | None = None
        self._trash: Trash | None = None
        self._noted = False
        self._note: int | None = None
        """The note about the displaced file, written while staging and not yet on the disk."""

    @property
    def unsynced(self) -> list[int]:
        return super().unsynced + ([] if self._note is None else [self._note])

    def intent(self) -> Intent:
        if self.item.existing is not None and self.bench.decider.may_replace(self.item):
            self._trash, self.kept = self._choose_slot()
        return Intent(self.index, self.temp, self.target, self.kept)

    def settle_target(self) -> Spot:
        """Find out whether the name is free, may be replaced, or must change."""
        while True:
            spot = self.bench.spot(self.target)
            found = spot.found
            if self.replacing is not None and (replacing := self.bench.by_now(self.replacing)).matches(found):
                # Decided before, for exactly this file.
                self.replacing = replacing
                return spot
            self.replacing = None
            if found is None:
                return spot
            existing = None if self.item.existing is None else self.bench.by_now(self.item.existing)
            if self.bench.decider.decide(self.item, existing, found) is Verdict.REPLACE:
                self.replacing = found
                self._note_displaced(spot)
                return spot
            taken = partial(_is_taken, folder=spot.folder)
            self.target = self.goal = self.target.renamed(free_name(self._wanted, taken))

    @property
    def slot(self) -> Slot | None:
        """The room kept for a displaced file."""
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

    def _choose_slot(self) -> tuple[Trash, Kept]:
        trash = self.bench.trashes.beside(self.bench.folders.open(self.target.root, self.target.folder))
        return trash, trash.choose(self.target.name)

    def _note_displaced(self, spot: Spot) -> None:
        if self._noted:
            return
        if self._trash is None or self.kept is None:
            self._trash, self.kept = self._choose_slot()
            self.bench.intend(Intent(self.index, self.temp, self.target, self.kept))
        slot = self._trash.slot(self.kept)
        self._noted = True
        self._note = slot.write_note(self._trash.note_for(spot.folder, spot.name))
        self.announced |= {slot.note.folder}

    def sync_note(self) -> None:
        """Bring a note to the disk that was written too late to be waited for with the others."""
        if self._note is not None:
            self.bench.syscalls.sync_data(self._note)
            for folder in self.announced:
                self.bench.syscalls.sync_folder(folder)
            self.drop_note()

    def drop_note(self) -> None:
        """Close the note."""
        if self._note is not None:
            note, self._note = self._note, None
            self.bench.syscalls.discard(note)


def _is_taken(name: bytes, folder: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    return False
