"""Removing exactly the planned file, and nothing that took its name in the meantime."""

import contextlib
import errno
import os

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, place
from cmdr.engine.fs.contents import Stride, have_same_contents
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.plans.plan import Fingerprint, Kind


def remove_exactly(syscalls: Syscalls, spot: Spot, expected: Fingerprint, parked: Spot) -> os.stat_result | None:
    """Remove a file, a link or an empty folder; how it looks now where it has other names, else None.

    The name is first changed to one that only we know, then looked at, then removed: a file that another program
    put there at the last moment is given its name back.
    """
    if not expected.matches(spot.found):
        raise Drifted("it has changed since the plan, so it was kept")
    if expected.kind is Kind.FOLDER:
        _remove_folder(syscalls, spot)
        return None
    # Not waited for in between: at worst an outage finishes what was wanted.
    place(syscalls, spot, parked, expected.kind, is_copy=True)
    found = parked.look()
    if found is None or not expected.is_like(fingerprint.of_stat(found)):
        put_back(syscalls, parked, spot, expected.kind)
        raise Drifted("it was exchanged for something else at the last moment, which was kept")
    held = None
    try:
        held = syscalls.hold(parked.name, parked.folder) if found.st_nlink > 1 else None
        syscalls.unlink(parked.name, parked.folder)
        return None if held is None else os.fstat(held)
    except OSError:
        put_back(syscalls, parked, spot, expected.kind)
        raise
    finally:
        if held is not None:
            syscalls.discard(held)


def verified_by_copy(
    syscalls: Syscalls, spot: Spot, expected: Fingerprint, copy: Spot, existing: Fingerprint, stride: Stride
) -> Fingerprint:
    """The file that may go because there is a copy: both as they are known, or else both of the very same contents.

    Drifted when it must stay. How it looks now is what the caller removes exactly.
    """
    found, there = spot.found, copy.found
    if not existing.is_like(there):
        raise Drifted("its other copy is gone or has changed, so this one was kept")
    if not expected.is_like(found) or found is None:
        raise Drifted("it has changed since the plan, so it was kept")
    if expected.matches(found) and existing.matches(there):
        return expected
    # Linked, renamed or given other attributes meanwhile, or else written to by somebody who put its time back.
    if not _are_same(syscalls, spot, copy, found.kind, stride):
        raise Drifted("it has changed since the plan, so it was kept")
    return found


def _are_same(syscalls: Syscalls, first: Spot, second: Spot, kind: Kind, stride: Stride) -> bool:
    if kind is Kind.LINK:
        texts = {os.readlink(spot.name, dir_fd=spot.folder) for spot in (first, second)}
        return len(texts) == 1
    one = syscalls.open(first.name, first.folder)
    try:
        other = syscalls.open(second.name, second.folder)
        try:
            return have_same_contents(syscalls, one, other, stride)
        finally:
            syscalls.discard(other)
    finally:
        syscalls.discard(one)


def put_back(syscalls: Syscalls, parked: Spot, spot: Spot, kind: Kind) -> None:
    """Give a parked file its name back; when that is taken again, it stays parked and the next start sees to it."""
    with contextlib.suppress(OSError):
        place(syscalls, parked, spot, kind)


def _remove_folder(syscalls: Syscalls, spot: Spot) -> None:
    try:
        syscalls.rmdir(spot.name, spot.folder)
    except OSError as problem:
        if problem.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise Drifted("the folder is not empty, so it was kept") from problem
        raise
