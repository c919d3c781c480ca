"""Whose a saved query is: an agent sees, runs and deletes its own, the person all."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from cmdr.core.errors import CommandError
from cmdr.core.principals import Principal
from cmdr.core.threads import in_thread

if TYPE_CHECKING:
    from cmdr.index.library import Library
    from cmdr.model.filters.filter import Question
    from cmdr.model.trees.queries import SavedQuery


KEPT = 200
"""Queries that an agent may save."""


class OwnedQueries:
    """The saved queries of the library, each for those who may see it; others' do not exist."""

    def __init__(self, library: Callable[[], Awaitable["Library"]]) -> None:
        self._library = library

    async def save(
        self, name: str, question: "Question", principal: Principal, root: bytes | None = None
    ) -> "SavedQuery":
        """Keep a question under a name, with its folder; the caller's own of that name is replaced."""
        from cmdr.index.store.catalogue import PERSON

        owner = PERSON if principal.is_person else principal.id
        names = {one.name for one in await self.all(principal)}
        if len(names) >= KEPT and name not in names and not principal.is_person:
            raise CommandError(
                f"You have {len(names)} saved queries, the most there may be. Use the name of an old one."
            )
        return await in_thread((await self._library()).queries.save, name, question, owner, root)

    async def all(self, principal: Principal) -> "tuple[SavedQuery, ...]":
        """The queries that a caller may see, by name."""
        return await in_thread((await self._library()).queries.all, _seen_by(principal))

    async def get(self, named: str, principal: Principal) -> "tuple[SavedQuery, Question]":
        """A query by its id or name, and its question."""
        return await in_thread((await self._library()).queries.get, named, _seen_by(principal))

    async def note_run(self, saved: "SavedQuery") -> None:
        """Remember that a query was just asked."""
        await in_thread((await self._library()).queries.note_run, saved.id)

    async def delete(self, named: str, principal: Principal) -> None:
        """Forget a query."""
        await in_thread((await self._library()).queries.delete, named, _seen_by(principal))


def _seen_by(principal: Principal) -> str | None:
    """Whose queries a caller sees; None stands for everybody's."""
    return None if principal.is_person else principal.id
