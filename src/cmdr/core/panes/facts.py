"""Facts about entries: of the rows in view while the disk answers soon, and of any single entry."""

import asyncio
import os
import stat
from dataclasses import dataclass

from cmdr.core.panes.folder_reader import PATIENCE, NoAnswer
from cmdr.core.threads import in_thread
from cmdr.files.file_stat import check_exists, link_target, stat_entries
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.tab import Chosen, Tab
from cmdr.model.plans.file_mode import ALL
from cmdr.model.units import exact_size, mode_text, moment

GLANCE = 2.0
"""Seconds that facts of shown rows may take; rows are told without them rather than late."""


class RowFacts:
    """Looks at entries in threads; on a disk that hangs, one thread for each folder and no more."""

    def __init__(self) -> None:
        self._glances: dict[bytes, asyncio.Task[list[Facts | None]]] = {}

    async def look_up(self, tab: Tab, start: int, stop: int) -> None:
        """Make the facts of some positions known, if the disk answers soon."""
        listing, path = tab.listing, tab.path
        rows = [row for row in listing.order[start:stop] if row not in listing.looked_up]
        if not rows:
            return
        glance = self._glances.get(path)
        if glance is not None:
            # An earlier glance still hangs; another would only hang beside it.
            await asyncio.wait({glance}, timeout=GLANCE)
            return
        names = [listing.columns.name(row) for row in rows]
        glance = asyncio.ensure_future(in_thread(stat_entries, path, names))
        done, _ = await asyncio.wait({glance}, timeout=GLANCE)
        if done:
            listing.looked_up.update(zip(rows, glance.result(), strict=True))
        elif path not in self._glances:
            self._glances[path] = glance
            glance.add_done_callback(lambda _: self._glances.pop(path))

    async def at(self, tab: Tab, position: int) -> Facts | None:
        """The facts of one position, or None when the entry is gone."""
        await self.look_up(tab, position, position + 1)
        return tab.listing.entry(position).facts

    async def of(self, path: bytes) -> tuple[Facts | None, bytes | None]:
        """The facts of any entry, and where it leads if it is a link; nothing when it is gone or does not answer."""

        def look() -> tuple[Facts | None, bytes | None]:
            return stat_entries(os.path.dirname(path), [os.path.basename(path) or b"."])[0], link_target(path)

        try:
            return await asyncio.wait_for(in_thread(look), PATIENCE)
        except TimeoutError:
            return None, None

    async def check_exists(self, path: bytes) -> None:
        """Raise unless something is there."""
        try:
            await asyncio.wait_for(in_thread(check_exists, path), PATIENCE)
        except TimeoutError:
            raise NoAnswer(path) from None

    async def is_folder(self, path: bytes) -> bool:
        """Whether a path leads to a folder, through links too."""
        try:
            return await asyncio.wait_for(in_thread(os.path.isdir, path), PATIENCE)
        except TimeoutError:
            raise NoAnswer(path) from None


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


async def info_of(row_facts: RowFacts, path: bytes) -> list[tuple[str, str]]:
    """Names and values, line by line; looked up in a thread, and not for ever on a mount that is dead."""
    facts, target = await row_facts.of(path)
    rows = [("Path", to_wire(path))]
    if facts is None:
        rows.append(("", "It is gone, or cannot be read."))
    else:
        created = moment(facts.created_ns) if facts.created_ns is not None else "not kept by this file system"
        rows += [
            ("Size", exact_size(facts.size)),
            ("Modified", moment(facts.modified_ns)),
            ("Created", created),
            ("Permissions", f"{mode_text(facts.mode)}  {facts.mode & 0o7777:04o}"),
            ("Inode", f"{facts.inode} on device {facts.device}"),
        ]
    if target is not None:
        rows.append(("Leads to", to_wire(target)))
    return rows
