"""A file or a whole folder goes to the trash of its volume, or to the Finder's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import finder_trash, fingerprint
from cmdr.engine.fs.atomic_rename import Spot, move_exactly
from cmdr.engine.fs.folder_digest import look_inside
from cmdr.engine.fs.mounts import path_of
from cmdr.engine.fs.trash import Slot
from cmdr.engine.journal.records import Backup, Intent, ItemRecord
from cmdr.engine.steps.step import Step, StepResult, source_of
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.undo import UndoPlan
    from cmdr.engine.steps.run_context import RunContext

_FINDER = "the Finder has it in its Trash and only you can take it out there"


class Trash(Step):
    """A file or a whole folder goes to the trash of its volume."""

    name = StepName.TRASH

    @classmethod
    def variant(cls, item: PlanItem) -> type[Step]:
        return SentToFinder if finder_trash.is_the_trash() else cls

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        if found.kept is not None:
            return disk.same_file(found.kept.place, item.fingerprint)
        # Handed to the Finder: gone from its place means that it was taken.
        return item.fingerprint if item.source is not None and disk.at(item.source) is None else None

    @classmethod
    def recover(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> None:
        if item.kind is not Kind.FOLDER:
            kept = found.target or item.target if found.kept is None else found.kept.place
            disk.drop_second_name(item.source, kept)

    @classmethod
    def stands_at(cls, item: PlanItem, found: ItemRecord) -> Place:
        return super().stands_at(item, found) if found.kept is None else found.kept.place

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        if found.kept is not None:
            undo.restore(item, found.kept, item.place)
        else:
            undo.leave(item, item.place, _FINDER)

    def __init__(self, context: RunContext, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(context, index, item, temp)
        self._slot: Slot | None = None
        """Chosen with the intent."""
        self._kept: Backup | None = None
        self._note = b""

    def intent(self) -> Intent:
        spot = self.context.spot(source_of(self.item)[0])
        trash = self.context.trashes.beside(spot.folder)
        self._kept = trash.choose(spot.name)
        self._slot = trash.slot(self._kept)
        self._note = trash.note_for(spot.folder, spot.name)
        return Intent(self.index, self.temp, self.item.source, self._kept)

    def stage(self) -> None:
        source, expected = source_of(self.item)
        if not self.context.by_now(expected).matches(self.context.spot(source).found):
            raise Drifted("it has changed since the plan")
        self.fd = self.slot.write_note(self._note)
        self.announced |= {self.slot.note.folder}

    def commit(self) -> StepResult:
        self.close()
        source, expected = source_of(self.item)
        spot, slot = self.context.spot(source), self.slot
        totals = confirm_grown_folder(self.context, self.item, spot)
        self.is_begun = True
        moved = move_exactly(self.context.syscalls, spot, slot.spot, self.context.by_now(expected))
        self.context.changed(moved)
        self.touched |= {spot.folder, slot.spot.folder, slot.note.folder}
        landed = fingerprint.of_found(moved, slot.spot.name, slot.spot.folder)
        return StepResult(landed=landed, kept=self._kept, totals=totals)

    def abandon(self) -> bool:
        if self.fd is not None:
            fd, self.fd = self.fd, None
            self.context.syscalls.discard(fd)
        try:
            self.slot.forget()
        except OSError:
            return False
        return True

    @property
    def slot(self) -> Slot:
        """The free place in the trash."""
        if self._slot is None:
            raise ValueError("the intent comes first")
        return self._slot


class SentToFinder(Trash):
    """A file or a whole folder goes to the trash of the Finder, which alone knows where it lies there."""

    def stage(self) -> None:
        """Nothing is to be prepared."""

    def abandon(self) -> bool:
        return True

    def intent(self) -> Intent:
        return Intent(self.index, self.temp, self.item.source)

    def commit(self) -> StepResult:
        source, expected = source_of(self.item)
        spot = self.context.spot(source)
        if not expected.matches(spot.found):
            raise Drifted("it has changed since the plan")
        totals = confirm_grown_folder(self.context, self.item, spot)
        self.context.syscalls.send_to_trash(path_of(spot.folder).rstrip(b"/") + b"/" + spot.name)
        if expected.is_same_file(spot.found):
            raise Drifted("the Finder left it where it is")
        self.touched |= {spot.folder}
        return StepResult(landed=expected, kept=finder_trash.find(expected, spot.folder), totals=totals)


def confirm_grown_folder(context: RunContext, item: PlanItem, spot: Spot) -> Totals | None:
    """Look once more into a folder before it goes as a whole: how much it holds, when that is not what was shown.

    What came after the plan goes along only if the person says so; Skipped when not.
    """
    shown, totals = item.names, None
    while shown and look_inside(spot.name, spot.folder, context.control.checkpoint, sizes=False).names != shown:
        totals, shown = look_inside(spot.name, spot.folder, context.control.checkpoint, sizes=True)
        context.decider.may_take(item, totals)
    return totals
