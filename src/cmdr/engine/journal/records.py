"""What the engine tells the journal, and what the journal tells crash recovery, resume and undo."""

from collections.abc import Iterable, Reversible, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from cmdr.model.history import OperationState
from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.plan import Fingerprint, Place, Plan, Root


class ItemState(StrEnum):
    """How far one item has come."""

    PLANNED = "planned"
    STAGED = "staged"
    """Complete under a temporary name, on the disk; for folders: made, its attributes not yet set."""
    LANDED = "landed"
    """Under its final name."""
    SOURCE_REMOVED = "source_removed"
    """A move that copied: the source is gone."""
    SKIPPED = "skipped"
    FAILED = "failed"
    DRIFTED = "drifted"
    """Left alone because something had changed since the plan."""

    @property
    def is_done(self) -> bool:
        """Whether the change has been made."""
        return self in (ItemState.LANDED, ItemState.SOURCE_REMOVED)

    @property
    def is_settled(self) -> bool:
        """Whether nothing more will happen to the item in this run."""
        return self not in (ItemState.PLANNED, ItemState.STAGED)


@dataclass(frozen=True, slots=True)
class Backup:
    """Where a displaced or trashed file is: its name in a trash, and the trash's note about it."""

    files: Root
    info: Root
    name: bytes
    note: bytes

    @property
    def place(self) -> Place:
        """The file itself."""
        return Place(self.files.path, self.name)

    @property
    def note_place(self) -> Place:
        """The note that tells where it came from."""
        return Place(self.info.path, self.note)


class PutBack(NamedTuple):
    """How the files of an item look after an attempt that was taken back: a name given and given back is a change too,
    and one of our own must not be mistaken for somebody else's when the item is tried again."""

    source: Fingerprint | None
    existing: Fingerprint | None


@dataclass(slots=True)
class Intent:
    """What is about to happen to an item; on the disk before the first change.

    Neither this nor a note is frozen: there are several for every file, and freezing takes longer than making them.
    """

    index: int
    temp: bytes
    """The temporary name that may come into being; ours alone."""
    beside: Place | None
    """The item's place that the temporary name lies next to."""
    kept: Backup | None = None
    """Where a trashed or displaced file would go."""
    parks: bool = False
    """Whether the temporary name may hold an original on its way, which must be put back, never removed."""
    traits: Traits | None = None
    """What surrounds a folder that may be removed, to make it again as it was."""


@dataclass(slots=True)
class ItemUpdate:
    """How far an item has come."""

    index: int
    state: ItemState
    reason: str = ""
    target: Place | None = None
    """The place it landed in, when that differs from the plan."""
    staged: Fingerprint | None = None
    """The complete temporary, so that a later look can tell it from a displaced original."""
    landed: Fingerprint | None = None
    kept: Backup | None = None
    temp_gone: bool = True
    """Whether the temporary name is free again; if not, the next start sweeps it."""
    put_back: PutBack | None = None


@dataclass(slots=True)
class ItemRecord:
    """What the journal knows about one item that was begun; not frozen, for the same reason as an intent."""

    index: int
    state: ItemState
    reason: str
    temp: bytes | None
    beside: Place | None
    target: Place | None
    staged: Fingerprint | None
    landed: Fingerprint | None
    kept: Backup | None
    parks: bool = False
    traits: Traits | None = None
    put_back: PutBack | None = None


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """What the journal knows about one operation."""

    id: int
    plan: Plan
    state: OperationState
    by: str
    started: float
    ended: float | None
    items: Reversible[ItemRecord]
    """The items that were begun, in the order of the plan; very many are read as they are looked at."""
    undone_by: int | None = None

    @property
    def done(self) -> int:
        """How many items are finished."""
        return sum(item.state.is_done for item in self.items)


@dataclass(frozen=True, slots=True)
class Unrecovered:
    """What a crash, or a volume that was away, left of one operation for the next start to look at."""

    id: int
    state: OperationState
    plan: Plan
    """The plan of just the items that need a look."""
    items: Sequence[ItemRecord]
    """What is known about each of these."""


class Recorder(Protocol):
    """The journal as the engine sees it. When a call returns, its facts survive a power cut."""

    def begin(self, plan: Plan, by: str) -> int:
        """Write down a plan that is about to run; the operation's number."""

    def intend(self, operation: int, intents: Sequence[Intent]) -> None:
        """Write down what is about to happen to some items."""

    def note(self, operation: int, notes: Sequence[ItemUpdate]) -> None:
        """Write down what has happened to some items."""

    def finish(self, operation: int, state: OperationState) -> None:
        """Close the operation."""

    def unrecovered(self) -> Iterable[Unrecovered]:
        """Operations whose temporaries or half-finished items still need a look, oldest first."""


class NoRecord:
    """Forgets everything; for operations on scratch data and for tests."""

    def begin(self, plan: Plan, by: str) -> int:
        """Count nothing."""
        return 0

    def intend(self, operation: int, intents: Sequence[Intent]) -> None:
        """Forget."""

    def note(self, operation: int, notes: Sequence[ItemUpdate]) -> None:
        """Forget."""

    def finish(self, operation: int, state: OperationState) -> None:
        """Forget."""

    def unrecovered(self) -> Iterable[Unrecovered]:
        """Nothing is known."""
        return ()
