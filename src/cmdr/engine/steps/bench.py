"""What the parts of a running operation share: open directories, trashes, decisions, and the journal's ear."""

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from cmdr.engine.errors import Drifted, Skipped
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.metadata import traits_of
from cmdr.engine.fs.open_archives import OpenArchives
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import Trash
from cmdr.engine.fs.trash_site import NoTrashHere, TrashSite, locate
from cmdr.engine.journal.records import Intent, ItemState, Kept, PutBack
from cmdr.engine.run.conflicts import Decider
from cmdr.engine.run.control import Control
from cmdr.engine.steps.packing import Packing
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem, Totals
from cmdr.model.plans.traits import Traits


class Landed(NamedTuple):
    """What became of an item that was carried out; a tuple, because there is one for every file."""

    state: ItemState = ItemState.LANDED
    reason: str = ""
    target: Place | None = None
    landed: Fingerprint | None = None
    kept: Kept | None = None
    warnings: tuple[str, ...] = ()
    is_clean: bool = True
    """Whether nothing temporary was left behind; if not, the next start sees to it."""
    put_back: PutBack | None = None
    totals: Totals | None = None
    """How much it really was, when that is not what was planned."""


class Trashes:
    """The trashes of the volumes an operation touches, each opened once."""

    def __init__(self, syscalls: Syscalls, home: bytes) -> None:
        self._syscalls = syscalls
        self._home = home
        self._open: dict[TrashSite, Trash] = {}

    def beside(self, folder: int) -> Trash:
        """The trash for files in an open directory."""
        try:
            site = locate(folder, self._home)
        except NoTrashHere as why:
            raise Skipped(f"there is no trash on this volume ({why}), so nothing was put aside") from why
        if site not in self._open:
            self._open[site] = Trash(self._syscalls, site)
        return self._open[site]

    def close(self) -> None:
        """Let go of all of them."""
        for trash in self._open.values():
            trash.close()
        self._open.clear()


@dataclass(slots=True)
class Workbench:
    """What one running operation works with."""

    syscalls: Syscalls
    folders: Folders
    trashes: Trashes
    decider: Decider
    control: Control
    intend: Callable[[Intent], None]
    """Tell the journal about a change of intent, before acting on it."""
    stride: Callable[[int], None]
    verify: bool = False
    landed: dict[Place, Fingerprint] = field(default_factory=dict)
    """Copies made by this operation, for the hard links that follow."""
    twins: set[Place] = field(default_factory=set)
    """Where the copies land that will be linked to."""
    archives: OpenArchives = field(init=False)
    """What members are unpacked from."""
    packing: Packing = field(default_factory=Packing)
    """What goes into an archive that this operation makes."""
    _stamps: dict[tuple[int, int], int] = field(default_factory=dict)
    """When this operation itself changed a file last that it may come to again, by the file's identity."""

    def __post_init__(self) -> None:
        self.archives = OpenArchives(self.syscalls, self.folders)

    def spot(self, place: Place) -> Spot:
        """A place as a name in an open directory."""
        return Spot(*self.folders.at(place))

    def changed(self, found: os.stat_result | None, *, again: bool = False) -> None:
        """This operation has just changed a file: renamed it, linked it, or taken one of its names.

        Such a file looks changed when the operation comes to it again, under another of its names or, if `again`, under
        the same.
        """
        if found is not None and (again or found.st_nlink > 1) and not stat.S_ISDIR(found.st_mode):
            self._stamps[found.st_dev, found.st_ino] = found.st_ctime_ns

    def by_now(self, mark: Fingerprint) -> Fingerprint:
        """How a file must look now if nobody but this operation has changed it."""
        stamp = self._stamps.get((mark.dev, mark.ino)) if self._stamps else None
        return mark if stamp is None else mark._replace(stamp_ns=stamp)

    def traits(self, place: Place, expected: Fingerprint) -> Traits | None:
        """What surrounds a folder that is about to lose what it holds, or None when it cannot be told."""
        try:
            spot = self.spot(place)
            folder = self.syscalls.open_folder(spot.name, spot.folder)
        except (OSError, Drifted):
            return None
        try:
            return traits_of(folder, expected.mtime_ns)
        except OSError:
            return None
        finally:
            self.syscalls.discard(folder)


_NONE: frozenset[int] = frozenset()


class Work(ABC):
    """One item on the bench: prepared, brought to the disk, landed, or abandoned."""

    lands_alone: ClassVar[bool] = False
    """Whether it takes effect by itself, in the order of the plan; the others wait for the disk together."""

    makes_room: ClassVar[bool] = False
    """Whether others of the plan are put into it."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        self.bench = bench
        self.index = index
        self.item = item
        self.temp = temp
        self.goal: Place | None = item.target
        """Where it will land, as far as is known."""
        self.fd: int | None = None
        """A complete file that must be on the disk before landing."""
        self.staged: Fingerprint | None = None
        self.announced = _NONE
        """Directories whose names must be on the disk before landing."""
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
    def land(self) -> Landed:
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
            found = None if place is None or mark is None else self.bench.spot(place).found
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
        """The files that must be on the disk before this lands."""
        return [] if self.fd is None else [self.fd]

    def close(self) -> None:
        """Close the prepared file; an error means it may not be on the disk."""
        if self.fd is not None:
            fd, self.fd = self.fd, None
            self.bench.syscalls.close(fd)
