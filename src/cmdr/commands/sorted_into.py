"""A target that holds fields, as in `Photos/{year}/{month}`: where it begins, and what it says of each file."""

import os

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.names import printable
from cmdr.model.plans.name_fields import BadField, FolderPattern


async def sorted_into(target: bytes) -> tuple[bytes, FolderPattern | None]:
    """The folder in which the fields begin, and their pattern; none for a plain target."""
    # A folder that is there is meant as it is, braces and all.
    if (b"{" not in target and b"}" not in target) or await in_thread(os.path.lexists, target):
        return target, None
    try:
        start, pattern = FolderPattern.of(os.fsdecode(target))
    except BadField as error:
        raise CommandError(printable(str(error), 300)) from error
    return os.fsencode(start) or b"/", pattern
