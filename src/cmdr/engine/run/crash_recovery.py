"""The look around at start-up: what a crash left half-way is removed, put back or finished, by what the journal knows.

Only names that the journal wrote down as ours are touched. A temporary name that holds an original is never removed:
the original goes back to its place, or to the trash.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from cmdr.engine.errors import TROUBLE
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, place
from cmdr.engine.fs.attributes import change_of, has, put_back_half, seen
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.names import is_temp_name
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import Slot
from cmdr.engine.fs.trash_site import home_trash
from cmdr.engine.journal.records import ItemRecord, ItemState, Kept, Note, PutBack, Recorder
from cmdr.engine.steps.bench import Trashes
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Step


@dataclass(slots=True)
class SweepReport:
    """What was found."""

    removed: list[bytes] = field(default_factory=list)
    """Temporaries of ours that are gone now."""
    put_back: list[bytes] = field(default_factory=list)
    """Originals that have their names again."""
    rescued: list[bytes] = field(default_factory=list)
    """Displaced originals that are in the trash now."""
    unreachable: list[bytes] = field(default_factory=list)
    """Places that could not be looked at; the next start tries again."""
    interrupted: list[int] = field(default_factory=list)
    """Operations that ended in the middle."""


def sweep(
    recorder: Recorder, syscalls: Syscalls, *, trash_home: bytes | None = None, only: int | None = None
) -> SweepReport:
    """Clean up after operations that did not end by themselves; before the first new one starts, or after one alone."""
    report = SweepReport()
    for record in recorder.unswept():
        if only is not None and record.id != only:
            continue
        trashes = Trashes(syscalls, trash_home or home_trash())
        try:
            with Folders(syscalls, record.plan.roots) as folders:
                broom = _Broom(syscalls, folders, trashes, report)
                pairs = zip(record.plan.items, record.items, strict=True)
                recorder.note(record.id, [note for pair in pairs if (note := broom.look(*pair)) is not None])
        finally:
            trashes.close()
        if record.state is OperationState.RUNNING:
            report.interrupted.append(record.id)
            recorder.finish(record.id, OperationState.INTERRUPTED)
    return report


class _Broom:
    """Looks at the items of one operation."""

    def __init__(self, syscalls: Syscalls, folders: Folders, trashes: Trashes, report: SweepReport) -> None:
        self._syscalls = syscalls
        self._folders = folders
        self._trashes = trashes
        self._report = report
        self._is_put_back = False
        """Whether a file of the item in hand has its name back, which changes its stamp."""

    def look(self, item: PlanItem, found: ItemRecord) -> Note | None:
        """See to one item; what the journal should know about it now, or None when nobody can tell."""
        self._is_put_back = False
        try:
            self._folders.trim()
            if found.kept is not None:
                self._folders.add_root(found.kept.files)
                self._folders.add_root(found.kept.info)
            if found.temp is not None:
                self._see_to_temp(item, found)
            if item.step is Step.RENAME:
                self._finish_displacement(item, found)
            if item.step in (Step.RENAME, Step.TRASH):
                self._drop_second_name(item, found)
            if item.step is Step.ATTRIBUTES:
                self._undress(item)
            note = self._judge(item, found)
            if item.step is Step.SWAP and note.landed is not None:
                note.put_back = PutBack(None, self._traded(item))
            elif self._is_put_back or self._is_linked(item, found):
                note.put_back = PutBack(*self._marks(item))
            self._drop_left_note(item)
            self._drop_orphan(found.kept)
        except TROUBLE:
            self._report.unreachable.append(item.place.path)
            return None
        return note

    def _spot(self, at: Place) -> Spot:
        return Spot(*self._folders.at(at))

    def _reached(self, at: Place | None) -> Spot | None:
        """A place, or None when its folder is gone: an outage can take back a new folder with all that is in it."""
        if at is None:
            return None
        # A root that cannot be opened may be a volume that is away; a folder below it that is gone, is gone.
        self._folders.open(at.root, b"")
        try:
            return self._spot(at)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _standing(self, at: Place | None) -> Fingerprint | None:
        spot = self._reached(at)
        return None if spot is None else spot.found

    def _see_to_temp(self, item: PlanItem, found: ItemRecord) -> None:
        if found.temp is None or found.beside is None or not is_temp_name(found.temp):
            return
        temp = self._reached(found.beside.renamed(found.temp))
        standing = None if temp is None else temp.found
        if temp is None or standing is None:
            return
        path = found.beside.renamed(found.temp).path
        if found.parks:
            self._put_back(item, found, temp, standing, path)
        elif found.staged is None or standing.is_same_file(found.staged):
            if standing.kind is Kind.FOLDER:
                is_gone = self._clear_folder(temp, found.beside)
            else:
                is_gone = True
                self._syscalls.unlink(temp.name, temp.folder)
            self._syscalls.sync_folder(temp.folder)
            if is_gone:
                self._report.removed.append(path)
        else:
            self._rescue(temp, standing, found, path)

    def _clear_folder(self, temp: Spot, goal: Place) -> bool:
        """Remove a new folder without a name; one that an outage left without it while things are in it gets it."""
        try:
            self._syscalls.rmdir(temp.name, temp.folder)
        except OSError as problem:
            if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            place(self._syscalls, temp, self._spot(goal), Kind.FOLDER, is_copy=True)
            return False
        return True

    def _put_back(self, item: PlanItem, found: ItemRecord, temp: Spot, standing: Fingerprint, path: bytes) -> None:
        goals = [
            spot
            for at in (item.source, item.target if item.step is Step.SWAP else None)
            if (spot := self._reached(at)) is not None
        ]
        if item.step is Step.SWAP and len(goals) == 2 and _are_two_names(*goals):
            # Stopped between the two links of the second step: the first name was free before it.
            self._syscalls.unlink(goals[0].name, goals[0].folder)
        self._is_put_back = True
        for goal in goals:
            there = goal.found
            if there is not None and there.is_same_file(standing):
                # Landed under its name by a second link; the temporary one is too much.
                self._syscalls.unlink(temp.name, temp.folder)
            elif there is None:
                place(self._syscalls, temp, goal, standing.kind)
            else:
                continue
            self._syscalls.sync_folder(temp.folder)
            self._syscalls.sync_folder(goal.folder)
            self._report.put_back.append(path)
            return
        self._rescue(temp, standing, found, path)

    def _rescue(self, temp: Spot, standing: Fingerprint, found: ItemRecord, path: bytes) -> None:
        slot = self._slot(found.kept) if found.kept is not None else None
        if slot is None or slot.spot.found is not None:
            trash = self._trashes.beside(temp.folder)
            slot = trash.slot(trash.choose(found.beside.name if found.beside else temp.name))
        if slot.note.found is None:
            trash = self._trashes.beside(temp.folder)
            name = found.beside.name if found.beside else temp.name
            fd = slot.write_note(trash.note_for(temp.folder, name))
            try:
                self._syscalls.sync_data(fd)
            finally:
                self._syscalls.discard(fd)
        place(self._syscalls, temp, slot.spot, standing.kind)
        slot.sync()
        self._syscalls.sync_folder(temp.folder)
        self._report.rescued.append(path)

    def _finish_displacement(self, item: PlanItem, found: ItemRecord) -> None:
        """A rename that replaced by exchange and then stopped: the displaced file stands under the source's name."""
        if item.source is None or item.fingerprint is None or item.existing is None or found.kept is None:
            return
        source, target = self._reached(item.source), self._reached(found.target or item.target or item.source)
        standing = None if source is None else source.found
        if (
            source is not None
            and target is not None
            and standing is not None
            and item.existing.is_same_file(standing)
            and item.fingerprint.is_same_file(target.found)
        ):
            self._rescue(source, standing, found, item.source.path)

    def _drop_second_name(self, item: PlanItem, found: ItemRecord) -> None:
        """A rename by way of a second link that stopped between the two names: the new one is too much."""
        goal = found.kept.place if item.step is Step.TRASH and found.kept is not None else found.target or item.target
        if item.source is None or goal is None or item.kind is Kind.FOLDER:
            return
        old, new = self._reached(item.source), self._reached(goal)
        if old is not None and new is not None and _are_two_names(old, new):
            self._syscalls.unlink(new.name, new.folder)
            self._syscalls.sync_folder(new.folder)
            self._is_put_back = True
            self._report.removed.append(goal.path)

    def _undress(self, item: PlanItem) -> None:
        """Give back what a change of attributes had begun to take; one that is complete stays."""
        spot = self._reached(item.source)
        if spot is not None and put_back_half(self._syscalls, spot, item):
            self._report.put_back.append(item.place.path)

    def _judge(self, item: PlanItem, found: ItemRecord) -> Note:
        """Whether the item had been carried out after all."""
        state, landed, kept = found.state, found.landed, None
        if found.kept is not None and self._slot(found.kept).spot.found is not None:
            kept = found.kept
        if not found.state.is_settled:
            landed = self._landed(item, found)
            if landed is not None:
                # A new folder is finished only with its attributes; resuming gives it those.
                is_folder = item.step is Step.MAKE and item.source is not None
                state = ItemState.STAGED if is_folder else ItemState.LANDED
            elif found.state is ItemState.STAGED:
                state = ItemState.PLANNED
        moved = state is ItemState.LANDED and item.remove_source and item.source is not None
        if moved and item.source is not None and self._is_gone(item.source):
            state = ItemState.SOURCE_REMOVED
        return Note(found.index, state, found.reason, found.target, found.staged, landed, kept)

    def _landed(self, item: PlanItem, found: ItemRecord) -> Fingerprint | None:
        target = found.target or item.target
        match item.step:
            case Step.TRASH:
                if found.kept is None:
                    # Handed to the Finder: gone from its place means that it was taken.
                    return item.fingerprint if item.source is not None and self._is_gone(item.source) else None
                there = self._slot(found.kept).spot.found
                return there if there is not None and there.is_same_file(item.fingerprint) else None
            case Step.REMOVE:
                return item.fingerprint if item.source is not None and self._is_gone(item.source) else None
            case Step.ATTRIBUTES:
                spot = self._reached(item.source)
                now = None if spot is None else seen(spot)
                there = None if now is None or not has(now, change_of(item)) else fingerprint.of_stat(now)
                return there if there is not None and there.is_same_file(item.fingerprint) else None
            case Step.RENAME | Step.SWAP:
                there = self._standing(target)
                return there if there is not None and there.is_same_file(item.fingerprint) else None
            case _:
                there = self._standing(target)
                if there is None or found.staged is None or not found.staged.is_like(there):
                    return None
                # How it looked when it got its name was never written down.
                return there if there.kind is Kind.FOLDER else there._replace(stamp_ns=None)

    def _marks(self, item: PlanItem) -> Iterator[Fingerprint | None]:
        """The files of an item as they look now, as far as they are the planned ones."""
        for at, mark in ((item.source, item.fingerprint), (item.target, item.existing)):
            there = None if mark is None else self._standing(at)
            yield there if mark is not None and mark.is_like(there) else None

    def _traded(self, item: PlanItem) -> Fingerprint | None:
        """The other file of a swap that took place, as it looks now; it has the first one's name."""
        there = self._standing(item.source)
        return there if item.existing is not None and item.existing.is_like(there) else None

    def _is_linked(self, item: PlanItem, found: ItemRecord) -> bool:
        """Whether a file to be replaced has a second name in the trash and was not replaced: that changed its stamp."""
        existing = item.existing
        if found.kept is None or existing is None or not existing.is_same_file(self._standing(item.target)):
            return False
        return existing.is_same_file(self._slot(found.kept).spot.found)

    def _is_gone(self, at: Place) -> bool:
        return self._standing(at) is None

    def _slot(self, kept: Kept) -> Slot:
        return Slot(self._syscalls, self._spot(kept.place), self._spot(kept.note_place))

    def _drop_left_note(self, item: PlanItem) -> None:
        """Remove the note about a file that has left the trash."""
        if item.info is not None and item.source is not None and self._is_gone(item.source):
            note = self._spot(item.info)
            if note.found is not None:
                self._syscalls.unlink(note.name, note.folder)
                self._syscalls.sync_folder(note.folder)
                self._report.removed.append(item.info.path)

    def _drop_orphan(self, kept: Kept | None) -> None:
        """Remove a note in the trash whose file never came."""
        if kept is not None:
            slot = self._slot(kept)
            if slot.note.found is not None and slot.spot.found is None:
                slot.forget()
                self._syscalls.sync_folder(slot.note.folder)
                self._report.removed.append(kept.note_place.path)


def _are_two_names(first: Spot, second: Spot) -> bool:
    """Whether one file stands under both names; two spellings of one name, where case is ignored, do not count."""
    standing = first.found
    if standing is None or standing.kind is Kind.FOLDER or not standing.is_same_file(second.found):
        return False
    names = set(map(os.fsencode, os.listdir(second.folder)))
    return second.name in names and (first.folder != second.folder or first.name in names)
