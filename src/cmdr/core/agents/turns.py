"""What agents have done since a moment, from the journal: by client, in turns, and what of it can be taken back."""

from __future__ import annotations

import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.names import display_name, printable
from cmdr.model.plans.plan import Verb
from cmdr.model.results.agents import AgentOperation, AgentRow, Agents, AgentTurn

if TYPE_CHECKING:
    from cmdr.core.agents.activity import Activity
    from cmdr.core.commander import Commander

PAUSE_S = 120.0
"""Seconds without an operation after which the next one begins another turn."""
CONNECTED_S = 300.0
"""Seconds after its last call for which a client without a standing connection counts as connected."""
PAGE = 500
"""Operations that the journal is asked for at once."""
MAX_LOOKED_THROUGH = 20_000
"""Operations that are looked through, newest first."""
MAX_TURNS = 50
"""Turns of one client in an answer; those before are counted."""
MAX_OPERATIONS = 100
"""Operations of one turn in an answer; those before are counted."""
MAX_LISTED = 500
"""Operations of one client in an answer."""
MAX_WHAT_CHARS = 200
_AGENT = "agent:"


@dataclass(frozen=True, slots=True)
class Deed:
    """One operation of a client, as the history tells it."""

    entry: HistoryEntry
    client: str
    can_undo: bool = False

    @property
    def what(self) -> str:
        """What it did, in one line for the person."""
        entry = self.entry
        stays = entry.destination == os.path.dirname(entry.title)
        told = replace(entry, destination=None) if stays else entry
        what = f"{entry.verb} {told.about(display_name)}"
        return what if len(what) <= MAX_WHAT_CHARS else what[: MAX_WHAT_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Selection:
    """Operations of agents that are to be undone, newest first."""

    deeds: tuple[Deed, ...]
    gone: int = 0
    """Operations among those asked for that deleted something for good."""


class Turns:
    """Belongs to the loop; the journal is read, and what it says is sorted, in threads."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander

    async def agents(self, since: float | None = None) -> Agents:
        """Every client that has called in this run, or changed something since a moment; of today, unless told."""
        moment = local_midnight() if since is None else since
        entries, is_cut = await self._back_to(lambda entry: entry.started >= moment)
        clients = await in_thread(_by_client, _known(entries), moment)
        commander, now = self._commander, time.time()
        rows = [self._row(name, clients.get(name, []), now) for name in sorted({*clients, *commander.activity.callers})]
        # Who is here comes first, then who did something last.
        rows.sort(key=lambda row: (not row.is_connected, -_newest(row)))
        return Agents(commander.policy.agents_stopped, moment, tuple(rows), is_cut)

    async def select(
        self,
        *,
        operations: Sequence[int] = (),
        turn: str | None = None,
        client: str | None = None,
        since: float | None = None,
    ) -> Selection:
        """What is to be undone of some operations, of a turn, or of all of a client or of all since a moment.

        Raises `CommandError` when there is no such operation or turn, or when one is not an agent's.
        """
        if operations:
            return await self._named(operations)
        if turn is not None:
            return await self._of_turn(turn)
        moment = local_midnight() if since is None else since
        entries, is_cut = await self._back_to(lambda entry: entry.started >= moment)
        if is_cut:
            raise CommandError(
                f"There are more than {MAX_LOOKED_THROUGH} operations since then. Name a later moment, then go on."
            )
        known = _known(entries)
        clients = await in_thread(_by_client, known, moment)
        chosen = clients.get(client, []) if client is not None else [deed for some in clients.values() for deed in some]
        return await in_thread(_selected, chosen, known)

    async def _named(self, numbers: Sequence[int]) -> Selection:
        wanted, first = set(numbers), min(numbers)
        entries, _ = await self._back_to(lambda entry: entry.id >= first)
        known, deeds = _known(entries), []
        for number in sorted(wanted, reverse=True):
            if number not in known:
                raise CommandError(f"There is no operation {number} in the journal, or it lies too far back.")
            by = await self._commander.engine.begun_by(number) or ""
            if not by.startswith(_AGENT):
                raise CommandError(
                    f"Operation {number} is your own, not an agent's. Undo it by itself: cmdr undo {number}."
                )
            deeds.append(Deed(known[number], _client(by)))
        return await in_thread(_selected, deeds, known)

    async def _of_turn(self, id: str) -> Selection:
        client, _, number = id.rpartition(" ")
        first = int(number) if number.isdecimal() else -1
        entries, _ = await self._back_to(lambda entry: entry.id >= first) if first >= 0 else ([], False)
        known = _known(entries)
        deeds = (await in_thread(_by_client, known)).get(client, [])
        turns = _turns([deed for deed in deeds if deed.entry.id >= first])
        if not turns or turns[0][0].entry.id != first:
            raise CommandError(f'No turn "{printable(id, 60)}". `cmdr agents` lists them.')
        return await in_thread(_selected, turns[0], known)

    async def _back_to(self, is_wanted: Callable[[HistoryEntry], bool]) -> tuple[list[HistoryEntry], bool]:
        """The newest operations as far back as they are wanted, newest first, and whether there was too much.

        A clock that was set back does not end the search: only a page on which nothing is wanted does.
        """
        engine, found = self._commander.engine, list[HistoryEntry]()
        while len(found) < MAX_LOOKED_THROUGH:
            page = await engine.history(PAGE, found[-1].id if found else None)
            found += page
            if len(page) < PAGE or not any(map(is_wanted, page)):
                return found, False
        return found, is_wanted(found[-1])

    def _row(self, name: str, deeds: Sequence[Deed], now: float) -> AgentRow:
        commander = self._commander
        activity, id = commander.activity, _AGENT + name
        caller = activity.callers.get(name)
        reviews = sum(case.owner == id for case in commander.services.waiting_reviews())
        waiting = sum(proposal.proposed_by == id for proposal in commander.proposals.pending()) + reviews
        turns, room = [], MAX_LISTED
        for turn in reversed(_turns(deeds)[-MAX_TURNS:]):
            if room <= 0:
                break
            turns.append(self._turn(turn, min(room, MAX_OPERATIONS)))
            room -= len(turns[-1].operations)
        return AgentRow(
            printable(name, 60),
            _is_connected(activity, name, now),
            0.0 if caller is None else caller.last,
            0 if caller is None else caller.calls,
            _doing(activity, name),
            waiting,
            tuple(turns),
            sum(deed.can_undo for deed in deeds),
            len(commander.rules.of_client(name)),
            len(deeds),
        )

    def _turn(self, deeds: Sequence[Deed], most: int) -> AgentTurn:
        first, last = deeds[0], deeds[-1]
        return AgentTurn(
            f"{first.client} {first.entry.id}",
            first.entry.started,
            last.entry.ended or last.entry.started,
            tuple(self._operation(deed) for deed in reversed(deeds[-most:])),
            len(deeds),
            sum(deed.can_undo for deed in deeds),
        )

    def _operation(self, deed: Deed) -> AgentOperation:
        entry, rule = deed.entry, self._commander.rules.rule_of(deed.entry.id)
        is_undone = entry.undone_by is not None
        return AgentOperation(entry.id, entry.started, deed.what, _state(entry), rule, deed.can_undo, is_undone)


def local_midnight() -> float:
    """When today began, here."""
    now = time.localtime()
    return time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))


def _known(entries: Iterable[HistoryEntry]) -> dict[int, HistoryEntry]:
    return {entry.id: entry for entry in entries}


def _by_client(known: Mapping[int, HistoryEntry], moment: float = 0.0) -> dict[str, list[Deed]]:
    """The operations of agents since a moment, oldest first, by client."""
    clients: dict[str, list[HistoryEntry]] = {}
    for number in sorted(known):
        entry = known[number]
        by = _owner(entry, known)
        if entry.started >= moment and by.startswith(_AGENT):
            clients.setdefault(_client(by), []).append(entry)
    return {
        client: [Deed(entry, client, _is_first(entry, scope) and _stands(entry, known)) for entry in scope.values()]
        for client, scope in ((client, _known(entries)) for client, entries in clients.items())
    }


def _selected(deeds: Iterable[Deed], known: Mapping[int, HistoryEntry]) -> Selection:
    """What is undone, newest first, to come back to how things were before all of these operations.

    An operation that was undone since, and its undo, are left out: together they changed nothing. Unless something else
    was done in between that still stands: it was done to what is not there now, so the undo is undone first.
    """
    scope = {deed.entry.id: deed for deed in deeds}
    entries = {number: deed.entry for number, deed in scope.items()}
    chains = [
        (entry, [one.id for one in undo_chain(entry, known) if one.id in scope])
        for entry in entries.values()
        if _is_first(entry, entries)
    ]
    standing = sorted(entry.id for entry, _ in chains if _stands(entry, known))
    chosen = set(standing)
    for entry, chain in chains:
        between = bisect_left(standing, max(chain)) - bisect_right(standing, entry.id)
        if between > 0:
            chosen.update(chain)
    gone = sum(deletes_for_good(entry) and entry.done > 0 for entry in entries.values())
    return Selection(tuple(scope[number] for number in sorted(chosen, reverse=True)), gone)


def _is_first(entry: HistoryEntry, scope: Collection[int]) -> bool:
    """Whether it is not merely an undo of another one of these."""
    return entry.undoes is None or entry.undoes not in scope


def undo_chain(entry: HistoryEntry, known: Mapping[int, HistoryEntry]) -> list[HistoryEntry]:
    """An operation, its undo, the undo of that, and so on."""
    chain = [entry]
    while chain[-1].undone_by is not None and chain[-1].undone_by in known:
        chain.append(known[chain[-1].undone_by])
    return chain


def what_to_undo(chain: Sequence[HistoryEntry]) -> int | None:
    """The operation whose undo takes the first of a chain back; None when it is taken back already."""
    if len(chain) % 2:
        return chain[-1].id  # itself, or what brought it back
    return chain[-2].id if chain[-2].left else None


def _owner(entry: HistoryEntry, known: Mapping[int, HistoryEntry]) -> str:
    """Who began it: what a person lets go on after a crash is still the agent's."""
    while entry.continues is not None and entry.continues in known:
        entry = known[entry.continues]
    return entry.by


def _stands(entry: HistoryEntry, known: Mapping[int, HistoryEntry]) -> bool:
    """Whether it changed something that is not taken back, and can be."""
    is_over = entry.state is not OperationState.RUNNING and not deletes_for_good(entry)
    return is_over and entry.done > 0 and what_to_undo(undo_chain(entry, known)) is not None


def deletes_for_good(entry: HistoryEntry) -> bool:
    """Whether nothing brings back what it took."""
    return entry.verb is Verb.DELETE


def _turns(deeds: Sequence[Deed]) -> list[list[Deed]]:
    """The operations of one client, oldest first, parted where there was a pause."""
    turns: list[list[Deed]] = []
    ended = 0.0
    for deed in deeds:
        entry = deed.entry
        if not turns or entry.started - ended > PAUSE_S:
            turns.append([])
        turns[-1].append(deed)
        ended = entry.ended or entry.started
    return turns


def _state(entry: HistoryEntry) -> str:
    if entry.undone:
        return entry.undone
    if entry.state is OperationState.DONE and entry.done < entry.total:
        return f"{entry.done} of {entry.total} done"
    return entry.state.value


def _client(by: str) -> str:
    return by.removeprefix(_AGENT)


def _newest(row: AgentRow) -> float:
    return max(row.last_call, row.turns[0].ended if row.turns else 0.0)


def _is_connected(activity: Activity, name: str, now: float) -> bool:
    caller = activity.callers.get(name)
    return activity.lines[name] > 0 or (caller is not None and now - caller.last < CONNECTED_S)


def _doing(activity: Activity, name: str) -> str:
    running = (seen for seen in reversed(activity.recent) if seen.caller == name and not seen.result)
    seen = next(running, None)
    return "" if seen is None else printable(f"{seen.command} {seen.about}".strip(), 80)
