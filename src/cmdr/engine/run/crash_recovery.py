"""Crash recovery at start-up: what was left half-way is removed, put back or finished, by what the journal knows.

Only names that the journal wrote down as ours are touched. A temporary name that holds an original is never removed:
the original goes back to its place, or to the trash.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from cmdr.engine.errors import ITEM_ERRORS
from cmdr.engine.fs.atomic_rename import Spot, place
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.names import is_temp_name
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import Slot, home_trash
from cmdr.engine.journal.records import Backup, ItemRecord, ItemState, ItemUpdate, PutBack, Recorder
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.run_context import Trashes
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem


@dataclass(slots=True)
class RecoveryReport:
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


def recover(
    recorder: Recorder, syscalls: Syscalls, *, trash_home: bytes | None = None, only: int | None = None
) -> RecoveryReport:
    """Clean up after operations that did not end by themselves; before the first new one starts, or after one alone."""
    report = RecoveryReport()
    for record in recorder.unrecovered():
        if only is not None and record.id != only:
            continue
        trashes = Trashes(syscalls, trash_home or home_trash())
        try:
            with Folders(syscalls, record.plan.roots) as folders:
                recovery = Recovery(syscalls, folders, trashes, report)
                pairs = zip(record.plan.items, record.items, strict=True)
                recorder.note(record.id, [note for pair in pairs if (note := recovery.look(*pair)) is not None])
        finally:
            trashes.close()
        if record.state is OperationState.RUNNING:
            report.interrupted.append(record.id)
            recorder.finish(record.id, OperationState.INTERRUPTED)
    return report


class Recovery:
    """Looks at the items of one operation; its steps look at the disk and mend it through this."""

    def __init__(self, syscalls: Syscalls, folders: Folders, trashes: Trashes, report: RecoveryReport) -> None:
        self.syscalls = syscalls
        self._folders = folders
        self._trashes = trashes
        self.report = report
        self._is_put_back = False
        """Whether a file of the item in hand has its name back, which changes its stamp."""

    def look(self, item: PlanItem, found: ItemRecord) -> ItemUpdate | None:
        """See to one item; what the journal should know about it now, or None when nobody can tell."""
        self._is_put_back = False
        try:
            self._folders.trim()
            if found.kept is not None:
                self._folders.add_root(found.kept.files)
                self._folders.add_root(found.kept.info)
            if found.temp is not None:
                self._see_to_temp(item, found)
            step = step_of(item)
            step.recover(item, found, self)
            note = self._judge(item, found)
            note.put_back = step.recovered(item, note.landed, self)
            if note.put_back is None and (self._is_put_back or self._is_linked(item, found)):
                note.put_back = PutBack(*self._marks(item))
            self._drop_left_note(item)
            self._drop_orphan(found.kept)
        except ITEM_ERRORS:
            self.report.unreachable.append(item.place.path)
            return None
        return note

    def _spot(self, at: Place) -> Spot:
        return Spot(*self._folders.at(at))

    def reach(self, at: Place | None) -> Spot | None:
        """A place, or None when its folder is gone: an outage can take back a new folder with all that is in it."""
        if at is None:
            return None
        # A root that cannot be opened may be a volume that is away; a folder below it that is gone, is gone.
        self._folders.open(at.root, b"")
        try:
            return self._spot(at)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def at(self, at: Place | None) -> Fingerprint | None:
        """What stands in a place now."""
        spot = self.reach(at)
        return None if spot is None else spot.found

    def _see_to_temp(self, item: PlanItem, found: ItemRecord) -> None:
        if found.temp is None or found.beside is None or not is_temp_name(found.temp):
            return
        temp = self.reach(found.beside.renamed(found.temp))
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
                self.syscalls.unlink(temp.name, temp.folder)
            self.syscalls.sync_folder(temp.folder)
            if is_gone:
                self.report.removed.append(path)
        else:
            self.rescue(temp, standing, found, path)

    def _clear_folder(self, temp: Spot, goal: Place) -> bool:
        """Remove a new folder without a name; one that an outage left without it while things are in it gets it."""
        try:
            self.syscalls.rmdir(temp.name, temp.folder)
        except OSError as problem:
            if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            place(self.syscalls, temp, self._spot(goal), Kind.FOLDER, is_copy=True)
            return False
        return True

    def _put_back(self, item: PlanItem, found: ItemRecord, temp: Spot, standing: Fingerprint, path: bytes) -> None:
        goals = [spot for at in step_of(item).homes(item) if (spot := self.reach(at)) is not None]
        if len(goals) == 2 and _are_two_names(*goals):
            # Stopped between the two links of the second step: the first name was free before it.
            self.syscalls.unlink(goals[0].name, goals[0].folder)
        self._is_put_back = True
        for goal in goals:
            there = goal.found
            if there is not None and there.is_same_file(standing):
                # Landed under its name by a second link; the temporary one is too much.
                self.syscalls.unlink(temp.name, temp.folder)
            elif there is None:
                place(self.syscalls, temp, goal, standing.kind)
            else:
                continue
            self.syscalls.sync_folder(temp.folder)
            self.syscalls.sync_folder(goal.folder)
            self.report.put_back.append(path)
            return
        self.rescue(temp, standing, found, path)

    def same_file(self, at: Place | None, mark: Fingerprint | None) -> Fingerprint | None:
        """What stands in a place now, if it is a known file, changed or not."""
        there = self.at(at)
        return there if there is not None and there.is_same_file(mark) else None

    def rescue(self, temp: Spot, standing: Fingerprint, found: ItemRecord, path: bytes) -> None:
        """Bring an original that has lost its name to the trash."""
        slot = self._slot(found.kept) if found.kept is not None else None
        if slot is None or slot.spot.found is not None:
            trash = self._trashes.beside(temp.folder)
            slot = trash.slot(trash.choose(found.beside.name if found.beside else temp.name))
        if slot.note.found is None:
            trash = self._trashes.beside(temp.folder)
            name = found.beside.name if found.beside else temp.name
            fd = slot.write_note(trash.note_for(temp.folder, name))
            try:
                self.syscalls.sync_data(fd)
            finally:
                self.syscalls.discard(fd)
        place(self.syscalls, temp, slot.spot, standing.kind)
        slot.sync()
        self.syscalls.sync_folder(temp.folder)
        self.report.rescued.append(path)

    def drop_second_name(self, old: Place | None, new: Place | None) -> None:
        """Drop the new name of a file whose rename by way of a second link stopped between the two names."""
        if old is None or new is None:
            return
        first, second = self.reach(old), self.reach(new)
        if first is not None and second is not None and _are_two_names(first, second):
            self.syscalls.unlink(second.name, second.folder)
            self.syscalls.sync_folder(second.folder)
            self._is_put_back = True
            self.report.removed.append(new.path)

    def _judge(self, item: PlanItem, found: ItemRecord) -> ItemUpdate:
        """Whether the item had been carried out after all."""
        state, landed, kept = found.state, found.landed, None
        if found.kept is not None and self._slot(found.kept).spot.found is not None:
            kept = found.kept
        if not found.state.is_settled:
            landed = step_of(item).committed(item, found, self)
            if landed is not None:
                state = step_of(item).committed_state(item)
            elif found.state is ItemState.STAGED:
                state = ItemState.PLANNED
        moved = state is ItemState.LANDED and item.remove_source and item.source is not None
        if moved and item.source is not None and self.at(item.source) is None:
            state = ItemState.SOURCE_REMOVED
        return ItemUpdate(found.index, state, found.reason, found.target, found.staged, landed, kept)

    def _marks(self, item: PlanItem) -> Iterator[Fingerprint | None]:
        """The files of an item as they look now, as far as they are the planned ones."""
        for at, mark in ((item.source, item.fingerprint), (item.target, item.existing)):
            there = None if mark is None else self.at(at)
            yield there if mark is not None and mark.is_like(there) else None

    def _is_linked(self, item: PlanItem, found: ItemRecord) -> bool:
        """Whether a file to be replaced has a second name in the trash and was not replaced: that changed its stamp."""
        existing = item.existing
        if found.kept is None or existing is None or not existing.is_same_file(self.at(item.target)):
            return False
        return existing.is_same_file(self._slot(found.kept).spot.found)

    def _slot(self, kept: Backup) -> Slot:
        return Slot(self.syscalls, self._spot(kept.place), self._spot(kept.note_place))

    def _drop_left_note(self, item: PlanItem) -> None:
        """Remove the note about a file that has left the trash."""
        if item.info is not None and item.source is not None and self.at(item.source) is None:
            note = self._spot(item.info)
            if note.found is not None:
                self.syscalls.unlink(note.name, note.folder)
                self.syscalls.sync_folder(note.folder)
                self.report.removed.append(item.info.path)

    def _drop_orphan(self, kept: Backup | None) -> None:
        """Remove a note in the trash whose file never came."""
        if kept is not None:
            slot = self._slot(kept)
            if slot.note.found is not None and slot.spot.found is None:
                slot.forget()
                self.syscalls.sync_folder(slot.note.folder)
                self.report.removed.append(kept.note_place.path)


def _are_two_names(first: Spot, second: Spot) -> bool:
    """Whether one file stands under both names; two spellings of one name, where case is ignored, do not count."""
    standing = first.found
    if standing is None or standing.kind is Kind.FOLDER or not standing.is_same_file(second.found):
        return False
    names = set(map(os.fsencode, os.listdir(second.folder)))
    return second.name in names and (first.folder != second.folder or first.name in names)
