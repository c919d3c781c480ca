"""A file or folder gets other permissions, another owner or another time; its name and contents stay."""

import os

from cmdr.engine.errors import Damaged, Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.attributes import change_of, give, has, reopened
from cmdr.engine.steps.bench import Landed, Work, Workbench
from cmdr.engine.steps.relocation import source_of
from cmdr.model.plans.plan import Kind, PlanItem

_READ_OR_ENTER = 0o555


class Dressed(Work):
    """One change of attributes: whole, or taken back."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        self._held: int | None = None
        """A handle to the file, whether or not it can be read."""
        self._opened: int | None = None
        """The same, open until the disk has its attributes."""
        self._begun = False

    @property
    def roots(self) -> list[bytes]:
        """None to be looked at together with others: a folder of this very plan may have shut one off by then."""
        return []

    @property
    def shuts(self) -> bool:
        """Whether a folder may become one that cannot be read or entered."""
        before, after = change = change_of(self.item)
        return self.item.kind is Kind.FOLDER and bool(change.sets_owner or before.mode & ~after.mode & _READ_OR_ENTER)

    def land(self) -> Landed:
        source, _ = source_of(self.item)
        change = change_of(self.item)
        self.bench.folders.must_be_there(source.root)
        spot = self.bench.spot(source)
        held = self._hold(spot)
        self._opened = reopened(self.bench.syscalls, held, self.item.kind)
        self._begun = True
        give(self.bench.syscalls, held, change.after, time=change.sets_time)
        found = os.fstat(held)
        if not has(found, change):
            raise Damaged("this volume does not keep these attributes")
        if self._opened is None:
            self._opened = reopened(self.bench.syscalls, held, self.item.kind)
        # What nobody can open is on the disk with its folder, where file systems go that far.
        self.touched |= {spot.folder if self._opened is None else self._opened}
        self._let_go()
        return Landed(landed=fingerprint.of_stat(found))

    def abandon(self) -> bool:
        is_clean = self._held is None or not self._begun or self._put_back(self._held)
        self._let_go()
        self.release()
        return is_clean

    def release(self) -> None:
        if self._opened is not None:
            self.bench.syscalls.discard(self._opened)
            self._opened = None

    def _hold(self, spot: Spot) -> int:
        """A handle to exactly the planned file, unchanged, or as an earlier run left it."""
        _, expected = source_of(self.item)
        change, left = change_of(self.item), self.item.existing
        try:
            self._held = held = self.bench.syscalls.hold(spot.name, spot.folder)
        except FileNotFoundError as problem:
            raise Drifted("it is not there any more") from problem
        found = os.fstat(held)
        # Attributes are what is compared: a stamp tells no more of them, and changes when half a change is put back.
        now = fingerprint.of_stat(found)
        is_as_planned = expected.is_like(now) and has(found, change, after=False)
        is_as_left = left is not None and left.is_like(now) and has(found, change)
        if not (is_as_planned or is_as_left):
            raise Drifted("it has changed since the plan")
        return held

    def _put_back(self, held: int) -> bool:
        change = change_of(self.item)
        try:
            give(self.bench.syscalls, held, change.before, time=change.sets_time)
            if self._opened is not None:
                self.bench.syscalls.sync_data(self._opened)
        except OSError:
            return False
        return True

    def _let_go(self) -> None:
        if self._held is not None:
            self.bench.syscalls.discard(self._held)
            self._held = None
