"""What the chosen files have in common, for the window that changes it."""

import asyncio
import stat
from dataclasses import dataclass

from cmdr.core.panes.folder_reading import PATIENCE
from cmdr.core.threads import in_thread
from cmdr.files.file_stat import stat_entries
from cmdr.model.panes.chosen import Chosen
from cmdr.model.plans.file_mode import ALL

MOST = 10_000
"""Of more files than these nobody waits for each; their permissions count as different."""


@dataclass(frozen=True, slots=True)
class InCommon:
    """Permissions that every one has and that any has, and the time if it is one."""

    every: int = 0
    some: int = ALL
    modified_ns: int | None = None


async def in_common(chosen: Chosen) -> InCommon:
    """Looked up in a thread; nothing is known of very many, or where the disk does not answer."""
    if chosen.count > MOST:
        return InCommon()
    try:
        return await asyncio.wait_for(in_thread(_look, chosen), PATIENCE)
    except TimeoutError:
        return InCommon()


def _look(chosen: Chosen) -> InCommon:
    facts = [fact for fact in stat_entries(chosen.folder, chosen.names()) if fact and not stat.S_ISLNK(fact.mode)]
    if not facts:
        return InCommon()
    every, some = ALL, 0
    for fact in facts:
        every, some = every & fact.mode, some | (fact.mode & ALL)
    times = {fact.modified_ns for fact in facts}
    return InCommon(every, some, times.pop() if len(times) == 1 else None)
