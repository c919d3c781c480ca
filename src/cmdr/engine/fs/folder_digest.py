"""What a folder holds that goes somewhere as a whole: counted, and all its names in one digest.

The digest is taken when a plan is made and again before the one rename, so that what came meanwhile is not taken along
unseen. It is of names, not of contents: a file that is written to meanwhile is still the file that was shown.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from cmdr.engine.errors import Drifted
from cmdr.engine.fs.syscalls import FOLDER_FLAGS
from cmdr.model.plans.plan import Totals

MAX_DEPTH = 256
"""Folders inside each other; each is held open while it is looked through."""


class Inside(NamedTuple):
    """What a folder holds, itself included."""

    totals: Totals
    names: str
    """The digest of all names."""


def digest_of(names: Iterable[bytes], folders: Mapping[bytes, str]) -> str:
    """The digest of a folder: of all its names, and of the digests of the folders among them."""
    state = hashlib.blake2b(b"\0".join(sorted(names)), digest_size=16)
    for name in sorted(folders):
        state.update(b"\0\0%b\0%b" % (name, folders[name].encode()))
    return state.hexdigest()


def look_inside(name: bytes, folder: int, check: Callable[[], None], *, sizes: bool, depth: int = 1) -> Inside:
    """All that a folder in an open one holds now; without sizes not a single file is looked at, only names."""
    if depth > MAX_DEPTH:
        raise Drifted("it holds more folders inside each other than any plan has")
    here = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    try:
        return _look(here, check, sizes, depth)
    finally:
        os.close(here)


def _look(here: int, check: Callable[[], None], sizes: bool, depth: int) -> Inside:
    with os.scandir(here) as entries:
        found = list(entries)
    # All names at once, because there may be very many; none holds a zero byte.
    names = os.fsencode("\0".join([entry.name for entry in found])).split(b"\0") if found else []
    below = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
    size = sum(_size(entry) for entry in found) if sizes else 0
    totals, folders = Totals(len(found) - len(below), 1, size), {}
    for name in map(os.fsencode, below):
        check()
        inside = look_inside(name, here, check, sizes=sizes, depth=depth + 1)
        totals += inside.totals
        folders[name] = inside.names
    return Inside(totals, digest_of(names, folders))


def _size(entry: "os.DirEntry[str]") -> int:
    return 0 if entry.is_dir(follow_symlinks=False) else entry.stat(follow_symlinks=False).st_size
