"""What a folder holds that goes somewhere as a whole: counted, and all its names in one digest.

The digest is taken when a plan is made and again before the one rename, so that what came meanwhile is not taken along
unseen. It is of names, not of contents: a file that is written to meanwhile is still the file that was shown.
"""

import hashlib
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from cmdr.files.engine.syscalls import FOLDER_FLAGS
from cmdr.model.plans.plan import Totals


class Inside(NamedTuple):
    """What a folder holds, itself included."""

    totals: Totals
    names: str
    """The digest of all names."""


def digest_of(entries: Iterable[tuple[bytes, str]]) -> str:
    """The digest of a folder: of its names, and for the folders among them of theirs."""
    state = hashlib.blake2b(digest_size=16)
    for name, below in sorted(entries):
        state.update(b"%b\0%b\0" % (name, below.encode()))
    return state.hexdigest()


def look_inside(name: bytes, folder: int, check: Callable[[], None], *, sizes: bool) -> Inside:
    """All that a folder in an open one holds now; without sizes not a single file is looked at, only names."""
    here = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    try:
        return _look(here, check, sizes)
    finally:
        os.close(here)


def _look(here: int, check: Callable[[], None], sizes: bool) -> Inside:
    files, size, folders = 0, 0, []
    digests: list[tuple[bytes, str]] = []
    with os.scandir(here) as entries:
        for entry in entries:
            name = os.fsencode(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
                continue
            files += 1
            digests.append((name, ""))
            size += entry.stat(follow_symlinks=False).st_size if sizes else 0
    totals = Totals(files, 1, size)
    for name in folders:
        check()
        below = look_inside(name, here, check, sizes=sizes)
        totals += below.totals
        digests.append((name, below.names))
    return Inside(totals, digest_of(digests))
