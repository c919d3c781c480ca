"""What can go wrong with one item, as types, and how it is said."""

import errno
import os

from cmdr.engine.journal.records import ItemState


class Drifted(Exception):
    """Something changed since the plan; the item is left alone."""


class Skipped(Exception):
    """The item is left out on purpose."""


class Damaged(Exception):
    """A copy did not read back as it was written."""


_SAYINGS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EACCES: "permission denied",
    errno.EPERM: "this is not permitted here",
    errno.EROFS: "the volume is read-only",
    errno.EIO: "the disk reported an error",
    errno.ENOENT: "it is not there any more",
    errno.EEXIST: "the name is taken",
    errno.ENOTDIR: "a folder on the way is not a folder any more",
    errno.ELOOP: "a folder on the way has become a link",
    errno.EXDEV: "it is on another volume",
    errno.ENAMETOOLONG: "the name is too long for this volume",
    errno.ENOTEMPTY: "the folder is not empty",
    errno.EBUSY: "it is in use",
    errno.EFBIG: "the file is too large for this volume",
    errno.EMFILE: "too many files are open",
}


def error_text(problem: OSError) -> str:
    """An error of the system in plain words."""
    if problem.errno is None:
        return str(problem)
    return _SAYINGS.get(problem.errno) or os.strerror(problem.errno)


ITEM_ERRORS = (OSError, Drifted, Skipped, Damaged)
"""All that can befall one item."""


def failure_of(problem: Exception) -> tuple[ItemState, str]:
    """What an item's trouble means for it, and the reason in plain words."""
    if isinstance(problem, Drifted):
        return ItemState.DRIFTED, str(problem)
    if isinstance(problem, Skipped):
        return ItemState.SKIPPED, str(problem)
    if isinstance(problem, OSError):
        return ItemState.FAILED, error_text(problem)
    return ItemState.FAILED, str(problem)
