"""Whose a resource set is: an agent sees its own, by id or by name, the person sees all."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cmdr.core.errors import CommandError, NotThere
from cmdr.core.principals import Principal
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.model.filter import And, Filter, InSet, Not, Or

if TYPE_CHECKING:
    from cmdr.index.library import Library
    from cmdr.index.setshelf import SetInfo

PASSING = 20
"""Sets that queries of one caller leave behind before the oldest goes."""
MEMBERS = 100_000
"""Most entries of a set that one operation takes."""


class OwnedSets:
    """The sets of the library, each for those who may see it."""

    def __init__(self, library: Callable[[], Awaitable["Library"]]) -> None:
        self._library = library
        self._owners: dict[str, str] | None = None
        self._reading = asyncio.Lock()

    async def own(self, set: str, principal: Principal, *, passing: bool = False) -> None:
        """Note whose a set is. A passing one, which a query left behind, goes when many newer ones have come."""
        library = await self._library()
        (await self._known_owners()).setdefault(set, principal.id)
        theirs = await in_thread(library.catalogue.put_owner, set, principal.id, passing=passing)
        for old in theirs[PASSING:]:
            with suppress(IndexFault):
                await in_thread(library.sets.delete, old)

    async def all(self, principal: Principal) -> list["SetInfo"]:
        """The sets that a caller may see, oldest first."""
        library, owners = await self._library(), await self._known_owners()
        return [info for info in await in_thread(library.sets.all) if _may_see(principal, owners.get(info.id))]

    async def find(self, named: str, principal: Principal) -> str:
        """The id of a set, given its id or its name (the newest of that name); others' sets do not exist."""
        for info in reversed(await self.all(principal)):
            if named in (info.id, info.name):
                return info.id
        raise NotThere(f"No resource set {named[:40]}.")

    async def members(self, named: str, principal: Principal) -> tuple[bytes, ...]:
        """The paths in a set, as they are now; entries that are gone are left out."""
        library = await self._library()
        page = await in_thread(library.sets.page, await self.find(named, principal), 0, MEMBERS)
        return tuple(entry.member.path_now for entry in page.members if entry.member.path_now is not None)

    async def worked_on(self, named: str, principal: Principal) -> tuple[bytes, ...]:
        """The paths in a set that an operation takes whole, or not at all."""
        library = await self._library()
        found = await self.find(named, principal)
        held = (await in_thread(library.sets.info, found)).count
        if held > MEMBERS:
            raise CommandError(
                f"The set holds {held:,} entries, and one operation takes {MEMBERS:,}. Make smaller sets."
            )
        return await self.members(found, principal)

    async def named_in(self, wanted: Filter, principal: Principal) -> Filter:
        """A filter with the sets in it by their ids; a set that the caller may not see does not exist."""
        match wanted:
            case InSet(named):
                return InSet(await self.find(named, principal))
            case Not(item):
                return Not(await self.named_in(item, principal))
            case And(items):
                return And(tuple([await self.named_in(item, principal) for item in items]))
            case Or(items):
                return Or(tuple([await self.named_in(item, principal) for item in items]))
        return wanted

    async def _known_owners(self) -> dict[str, str]:
        async with self._reading:
            if self._owners is None:
                library = await self._library()
                self._owners = await in_thread(library.catalogue.owners)
            return self._owners


def _may_see(principal: Principal, owner: str | None) -> bool:
    return principal.is_person or owner == principal.id
