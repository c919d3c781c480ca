"""The history of operations as it is shown: one entry for each, newest first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Verb


class OperationState(StrEnum):
    """How one operation ended."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The program ended in the middle; the person may resume, undo or leave it."""
    CONTINUED = "continued"
    """Interrupted, and a later operation did the rest: the two are taken back as one."""
    LEFT = "left"
    """Interrupted, and the person said: leave it."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One line of the history."""

    id: int
    verb: Verb
    state: OperationState
    by: str
    started: float
    ended: float | None
    total: int
    done: int
    title: bytes
    """The path of its first item."""
    new_name: bytes | None
    """What a renamed first item is called now."""
    destination: bytes | None
    undoes: int | None
    undone_by: int | None
    left: int = 0
    """How many items the undo has not taken back; undoing it again tries those."""
    continues: int | None = None
    """The interrupted operation that this one is the rest of."""
    failed: int = 0
    """How many items could not be carried out, or were left alone because they had changed."""

    @property
    def undone(self) -> str:
        """What is to be said about its undo; empty when there was none."""
        if self.undone_by is None:
            return ""
        return f"undone, {self.left} left" if self.left else "undone"

    def about(self, written: Callable[[bytes], str] = to_wire) -> str:
        """What it was about: the first item, its new name, how many more, and where to; `written` spells the paths."""
        told = written(self.title)
        if self.new_name is not None:
            told += f" → {written(self.new_name)}"
        if self.total > 1:
            told += f" and {self.total - 1} more"
        return told if self.destination is None else f"{told} to {written(self.destination)}"
