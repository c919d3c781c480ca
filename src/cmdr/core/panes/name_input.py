"""Names while they are typed: completing a path, and previewing the names a pattern gives."""

import asyncio
import os
import re
from collections.abc import Sequence

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_names import new_names
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.files.scan import names_starting_with
from cmdr.model.names import from_wire, to_wire

TIMEOUT_S = 2.0


async def complete_path(text: str, base: bytes, *, folders_only: bool = True) -> tuple[str, list[str]]:
    """The path as far as it is certain, and what it could become; a dead mount completes nothing."""
    typed = from_wire(text)
    head, slash, start = typed.rpartition(b"/")
    folder = os.path.join(base, _expanded(head + slash)) if slash else base
    try:
        found = await asyncio.wait_for(
            in_thread(names_starting_with, folder, start, folders_only=folders_only), TIMEOUT_S
        )
    except TimeoutError:
        return text, []
    if not found:
        return text, []
    sure = _common_start(found)
    return to_wire(head + slash + sure), [to_wire(name) for name in found]


def _expanded(path: bytes) -> bytes:
    return os.path.expanduser(path)


def _common_start(names: list[bytes]) -> bytes:
    first, last = min(names), max(names)
    length = next((at for at in range(len(first)) if first[at : at + 1] != last[at : at + 1]), len(first))
    return first[:length]


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
