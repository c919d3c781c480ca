"""What agents did, by client and turn, and the way back: one operation, a turn, all since a moment."""

import time
from typing import Annotated

from cmdr.core.agents.turns import Deed, local_midnight
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable
from cmdr.model.results.agents import Agents, UndoBegun, UndoOffer
from cmdr.model.units import count

MAX_TOLD = 20
"""Operations that an offer tells in words."""
Moment = Annotated[float | None, Doc("seconds since 1970; today's midnight unless told")]
Operations = Annotated[list[int] | None, Doc("numbers in the history")]
Turn = Annotated[str | None, Doc('as `agents` names it, as in "claude 12"')]
Without = Annotated[list[int] | None, Doc("operations that are left as they are")]


@command("agents", access=Access.ACT, title="What agents did")
async def agents(call: Call, *, since: Moment = None) -> Agents:
    """Who is connected, and what each client did since a moment, in turns, with what of it can be undone."""
    return await call.commander.turns.agents(since)


@command("agents.undoOffer", access=Access.ACT, title="What an undo of agents' work would take back")
async def undo_offer(
    call: Call,
    *,
    operations: Operations = None,
    turn: Turn = None,
    client: str | None = None,
    since: Moment = None,
    without: Without = None,
) -> UndoOffer:
    """What `agents.undo` with the same arguments would undo, in one line to ask the person about."""
    return (await _chosen(call, operations, turn, client, since, without))[1]


@command("agents.undo", access=Access.ACT, title="Undo agents' work")
async def undo(
    call: Call,
    *,
    operations: Operations = None,
    turn: Turn = None,
    client: str | None = None,
    since: Moment = None,
    without: Without = None,
) -> UndoBegun:
    """Undo operations of agents, a turn, or all of a client or of all since a moment, newest first, as one job."""
    deeds, offer = await _chosen(call, operations, turn, client, since, without)
    job = call.commander.undo_many.begin(deeds, call.principal, offer.words)
    return UndoBegun(job.id, offer.operations, offer.words)


async def _chosen(
    call: Call,
    operations: list[int] | None,
    turn: str | None,
    client: str | None,
    since: float | None,
    without: list[int] | None,
) -> tuple[list[Deed], UndoOffer]:
    """What is to be undone, newest first, and what it is in words."""
    ways = sum(given is not None for given in (operations, turn)) + (client is not None or since is not None)
    if ways != 1:
        raise CommandError('Say what to undo: "operations", "turn", or "client" and "since", and only one of them.')
    found = await call.commander.turns.select(operations=operations or (), turn=turn, client=client, since=since)
    chosen = [deed for deed in found.deeds if deed.entry.id not in (without or ())]
    if not chosen:
        whose = f" of {printable(client, 40)}" if client is not None else ""
        raise CommandError(f"Nothing{whose} is left there to undo. `cmdr agents` lists what agents did.")
    return chosen, _offer(chosen, found.gone)


def _offer(deeds: list[Deed], gone: int) -> UndoOffer:
    clients = tuple(dict.fromkeys(printable(deed.client, 60) for deed in deeds))
    items, since = sum(deed.entry.done for deed in deeds), min(deed.entry.started for deed in deeds)
    form = "%H:%M" if since >= local_midnight() else "%F %H:%M"
    when = time.strftime(form, time.localtime(since))
    words = f"{count(len(deeds), 'operation')} of {', '.join(clients)} since {when}: {count(items, 'item')}"
    if gone:
        words += f"; what {count(gone, 'operation')} deleted for good does not come back"
    what = tuple(deed.what for deed in deeds[:MAX_TOLD])
    return UndoOffer(tuple(deed.entry.id for deed in deeds), clients, items, since, words, what)
