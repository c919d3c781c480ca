"""New names by pattern, for a table that shows them before anything happens."""

import os
import re
from collections.abc import Sequence

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_names import new_names
from cmdr.engine.plan.refusals import PlanRefused


async def preview_names(folder: bytes, names: Sequence[bytes], match: str, replace: str, *, regex: bool) -> list[bytes]:
    """The names a pattern would give in a folder; the same engine that renames by pattern for everybody."""
    if not match:
        return list(names)
    if not regex:
        match, replace = re.escape(match), replace.replace("\\", r"\\").replace("$", "$$")
    try:
        return await in_thread(new_names, [os.path.join(folder, name) for name in names], match, replace)
    except PlanRefused as error:
        raise CommandError(str(error)) from error
