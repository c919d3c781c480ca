"""Whose a set or saved query is: an agent sees, uses and deletes its own, the person all."""

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.model.filters.filter import And, Filter, InSet, Not, Or
from cmdr.model.names import printable, to_wire
from cmdr.model.units import count
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.library import Library
    from cmdr.model.filters.filter import Question
    from cmdr.model.trees.queries import SavedQuery
    from cmdr.model.trees.sets import SetInfo


MAX_QUERIES = 200
"""Queries that an agent may save."""
MAX_PASSING_SETS = 20
"""Sets that queries of one caller leave behind before the oldest goes."""
MAX_SETS = 200
"""Sets that an agent may make to last."""
_TOLD = 3
"""Sets that are named to whoever asks for one that is not there."""
MAX_MEMBERS = 100_000
"""Entries of a set that one operation takes at most."""
PLANNING_PATIENCE_S = 10.0
"""Seconds a plan waits until what it is made from is known as it is on the disk."""


class OwnedQueries:
    """The saved queries of the library, each for those who may see it; others' do not exist."""

    def __init__(self, library: Callable[[], Awaitable["Library"]]) -> None:
        self._library = library

    async def save(
        self, name: str, question: "Question", principal: Principal, root: bytes | None = None
    ) -> "SavedQuery":
        """Keep a question under a name, with its folder; the caller's own of that name is replaced."""
        from cmdr.index.store.catalogue import PERSON  # noqa: PLC0415

        owner = PERSON if principal.is_person else principal.id
        names = {one.name for one in await self.all(principal)}
        if len(names) >= MAX_QUERIES and name not in names and not principal.is_person:
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


@dataclass(frozen=True, slots=True)
class TakenSet:
    """What an operation takes of a set: the paths as they are now, and what became of the members since."""

    paths: tuple[bytes, ...]
    gone: tuple[bytes, ...] = ()
    changed: int = 0
    moved: int = 0

    @property
    def note(self) -> str:
        """What whoever made the set should know, in a line; empty when all is as it was."""
        notes = []
        if self.gone:
            more = f" and {len(self.gone) - 1} more" if len(self.gone) > 1 else ""
            notes.append(f"{len(self.gone)} gone and left out ({quoted_name(to_wire(self.gone[0]))}{more})")
        notes += [f"{many} {word}" for many, word in ((self.changed, "changed"), (self.moved, "moved")) if many]
        held = count(len(self.paths) + len(self.gone), "entry", "entries")
        return f"of the set's {held} since it was made: {', '.join(notes)}" if notes else ""


