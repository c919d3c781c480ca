"""Who owns files, by name and by number."""

import grp
import pwd
from functools import lru_cache


@lru_cache(1024)
def user_name(uid: int) -> str:
    """A user's name, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


@lru_cache(1024)
def group_name(gid: int) -> str:
    """A group's name, or the number when none has it."""
    try:
        return grp.getgrgid(gid).gr_name
    except (KeyError, OverflowError):
        return str(gid)


def uid_of(text: str) -> int | None:
    """The number of a user, named or numbered; None when there is none."""
    try:
        return pwd.getpwnam(text).pw_uid
    except (KeyError, ValueError):
        return _number(text)


def gid_of(text: str) -> int | None:
    """The number of a group, named or numbered; None when there is none."""
    try:
        return grp.getgrnam(text).gr_gid
    except (KeyError, ValueError):
        return _number(text)


def _number(text: str) -> int | None:
    # The highest number means "leave it" to the system.
    return int(text) if text.isascii() and text.isdigit() and int(text) < 2**32 - 1 else None
