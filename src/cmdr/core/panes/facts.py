"""Facts about entries, looked up in threads: of rows in view, of any path, and what selected files have in common."""

import asyncio
import os
import stat
from dataclasses import dataclass

from cmdr.core.panes.folder_reader import DISK_TIMEOUT_S, NoAnswer
from cmdr.core.threads import in_thread
from cmdr.files.file_stat import check_exists, link_target, stat_entries
from cmdr.model.names import to_wire
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.tab import SelectedEntries, Tab
from cmdr.model.plans.file_mode import ALL
from cmdr.model.units import exact_size, mode_text, moment

ROWS_TIMEOUT_S = 2.0
"""How long the facts of shown rows may take; rows are drawn without them rather than late."""
MAX_COMPARED = 10_000
"""Of more files than these nobody waits for each; their permissions count as different."""


class FactLookup:
    """Looks at entries in threads; on a disk that hangs, one thread for each folder and no more."""

    def __init__(self) -> None:
        self._pending: dict[bytes, asyncio.Task[list[Facts | None]]] = {}

    async def look_up(self, tab: Tab, start: int, stop: int) -> None:
        """Make the facts of some positions known, if the disk answers soon."""
        listing, path = tab.listing, tab.path
        rows = [row for row in listing.order[start:stop] if row not in listing.looked_up]
        if not rows:
            return
        if (pending := self._pending.get(path)) is not None:
            # An earlier lookup still hangs; another would only hang beside it.
            await asyncio.wait({pending}, timeout=ROWS_TIMEOUT_S)
            return
        names = [listing.columns.name(row) for row in rows]
        lookup = asyncio.ensure_future(in_thread(stat_entries, path, names))
        done, _ = await asyncio.wait({lookup}, timeout=ROWS_TIMEOUT_S)
        if done:
            listing.looked_up.update(zip(rows, lookup.result(), strict=True))
        elif path not in self._pending:
            self._pending[path] = lookup
            lookup.add_done_callback(lambda _: self._pending.pop(path))

    async def at(self, tab: Tab, position: int) -> Facts | None:
        """The facts of one position, or None when the entry is gone."""
        await self.look_up(tab, position, position + 1)
        return tab.listing.entry(position).facts

    async def of(self, path: bytes) -> tuple[Facts | None, bytes | None]:
        """The facts of any entry, and where it leads if it is a link; nothing when it is gone or does not answer."""

        def look() -> tuple[Facts | None, bytes | None]:
            return stat_entries(os.path.dirname(path), [os.path.basename(path) or b"."])[0], link_target(path)

        try:
            return await asyncio.wait_for(in_thread(look), DISK_TIMEOUT_S)
        except TimeoutError:
            return None, None

    async def describe(self, path: bytes) -> list[tuple[str, str]]:
        """What the disk says about one entry: names and values, line by line."""
        facts, target = await self.of(path)
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

    async def check_exists(self, path: bytes) -> None:
        """Raise unless something is there."""
        try:
            await asyncio.wait_for(in_thread(check_exists, path), DISK_TIMEOUT_S)
        except TimeoutError:
            raise NoAnswer(path) from None

    async def is_folder(self, path: bytes) -> bool:
        """Whether a path leads to a folder, through links too."""
        try:
            return await asyncio.wait_for(in_thread(os.path.isdir, path), DISK_TIMEOUT_S)
        except TimeoutError:
            raise NoAnswer(path) from None


@dataclass(frozen=True, slots=True)
class CommonAttributes:
    """Permissions that every one has and that any has, and the time if it is one."""

    every: int = 0
    some: int = ALL
    modified_ns: int | None = None


async def common_attributes(selected: SelectedEntries) -> CommonAttributes:
    """What selected files have in common; nothing is known of very many, or where the disk does not answer."""
    if selected.count > MAX_COMPARED:
        return CommonAttributes()
    try:
        return await asyncio.wait_for(in_thread(_common_attributes, selected), DISK_TIMEOUT_S)
    except TimeoutError:
        return CommonAttributes()


def _common_attributes(selected: SelectedEntries) -> CommonAttributes:
    facts = [fact for fact in stat_entries(selected.folder, selected.names()) if fact and not stat.S_ISLNK(fact.mode)]
    if not facts:
        return CommonAttributes()
    every, some = ALL, 0
    for fact in facts:
        every, some = every & fact.mode, some | (fact.mode & ALL)
    times = {fact.modified_ns for fact in facts}
    return CommonAttributes(every, some, times.pop() if len(times) == 1 else None)