class OwnedSets:
    """The sets of the library, each for those who may see it."""

    def __init__(self, library: Callable[[], Awaitable["Library"]]) -> None:
        self._library = library

    async def new_name(self, name: str | None, principal: Principal) -> str:
        """The name for a set that a caller makes to last: one of its own sets at most has it."""
        library = await self._library()
        kept = dict(await in_thread(library.catalogue.lasting_sets, principal.id))
        if len(kept) >= MAX_SETS and not principal.is_person:
            raise CommandError(f"You have {len(kept)} sets, the most there may be. Delete one first.")
        if name in kept:
            raise CommandError(
                f'You have a set "{printable(name, 40)}" already, {kept[name]}. '
                "Change or delete it, or use another name."
            )
        if name is not None:
            return name
        return next(one for one in ("set", *(f"set {more}" for more in range(2, len(kept) + 3))) if one not in kept)

    async def forget_namesakes(self, set: str, principal: Principal) -> int:
        """Forget the caller's other sets that have the name of this one; how many there were."""
        library = await self._library()
        kept = await in_thread(library.catalogue.lasting_sets, principal.id)
        name = next((name for name, id in kept if id == set), None)
        others = [id for one, id in kept if one == name and id != set]
        for id in others:
            await in_thread(library.sets.delete, id)
        return len(others)

    async def own(self, set: str, principal: Principal, *, passing: bool = False) -> None:
        """Note whose a set is. A passing one, which a query left behind, goes when many newer ones have come."""
        library = await self._library()
        theirs = await in_thread(library.catalogue.put_owner, set, principal.id, passing=passing)
        for old in theirs[MAX_PASSING_SETS:]:
            with suppress(IndexFault):
                await in_thread(library.sets.delete, old)

    async def all(self, principal: Principal) -> list["SetInfo"]:
        """The sets that a caller may see, oldest first."""
        library = await self._library()
        infos, owners = await in_thread(lambda: (library.sets.all(), library.catalogue.owners()))
        return [info for info in infos if _may_see(principal, owners.get(info.id))]

    async def find(self, named: str, principal: Principal) -> str:
        """The id of a set, given its id or its name (the newest of that name); others' sets do not exist."""
        theirs = await self.all(principal)
        for info in reversed(theirs):
            if named in (info.id, info.name):
                return info.id
        raise NotThere(f"No resource set {printable(named, 40)}.{_instead_of(named, theirs)}")

    async def members(self, named: str, principal: Principal) -> tuple[bytes, ...]:
        """The paths in a set, as they are now; entries that are gone are left out."""
        return (await self._taken(await self.find(named, principal))).paths

    async def _taken(self, set: str) -> TakenSet:
        library = await self._library()
        members = (await in_thread(library.sets.page, set, MAX_MEMBERS)).members
        return TakenSet(
            tuple(one.path_now for one in members if one.path_now is not None),
            tuple(one.path for one in members if one.path_now is None),
            sum(one.state == "changed" for one in members),
            sum(one.state == "moved" for one in members),
        )

    async def worked_on(self, named: str, principal: Principal) -> TakenSet:
        """What an operation takes of a set: all that is there of it, or nothing when it holds too many."""
        library = await self._library()
        found = await in_thread(_made_true, library, await self.find(named, principal))
        held = (await in_thread(library.sets.info, found)).count
        if held > MAX_MEMBERS:
            raise CommandError(
                f"The set holds {held:,} entries, and one operation takes {MAX_MEMBERS:,}. Make smaller sets."
            )
        taken = await self._taken(found)
        if held and not taken.paths:
            raise CommandError(
                f"Nothing of the set {printable(named, 40)} is there any more. Make it anew with query_run."
            )
        return taken

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


def _instead_of(named: str, known: Sequence["SetInfo"]) -> str:
    """What to do without a set: look among those there are, or make it."""
    if named.startswith("s_"):
        return f" Of what queries find the last {MAX_PASSING_SETS} are kept: run it again, with saveAs to keep it."
    if not known:
        return " You have none yet: query_run makes one of what it finds."
    some = ", ".join(f"{info.id} {printable(info.name, 20)}" for info in known[: -_TOLD - 1 : -1])
    more = f' and {len(known) - _TOLD} more (resource_set {{"action": "list"}})' if len(known) > _TOLD else ""
    return f" You have: {some}{more}; query_run makes one of what it finds."


def _made_true(library: "Library", set: str) -> str:
    """The same set; one that was made while folders were not known as they are is asked for again, against the disk."""
    behind = library.sets.behind(set)
    if behind is None:
        return set
    from cmdr.model.filters.filter_json import from_json  # noqa: PLC0415

    folders = count(behind.folders, "folder")
    if behind.filter is None or behind.root is None:
        raise CommandError(f"The set was made while {folders} were not known as they are. Make it anew, then repeat.")
    answers = library.true_answers(library.sets.info(set).index_id, behind.root, PLANNING_PATIENCE_S)
    if answers.behind:
        raise CommandError(
            f"The set was made while {folders} were not known as they are, and "
            f"{count(answers.behind, 'folder')} still change. Run query_run again when it is quiet, then repeat."
        )
    answer = answers.ask(from_json(json.loads(behind.filter)), behind.root)
    library.sets.ask_again(set, answer)
    return set


def _may_see(principal: Principal, owner: str | None) -> bool:
    return principal.is_person or owner == principal.id
