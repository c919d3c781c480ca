"""Errors that a caller is told in one sentence, raised below the core and in it."""

import errno
import os


class CommandError(Exception):
    """The caller can mend this: `ERROR: …` with what, why and what next."""


class Unusable(Exception):
    """Something of our own cannot be used; the message says what, why and what to do."""


class WrittenByNewer(Unusable):
    """One of our own files was written by a newer cmdr; it is left untouched."""


_ADVICE = {
    errno.ENOSPC: "Make room on that disk, then try again.",
    errno.EDQUOT: "Make room, your quota is used up, then try again.",
    errno.EROFS: "Name a folder that can be written with XDG_STATE_HOME, or make this one writable.",
    errno.EACCES: "Give your user the right to it, or name another folder with XDG_STATE_HOME.",
    errno.EPERM: "Give your user the right to it, or name another folder with XDG_STATE_HOME.",
    errno.EISDIR: "A folder stands in its place: move that away, then try again.",
    errno.EEXIST: "A file stands where a folder should be: move that away, then try again.",
    errno.ENOTDIR: "A file stands where a folder should be: move that away, then try again.",
}


def unusable_text(number: int, path: str) -> str:
    """What the system says about a place of our own, and what to do, as one or two sentences."""
    return f"cmdr cannot use {path}: {os.strerror(number)}. {_ADVICE.get(number, 'Look at that disk, then try again.')}"
