"""New names by pattern, for a table that shows them before anything happens."""

import re
from collections.abc import Sequence

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.engine.refusals import PlanRefused
from cmdr.files.new_names import new_names


async def preview_names(names: Sequence[bytes], match: str, replace: str, *, regex: bool) -> list[bytes]:
    """The names a pattern would give; the same engine that renames by pattern for everybody."""
    if not match:
        return list(names)
    if not regex:
        match, replace = re.escape(match), replace.replace("$", "$$")
    try:
        return await in_thread(new_names, names, match, replace)
    except PlanRefused as error:
        raise CommandError(str(error)) from error
