"""What the steps of a running operation share: open directories, trashes, decisions, and the journal."""

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cmdr.engine.errors import Drifted, Skipped
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.metadata import traits_of
from cmdr.engine.fs.open_archives import OpenArchives
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import NoTrashHere, Trash, TrashSite, locate
from cmdr.engine.journal.records import Intent
from cmdr.engine.run.conflicts import Decider
from cmdr.engine.run.control import Control
from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem


@dataclass(slots=True)
class Packing:
    """An archive that is being made, shared by the archive and by what is added to it."""

    count: int = 0
    """How much goes in."""
    is_wanted: bool = False
    """Whether this run is to make an archive; one that only finishes another's books is not."""
    left_out: dict[int, str] = field(default_factory=dict)
    """What could not be added, by its number in the plan, and why."""
    is_made: bool = False
    problem: Exception | None = None
    """Why the archive was not made."""


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
class RunContext:
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
    items: Sequence[PlanItem] = ()
    """All items of the plan."""
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
