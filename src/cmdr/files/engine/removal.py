"""Removing exactly the planned file, and nothing that took its name in the meantime."""

import contextlib
import errno

from cmdr.files.engine.landing import Spot, place
from cmdr.files.engine.syscalls import Syscalls
from cmdr.files.engine.trouble import Drifted
from cmdr.model.plans.plan import Fingerprint, Kind


def remove_exactly(syscalls: Syscalls, spot: Spot, expected: Fingerprint, parked: Spot) -> None:
    """Remove a file, a link or an empty folder.

    The name is first changed to one that only we know, then looked at, then removed: a file that another program
    put there at the last moment is given its name back.
    """
    if not expected.matches(spot.found):
        raise Drifted("it has changed since the plan, so it was kept")
    if expected.kind is Kind.FOLDER:
        _remove_folder(syscalls, spot)
        return
    # Not waited for in between: at worst an outage finishes what was wanted.
    place(syscalls, spot, parked, expected.kind, is_copy=True)
    if not expected.matches(parked.found):
        put_back(syscalls, parked, spot, expected.kind)
        raise Drifted("it was exchanged for something else at the last moment, which was kept")
    try:
        syscalls.unlink(parked.name, parked.folder)
    except OSError:
        put_back(syscalls, parked, spot, expected.kind)
        raise


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
