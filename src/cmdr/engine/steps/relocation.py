"""Relocations: what already exists gets another name, swaps names, goes to the trash or goes away."""

import dataclasses
import os

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, move_exactly, place, replace, swap
from cmdr.engine.fs.folder_digest import look_inside
from cmdr.engine.fs.names import folded
from cmdr.engine.fs.removal import put_back, remove_exactly, vouched_for
from cmdr.engine.fs.trash import Slot
from cmdr.engine.journal.records import Intent, Kept, PutBack
from cmdr.engine.steps.bench import Landed, Work, Workbench
from cmdr.engine.steps.newcomer import Newcomer
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Totals


def source_of(item: PlanItem) -> tuple[Place, Fingerprint]:
    """The source of an item that must have one, as it was planned."""
    if item.source is None or item.fingerprint is None:
        raise ValueError("this item needs a source")
    return item.source, item.fingerprint


def taken_along(bench: Workbench, item: PlanItem, spot: Spot) -> Totals | None:
    """Look once more into a folder before it goes as a whole: how much it holds, when that is not what was shown.

    What came after the plan goes along only if the person says so; Skipped when not.
    """
    shown, totals = item.names, None
    while shown and look_inside(spot.name, spot.folder, bench.control.checkpoint, sizes=False).names != shown:
        totals, shown = look_inside(spot.name, spot.folder, bench.control.checkpoint, sizes=True)
        bench.decider.may_take(item, totals)
    return totals


class Renamed(Newcomer):
    """A file or a whole folder gets another name on its volume."""

    lands_alone = True

    def intent(self) -> Intent:
        return dataclasses.replace(super().intent(), beside=self.item.source, parks=True)

    def land(self) -> Landed:
        place_, planned = source_of(self.item)
        source = self.bench.spot(place_)
        totals = None
        while True:
            expected = self.bench.by_now(planned)
            if not expected.matches(source.found):
                raise Drifted("it has changed since the plan")
            if self._is_respelling(source):
                self.is_begun = True
                moved = self._respell(source, self.bench.spot(self.target), expected)
                break
            target = self.settle_target()
            self.sync_note()
            totals = taken_along(self.bench, self.item, source)
            try:
                self.is_begun = True
                moved = self._move(source, target, expected)
            except FileExistsError:
                continue
            break
        self.bench.changed(moved)
        clean = self.release_slot() if self.replacing is None else True
        target = self.bench.spot(self.target)
        self.touched |= {source.folder, target.folder}
        kept = self.kept if self.replacing else None
        landed = fingerprint.of_found(moved, target.name, target.folder)
        return Landed(target=self.target, landed=landed, kept=kept, is_clean=clean, totals=totals)

    def tidy(self) -> bool:
        """Remove the trash's note about a file that has left the trash."""
        if self.item.info is None:
            return True
        try:
            note = self.bench.spot(self.item.info)
            if note.found is not None:
                self.bench.syscalls.unlink(note.name, note.folder)
                self.tidied |= {note.folder}
        except (OSError, Drifted):
            return False
        return True

    def abandon(self) -> bool:
        self.drop_note()
        return self.release_slot()

    def _move(self, source: Spot, target: Spot, expected: Fingerprint) -> os.stat_result:
        if self.replacing is None or self.slot is None:
            return move_exactly(self.bench.syscalls, source, target, expected)
        replace(self.bench.syscalls, source, target, self.replacing, self.slot)
        self.bench.changed(self.slot.spot.look())
        self.touched |= {self.slot.spot.folder, self.slot.note.folder}
        landed = target.look()
        if landed is None or not expected.is_like(fingerprint.of_stat(landed)):
            raise Drifted("another program took the name right after the file had landed")
        return landed

    def _is_respelling(self, source: Spot) -> bool:
        """Whether only the spelling changes, on a file system for which both spellings are one name."""
        target = self.bench.spot(self.target)
        if target.folder != source.folder or folded(target.name) != folded(source.name):
            return False
        found = target.found
        return found is not None and found.is_same_file(source.found) and not _has_both(source, target)

    def _respell(self, source: Spot, target: Spot, expected: Fingerprint) -> os.stat_result:
        parked = Spot(source.folder, self.temp)
        moved = move_exactly(self.bench.syscalls, source, parked, expected)
        try:
            place(self.bench.syscalls, parked, target, expected.kind)
        except OSError:
            put_back(self.bench.syscalls, parked, source, expected.kind)
            raise
        return target.look() or moved


