"""A file or folder gets other permissions, another owner or another time; its name and contents stay.

Attributes are set through a handle to the very file, never by its path.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from cmdr.engine.errors import ITEM_ERRORS, Damaged, Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.journal.records import ItemRecord, OperationRecord
from cmdr.engine.steps.step import CHANGED, NOT_DONE, Step, StepResult, UndoPhase, source_of
from cmdr.model.plans.attributes import AttributeChange
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.resume import ResumePlan, SoFar
    from cmdr.engine.run.undo import Continuations, UndoPlan
    from cmdr.engine.steps.run_context import RunContext

import stat

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.plans.attributes import Attributes, is_same_time
from cmdr.model.plans.file_mode import SET_ID

_READ_OR_ENTER = 0o555


class SetAttributes(Step):
    """One change of attributes: whole, or taken back."""

    name = StepName.ATTRIBUTES

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        spot = disk.reach(item.source)
        now = None if spot is None else seen(spot)
        there = None if now is None or not has(now, change_of(item)) else fingerprint.of_stat(now)
        return there if there is not None and there.is_same_file(item.fingerprint) else None

    @classmethod
    def recover(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> None:
        """Give back what a change had begun to take; one that is complete stays."""
        spot = disk.reach(item.source)
        if spot is not None and revert_half_done(disk.syscalls, spot, item):
            disk.report.put_back.append(item.place.path)

    @classmethod
    def resume(cls, item: PlanItem, so_far: SoFar, left: ResumePlan) -> PlanItem | None:
        if so_far.state in NOT_DONE:
            return replace(item, existing=so_far.landed)
        return super().resume(item, so_far, left)

    @classmethod
    def merge(cls, later: Continuations, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        """What the last run that gave an item its attributes knows: an earlier one may not have known that it did."""
        if item.place in later.attributes_set:
            return None
        if run.plan.continues is not None and (found.state.is_done or found.landed is not None):
            later.attributes_set.add(item.place)
        return found

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        return UndoPhase.ATTRIBUTES

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        place, change = item.place, change_of(item)
        mark = found.landed or item.fingerprint
        before, after = change
        back = PlanItem(StepName.ATTRIBUTES, item.kind, place, fingerprint=mark, totals=item.totals)
        try:
            now = seen(undo.spot(place))
        except PermissionError:
            # Shut off by what is taken back before it; then it is looked at.
            undo.add(replace(back, change=AttributeChange(after, before)))
            return
        except ITEM_ERRORS:
            now = None
        # The time of a folder tells of the names in it: that some came and went since is nobody's word about it.
        is_folder = item.kind is Kind.FOLDER
        if (
            mark is None
            or now is None
            or not mark.is_same_file(fingerprint.of_stat(now))
            or not has(now, change, time=not is_folder)
        ):
            undo.leave(item, place, CHANGED)
            return
        # Its contents may be others by now: they stay, and so does their time.
        before = before if change.sets_time else before._replace(mtime_ns=now.st_mtime_ns)
        back_change = AttributeChange(after._replace(mtime_ns=now.st_mtime_ns), before)
        undo.add(replace(back, fingerprint=fingerprint.of_stat(now), change=back_change))

    def __init__(self, context: RunContext, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(context, index, item, temp)
        self._held: int | None = None
        """A handle to the file, whether or not it can be read."""
        self._opened: int | None = None
        """The same, open until the disk has its attributes."""
        self._begun = False

    @property
    def roots(self) -> list[bytes]:
        """None to be looked at together with others: a folder of this very plan may have shut one off by then."""
        return []

    @property
    def shuts(self) -> bool:
        """Whether a folder may become one that cannot be read or entered."""
        before, after = change = change_of(self.item)
        return self.item.kind is Kind.FOLDER and bool(change.sets_owner or before.mode & ~after.mode & _READ_OR_ENTER)

    def commit(self) -> StepResult:
        source, _ = source_of(self.item)
        change = change_of(self.item)
        self.context.folders.must_be_there(source.root)
        spot = self.context.spot(source)
        held = self._hold(spot)
        self._opened = reopened(self.context.syscalls, held, self.item.kind)
        self._begun = True
        give(self.context.syscalls, held, change.after, time=change.sets_time)
        found = os.fstat(held)
        if not has(found, change):
            raise Damaged("this volume does not keep these attributes")
        if self._opened is None:
            self._opened = reopened(self.context.syscalls, held, self.item.kind)
        # What nobody can open is on the disk with its folder, where file systems go that far.
        self.touched |= {spot.folder if self._opened is None else self._opened}
        self._let_go()
        return StepResult(landed=fingerprint.of_stat(found))

    def abandon(self) -> bool:
        is_clean = self._held is None or not self._begun or self._put_back(self._held)
        self._let_go()
        self.release()
        return is_clean

    def release(self) -> None:
        if self._opened is not None:
            self.context.syscalls.discard(self._opened)
            self._opened = None

    def _hold(self, spot: Spot) -> int:
        """A handle to exactly the planned file, unchanged, or as an earlier run left it."""
        _, expected = source_of(self.item)
        change, left = change_of(self.item), self.item.existing
        try:
            self._held = held = self.context.syscalls.hold(spot.name, spot.folder)
        except FileNotFoundError as problem:
            raise Drifted("it is not there any more") from problem
        found = os.fstat(held)
        # Attributes are what is compared: a stamp tells no more of them, and changes when half a change is put back.
        now = fingerprint.of_stat(found)
        is_as_planned = expected.is_like(now) and has(found, change, after=False)
        is_as_left = left is not None and left.is_like(now) and has(found, change)
        if not (is_as_planned or is_as_left):
            raise Drifted("it has changed since the plan")
        return held

    def _put_back(self, held: int) -> bool:
        change = change_of(self.item)
        try:
            give(self.context.syscalls, held, change.before, time=change.sets_time)
            if self._opened is not None:
                self.context.syscalls.sync_data(self._opened)
        except OSError:
            return False
        return True

    def _let_go(self) -> None:
        if self._held is not None:
            self.context.syscalls.discard(self._held)
            self._held = None


def change_of(item: PlanItem) -> AttributeChange:
    """What becomes of the attributes, for an item that is about them."""
    if item.change is None:
        raise ValueError("this item needs attributes")
    return item.change


def seen(spot: Spot) -> os.stat_result | None:
    """What stands there now, with its attributes."""
    try:
        return os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def has(found: os.stat_result, change: AttributeChange, *, after: bool = True, time: bool = True) -> bool:
    """Whether a file has what a change gives it, or what it had before; its time where that is part of it and asked."""
    wanted = change.after if after else change.before
    if (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) != wanted[:3]:
        return False
    return not (time and change.sets_time) or is_same_time(wanted.mtime_ns, found.st_mtime_ns)


def give(syscalls: Syscalls, held: int, wanted: Attributes, *, time: bool) -> None:
    """Give what a handle leads to other attributes: the owner first, for that may take permissions along."""
    found = os.fstat(held)
    uid = -1 if found.st_uid == wanted.uid else wanted.uid
    gid = -1 if found.st_gid == wanted.gid else wanted.gid
    if (uid, gid) != (-1, -1):
        syscalls.set_held_owner(held, uid, gid)
        found = os.fstat(held)
    if stat.S_IMODE(found.st_mode) != wanted.mode:
        syscalls.set_held_mode(held, wanted.mode)
    if time and not is_same_time(wanted.mtime_ns, found.st_mtime_ns):
        syscalls.set_held_times(held, found.st_atime_ns, wanted.mtime_ns)


def reopened(syscalls: Syscalls, held: int, kind: Kind) -> int | None:
    """What a handle leads to, open so that the disk can be waited for; None where it cannot be opened."""
    if kind is Kind.SPECIAL:
        # Opening a device can do things.
        return None
    try:
        return syscalls.reopen(held)
    except OSError:
        return None


def revert_half_done(syscalls: Syscalls, spot: Spot, item: PlanItem) -> bool:
    """Give a file what it had when a change of its attributes stopped half-way; whether it had."""
    change, now = change_of(item), seen(spot)
    if now is None or not _is_half(now, change):
        return False
    held = syscalls.hold(spot.name, spot.folder)
    try:
        found = os.fstat(held)
        if item.fingerprint is None or not item.fingerprint.is_same_file(fingerprint.of_stat(found)):
            return False
        give(syscalls, held, change.before, time=change.sets_time)
        opened = reopened(syscalls, held, item.kind)
    finally:
        syscalls.discard(held)
    try:
        syscalls.sync_folder(spot.folder if opened is None else opened)
    finally:
        if opened is not None:
            syscalls.discard(opened)
    return True


def _is_half(found: os.stat_result, change: AttributeChange) -> bool:
    """Whether some of it is as before and some as after; a change of owner takes the set-ID bits of a program."""
    before, after = change
    lost = {before.mode & ~bits for bits in (SET_ID, stat.S_ISUID, stat.S_ISGID)} if change.sets_owner else set()
    is_between = (
        stat.S_IMODE(found.st_mode) in {before.mode, after.mode, *lost}
        and found.st_uid in (before.uid, after.uid)
        and found.st_gid in (before.gid, after.gid)
        and (not change.sets_time or any(is_same_time(side.mtime_ns, found.st_mtime_ns) for side in change))
    )
    return is_between and not has(found, change) and not has(found, change, after=False)
