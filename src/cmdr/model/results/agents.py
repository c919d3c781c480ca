"""What agents have done, by client and turn, and how much of it can be taken back."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.model.results.result import Data, Result
from cmdr.model.units import count


@dataclass(frozen=True, slots=True)
class AgentOperation:
    """One operation of an agent."""

    operation: int
    at: float
    what: str
    state: str
    """How it ended, as in `done`, `3 of 5 done`, `undone`, `undone, 2 left`, `running`."""
    rule: int | None
    """The rule that admitted it unasked, if one did."""
    can_undo: bool
    is_undone: bool = False
    """Whether it was taken back, if only in part."""


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What a client did in one go, without a long pause in between; newest operation first."""

    id: str
    """The client and the first operation, as in `claude 12`: what `agents.undo` names."""
    began: float
    ended: float
    operations: tuple[AgentOperation, ...]
    """The newest of them."""
    count: int = 0
    """All operations of the turn, also those that are not listed."""
    undoable: int = 0
    """How many of them can be taken back."""

    @property
    def told(self) -> str:
        """How much it was and how much can be undone, as in `12 operations, all undoable`."""
        return f"{count(self.count, 'operation')}, {undoable_words(self.undoable, self.count)}"


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One client: whether it is here, what it did today, newest turn first."""

    client: str
    is_connected: bool
    last_call: float
    """In seconds since 1970; 0 when it has not called since cmdr started."""
    calls: int
    doing: str
    """The call that runs now, if one does."""
    waiting: int
    """What waits for the person's answer."""
    turns: tuple[AgentTurn, ...]
    """The newest of them."""
    undoable: int
    rules: int
    """Rules that hold for it."""
    operations: int = 0
    """All operations since the moment, also those of turns that are not listed."""

    def lines(self) -> Iterator[str]:
        """What it is and what it did, for a prompt."""
        facts = ["connected" if self.is_connected else "not connected"]
        if self.operations:
            facts.append(f"{count(self.operations, 'operation')}, {undoable_words(self.undoable, self.operations)}")
        else:
            facts.append("has changed nothing")
        facts += [f"{self.waiting} waiting for you"] if self.waiting else []
        facts += [count(self.rules, "rule")] if self.rules else []
        facts += [f"now: {self.doing}"] if self.doing else []
        yield f"{self.client}: {' · '.join(facts)}"
        for turn in self.turns:
            yield f"  turn {turn.id} · {_clock(turn.began)}–{_clock(turn.ended)} · {turn.told}"
            for one in turn.operations:
                by = f", by rule {one.rule}" if one.rule is not None else ""
                yield f"    {one.operation:>5}  {_clock(one.at)}  {one.what} ({one.state}{by})"
            if turn.count > len(turn.operations):
                yield f"           and {turn.count - len(turn.operations)} earlier ones"
        listed = sum(turn.count for turn in self.turns)
        if self.operations > listed:
            yield f"  and {count(self.operations - listed, 'operation')} in earlier turns"


@dataclass(frozen=True, slots=True)
class Agents(Data):
    """Every client that called or changed something since a moment."""

    kind = "agents"
    is_stopped: bool
    since: float
    rows: tuple[AgentRow, ...]
    is_cut: bool = False
    """Whether there was more than is looked through at once; then the oldest operations are missing."""

    def text(self) -> str:
        lines = ["All agents are stopped."] if self.is_stopped else []
        for row in self.rows:
            lines += row.lines()
        if not self.rows:
            lines.append(f"No agent has called or changed anything since {_clock(self.since)}.")
        if self.is_cut:
            lines.append("There was more; name a later moment to see fewer.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class UndoOffer(Data):
    """What an undo of several operations of agents would take back; exactly these are undone on a yes."""

    kind = "undoOffer"
    operations: tuple[int, ...]
    """Newest first, as they are taken back."""
    clients: tuple[str, ...]
    items: int
    """Files and folders that they changed."""
    since: float
    """When the oldest of them began."""
    words: str
    """What to ask about, as in `12 operations of claude since 13:02: 37 items`."""
    what: tuple[str, ...] = ()
    """What the newest of them did, one line each."""

    def text(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class UndoBegun(Result):
    """Several operations are being undone, one after the other, as one job."""

    kind = "undoBegun"
    job: str
    operations: tuple[int, ...]
    words: str

    def text(self) -> str:
        return f"Undoing {self.words}\njob: {self.job}"


def undoable_words(undoable: int, of: int) -> str:
    """How many of some operations can be undone, in words."""
    if undoable == of:
        return "undoable" if of == 1 else "all undoable"
    return f"{undoable} undoable" if undoable else "none undoable"


def _clock(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))
