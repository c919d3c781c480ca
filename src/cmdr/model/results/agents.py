"""What agents have done, by client and turn, and how much of it can be taken back."""

from dataclasses import dataclass

from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class AgentOperation:
    """One operation of an agent."""

    operation: int
    at: float
    what: str
    state: str
    rule: int | None
    """The rule that admitted it unasked, if one did."""
    can_undo: bool


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What a client did in one go, without a long pause in between; newest operation first."""

    id: str
    """The client and the first operation, as in `claude 12`: what `undo_turn` names."""
    began: float
    ended: float
    operations: tuple[AgentOperation, ...]


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One client: whether it is here, what it did today, newest turn first."""

    client: str
    is_connected: bool
    last_call: float
    calls: int
    doing: str
    """The call that runs now, if one does."""
    waiting: int
    """What waits for the person's answer."""
    turns: tuple[AgentTurn, ...]
    undoable: int
    rules: int
    """Rules that hold for it."""


@dataclass(frozen=True, slots=True)
class Agents(Data):
    """Every client that called or changed something since a moment."""

    kind = "agents"
    is_stopped: bool
    since: float
    rows: tuple[AgentRow, ...]
