"""Giving a file or folder other attributes, or those it had: through a handle to the very file, never by its path."""

import os
import stat

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.plans.attributes import AttributeChange, Attributes, is_same_time
from cmdr.model.plans.file_mode import SET_ID
from cmdr.model.plans.plan import Kind, PlanItem


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


def has(found: os.stat_result, change: AttributeChange, *, after: bool = True) -> bool:
    """Whether a file has what a change gives it, or what it had before; its time where that is part of it."""
    wanted = change.after if after else change.before
    if (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) != wanted[:3]:
        return False
    return not change.sets_time or is_same_time(wanted.mtime_ns, found.st_mtime_ns)


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


def put_back_half(syscalls: Syscalls, spot: Spot, item: PlanItem) -> bool:
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
