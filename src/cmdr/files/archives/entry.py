"""One name in an archive, as its list tells of it."""

from typing import NamedTuple

from cmdr.model.plans.member import Member
from cmdr.model.plans.plan_item import Kind

LONGEST_NAME = 4096
"""No system takes a longer way; what is longer is not even looked at."""
LONGEST_LINK = 4095
LATEST = 253_402_300_799 * 10**9
"""The last second of the year 9999: no archive needs a later one."""


class BadArchive(Exception):
    """An archive, or a member of it, that is not what it should be; the text says what is wrong with it."""


class Entry(NamedTuple):
    """A member, and what it would become."""

    kind: Kind
    member: Member
    mode: int | None = None
    """Leave to read, write and run, where the archive tells it."""
    twin: bytes | None = None
    """The name of the member that this is a second name of."""
    wrong: str = ""
    """Why it cannot be unpacked, whatever its name."""


def moment(nanoseconds: int) -> int:
    """A time that any file system can be asked to keep."""
    return max(0, min(nanoseconds, LATEST))