class Swapped(Work):
    """Two names exchange what they stand for."""

    lands_alone = True

    def intent(self) -> Intent:
        return Intent(self.index, self.temp, self.item.source, parks=True)

    def land(self) -> Landed:
        first, expected = source_of(self.item)
        second, existing = self.item.target, self.item.existing
        if second is None or existing is None:
            raise ValueError("a swap needs two files")
        source, target = self.bench.spot(first), self.bench.spot(second)
        expected, existing = self.bench.by_now(expected), self.bench.by_now(existing)
        if not (expected.matches(source.found) and existing.matches(target.found)):
            raise Drifted("one of the two has changed since the plan")
        parked = Spot(source.folder, self.temp)
        self.is_begun = True
        swap(self.bench.syscalls, source, target, parked, expected.kind, existing.kind)
        landed = target.found
        if landed is None or not (expected.is_like(landed) and existing.is_like(source.found)):
            swap(self.bench.syscalls, source, target, parked, expected.kind, existing.kind)
            raise Drifted("one of the two was exchanged for something else at the last moment")
        # In a ring of names each trades places several times.
        for spot in (source, target):
            self.bench.changed(spot.look(), again=True)
        self.touched |= {source.folder, target.folder}
        # The other one got a name too, and a later step of the ring, or of its resumption, knows it by its new stamp.
        return Landed(target=second, landed=landed, put_back=PutBack(None, source.found))

    def abandon(self) -> bool:
        first, _ = source_of(self.item)
        return _is_free(self.bench, first, self.temp)


class Trashed(Work):
    """A file or a whole folder goes to the trash of its volume."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        self._slot: Slot | None = None
        """Chosen with the intent."""
        self._kept: Kept | None = None
        self._note = b""

    def intent(self) -> Intent:
        spot = self.bench.spot(source_of(self.item)[0])
        trash = self.bench.trashes.beside(spot.folder)
        self._kept = trash.choose(spot.name)
        self._slot = trash.slot(self._kept)
        self._note = trash.note_for(spot.folder, spot.name)
        return Intent(self.index, self.temp, self.item.source, self._kept)

    def stage(self) -> None:
        source, expected = source_of(self.item)
        if not self.bench.by_now(expected).matches(self.bench.spot(source).found):
            raise Drifted("it has changed since the plan")
        self.fd = self.slot.write_note(self._note)
        self.announced |= {self.slot.note.folder}

    def land(self) -> Landed:
        self.close()
        source, expected = source_of(self.item)
        spot, slot = self.bench.spot(source), self.slot
        totals = taken_along(self.bench, self.item, spot)
        self.is_begun = True
        moved = move_exactly(self.bench.syscalls, spot, slot.spot, self.bench.by_now(expected))
        self.bench.changed(moved)
        self.touched |= {spot.folder, slot.spot.folder, slot.note.folder}
        landed = fingerprint.of_found(moved, slot.spot.name, slot.spot.folder)
        return Landed(landed=landed, kept=self._kept, totals=totals)

    def abandon(self) -> bool:
        if self.fd is not None:
            fd, self.fd = self.fd, None
            self.bench.syscalls.discard(fd)
        try:
            self.slot.forget()
        except OSError:
            return False
        return True

    @property
    def slot(self) -> Slot:
        """The room in the trash."""
        if self._slot is None:
            raise ValueError("the intent comes first")
        return self._slot


class Removed(Work):
    """A file, a link or an empty folder goes away; with a witness, only while the witness is still there."""

    lands_alone = True

    def land(self) -> Landed:
        source, expected = source_of(self.item)
        bench, spot = self.bench, self.bench.spot(source)
        expected = bench.by_now(expected)
        if self.item.target is not None and self.item.existing is not None:
            copy, existing = bench.spot(self.item.target), bench.by_now(self.item.existing)
            if self.item.member is not None and not existing.matches(copy.found):
                raise Drifted("its archive is gone or has changed, so this was kept")
            if self.item.member is None and expected.kind is not Kind.FOLDER:
                expected = vouched_for(bench.syscalls, spot, expected, copy, existing, bench.stride)
        self.is_begun = True
        other_names = remove_exactly(bench.syscalls, spot, expected, Spot(spot.folder, self.temp))
        bench.changed(other_names, again=True)
        self.touched |= {spot.folder}
        return Landed(landed=None if other_names is None else fingerprint.of_stat(other_names))

    def intent(self) -> Intent:
        source, expected = source_of(self.item)
        traits = self.bench.traits(source, expected) if expected.kind is Kind.FOLDER else None
        return Intent(self.index, self.temp, self.item.source, parks=True, traits=traits)

    def abandon(self) -> bool:
        return _is_free(self.bench, source_of(self.item)[0], self.temp)


def _has_both(source: Spot, target: Spot) -> bool:
    """Whether both spellings stand in the folder as names of their own."""
    names = set(map(os.fsencode, os.listdir(source.folder)))
    return source.name in names and target.name in names


def _is_free(bench: Workbench, place: Place, temp: bytes) -> bool:
    try:
        return fingerprint.of_name(temp, bench.folders.open(place.root, place.folder)) is None
    except (OSError, Drifted):
        return False
