"""What every step of a plan can do: be carried out, taken back, resumed after a stop, and recovered after a crash.

A plan may hold half a million items, packed as rows, so there is no object for each: the *class* answers for an item of
a plan or a journal, an *instance* exists only while its group is carried out. The class goes by the step's name alone,
for the journal may come from another system; only an instance may be of a `variant` that this system needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.journal.records import Backup, Intent, ItemRecord, ItemState, OperationRecord, PutBack
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.run.crash_recovery import Recovery
    from cmdr.engine.run.resume import ResumePlan, SoFar
    from cmdr.engine.run.undo import Continuations, UndoPlan
    from cmdr.engine.steps.run_context import RunContext

NOT_DONE = (ItemState.PLANNED, ItemState.STAGED, ItemState.FAILED)
"""A file whose volume was away when the program started again may also be staged: nobody knows whether it landed."""
CHANGED = "it has changed since, so it is left alone"
_NONE: frozenset[int] = frozenset()


class UndoPhase(IntEnum):
    """When an inverse item runs; within `MAKE` and `EMPTY` by how deep the folder lies, within `COPY` backwards."""

    MAKE = 0
    """Folders that were moved away come back first."""
    RENAME = 1
    COPY = 2
    SWAP = 3
    EMPTY = 4
    """Folders go when what was inside has gone."""
    ATTRIBUTES = 5
    """A folder before what is inside, which may be out of reach until then."""


class StepResult(NamedTuple):
    """What became of an item that was carried out; a tuple, because there is one for every file."""

    state: ItemState = ItemState.LANDED
    reason: str = ""
    target: Place | None = None
    landed: Fingerprint | None = None
    kept: Backup | None = None
    warnings: tuple[str, ...] = ()
    is_clean: bool = True
    """Whether nothing temporary was left behind; if not, the next start sees to it."""
    put_back: PutBack | None = None
    totals: Totals | None = None
    """How much it really was, when that is not what was planned."""


class Step(ABC):
    """One kind of step; an instance is one item of the group that is carried out."""

    name: ClassVar[StepName]
    commits_alone: ClassVar[bool] = False
    """Whether it takes effect by itself, in the order of the plan; the others wait for the disk together."""
    makes_folder: ClassVar[bool] = False
    """Whether others of the plan are put into it."""
    finishes_late: ClassVar[bool] = False
    """Whether it is complete only after all that is put into it; `finish` completes it."""

    @classmethod
    def variant(cls, item: PlanItem) -> type[Step]:
        """The class that carries an item out on this system."""
        return cls

    @classmethod
    def prepare(cls, context: RunContext, item: PlanItem) -> None:
        """Take in an item of a plan that is about to run."""
        if item.twin is not None:
            context.twins.add(item.twin)

    @classmethod
    def group_bytes(cls, item: PlanItem) -> int:
        """How much it adds to the data of a group, which is limited."""
        return 0

    @classmethod
    def leaves_source(cls, item: PlanItem) -> bool:
        """Whether a move has copied it, so that its source is to be removed after."""
        return item.remove_source

    @classmethod
    def renamed(cls, item: PlanItem) -> tuple[Place | None, ...]:
        """What gets another name."""
        return (item.source,)

    @classmethod
    def finish(
        cls, context: RunContext, item: PlanItem
    ) -> tuple[int | None, tuple[str, ...]]:  # pragma: no cover - asked only of those
        """Complete what `finishes_late`: a folder to wait for, and what could not be kept."""
        return None, ()

    # After a crash: what the journal knows is compared with what is on the disk.

    @classmethod
    def committed(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> Fingerprint | None:
        """What shows that it had been carried out, or None: as a rule, what was staged has its name."""
        there = disk.at(found.target or item.target)
        if there is None or found.staged is None or not found.staged.is_like(there):
            return None
        # How it looked when it got its name was never written down.
        return there._replace(stamp_ns=None)

    @classmethod
    def committed_state(cls, item: PlanItem) -> ItemState:
        """How far one has come that had been carried out."""
        return ItemState.LANDED

    @classmethod
    def homes(cls, item: PlanItem) -> tuple[Place | None, ...]:
        """Where an original may go that is found under the temporary name."""
        return (item.source,)

    @classmethod  # noqa: B027 - most have nothing to mend
    def recover(cls, item: PlanItem, found: ItemRecord, disk: Recovery) -> None:
        """Mend what is half done, beside the temporary name."""

    @classmethod
    def recovered(cls, item: PlanItem, landed: Fingerprint | None, disk: Recovery) -> PutBack | None:
        """How its files look now, where this step itself has changed that; None where it is as with all."""
        return None

    # Resuming: what is left of an item, and what several runs of one operation know about it.

    @classmethod
    def landed_so_far(cls, found: ItemRecord) -> Fingerprint | None:
        """What the journal knows of the item's file at its target."""
        return found.landed

    @classmethod
    def resume(cls, item: PlanItem, so_far: SoFar, left: ResumePlan) -> PlanItem | None:
        """What is left of an item, or None."""
        if so_far.state in NOT_DONE:
            return left.as_it_is_now(item, so_far.put_back)
        if so_far.leaves_source(item):
            target = so_far.target or item.target
            return replace(item, step=StepName.REMOVE, target=target, existing=so_far.landed, twin=None)
        return item if left.keeps_all and not so_far.state.is_done else None

    @classmethod
    def merge(cls, later: Continuations, run: OperationRecord, item: PlanItem, found: ItemRecord) -> ItemRecord | None:
        """All that is known about an item by now, newest run first; None when an earlier run may know more."""
        return later.merged(item, found)

    # Undo.

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        """When it runs as part of an undo."""
        return UndoPhase.RENAME

    @classmethod
    def stands_at(cls, item: PlanItem, found: ItemRecord) -> Place:
        """Where the file of an item is that was carried out."""
        return found.target or item.target or item.place

    @classmethod
    def stood_at(cls, item: PlanItem) -> Place | None:
        """Where the file of an inverse item stood before it was taken back."""
        return item.source or item.target

    @classmethod
    @abstractmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        """Add what takes an item back that was carried out; what has changed since is left alone and says so."""

    # Carrying out: one instance for each item of a group.

    def __init__(self, context: RunContext, index: int, item: PlanItem, temp: bytes) -> None:
        self.context = context
        self.index = index
        self.item = item
        self.temp = temp
        self.goal: Place | None = item.target
        """Where it will land, as far as is known."""
        self.fd: int | None = None
        """A complete file that must be on the disk before it is committed."""
        self.staged: Fingerprint | None = None
        self.announced = _NONE
        """Directories whose names must be on the disk before."""
        self.touched = _NONE
        """Directories whose names must be on the disk afterwards."""
        self.tidied = _NONE
        """Directories in which something superfluous was cleared away."""
        self.is_begun = False
        """Whether names of existing files were changed, or may have been."""

    @property
    def depth(self) -> int:
        """How far below its root it will be."""
        return 0 if self.goal is None else self.goal.rel.count(b"/")

    def intent(self) -> Intent:
        """What the journal must know beforehand."""
        return Intent(self.index, self.temp, self.item.target or self.item.source)

    def stage(self) -> None:  # noqa: B027 - most steps need no preparation
        """Prepare everything that does not touch a final name."""

    @abstractmethod
    def commit(self) -> StepResult:
        """Make the change."""

    def tidy(self) -> bool:
        """Clear away what the change made superfluous, once it is on the disk; whether that is done."""
        return True

    def release(self) -> None:  # noqa: B027 - most steps hold nothing that long
        """Let go of what was held until the change was on the disk."""

    def abandon(self) -> bool:
        """Clean up after a failure; whether no temporary name is left behind."""
        return True

    def put_back(self) -> PutBack | None:
        """How the files look after an attempt that was taken back, as far as they are the planned ones."""
        if not self.is_begun:
            return None
        item = self.item
        return PutBack(self._again(item.source, item.fingerprint), self._again(item.target, item.existing))

    def _again(self, place: Place | None, mark: Fingerprint | None) -> Fingerprint | None:
        try:
            found = None if place is None or mark is None else self.context.spot(place).found
        except (OSError, Drifted):
            return None
        return found if mark is not None and mark.is_like(found) else None

    @property
    def shuts(self) -> bool:
        """Whether what came before may be out of reach afterwards, so that it must be written down first."""
        return False

    @property
    def roots(self) -> list[bytes]:
        """The directories of the plan that this works in."""
        return [place.root for place in (self.item.source, self.item.target) if place is not None]

    @property
    def unsynced(self) -> list[int]:
        """The files that must be on the disk before this is committed."""
        return [] if self.fd is None else [self.fd]

    def close(self) -> None:
        """Close the prepared file; an error means it may not be on the disk."""
        if self.fd is not None:
            fd, self.fd = self.fd, None
            self.context.syscalls.close(fd)


def source_of(item: PlanItem) -> tuple[Place, Fingerprint]:
    """The source of an item that must have one, as it was planned."""
    if item.source is None or item.fingerprint is None:
        raise ValueError("this item needs a source")
    return item.source, item.fingerprint


def is_temp_free(context: RunContext, place: Place, temp: bytes) -> bool:
    """Whether nothing stands beside a place under a temporary name."""
    try:
        return fingerprint.of_name(temp, context.folders.open(place.root, place.folder)) is None
    except (OSError, Drifted):
        return False
