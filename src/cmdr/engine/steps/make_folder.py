"""New folders: made under a temporary name, named without displacing anything, or joined when one stands there."""

from cmdr.engine.errors import Drifted, Skipped
from cmdr.engine.fs.atomic_rename import Spot, place
from cmdr.engine.journal.records import Intent, ItemState
from cmdr.engine.steps.bench import Landed, Work
from cmdr.engine.steps.relocation import source_of
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place


class MadeFolder(Work):
    """A folder is made, or joined when one stands there.

    As a file does, it comes into being under a temporary name, and the journal knows it before it gets its own: so a
    later start can tell a folder of ours from one that somebody else has made meanwhile.
    """

    makes_room = True

    _made = False

    def intent(self) -> Intent:
        intent = super().intent()
        if self.item.remove_source:
            # Only the copy of a folder has what the folder had; one that others are joined to has its own.
            intent.traits = self.bench.traits(*source_of(self.item))
        return intent

    def stage(self) -> None:
        spot = self.bench.spot(self._target)
        planned = self.item.existing
        if self.item.decision is Decision.MERGE and planned is not None and not planned.matches(spot.found):
            raise Drifted("the folder there is not the one that was planned")
        if self.item.source is not None:
            source, expected = source_of(self.item)
            if not expected.matches(self.bench.spot(source).found):
                raise Drifted("it has changed since the plan")
        if spot.found is not None:
            self._join(spot)
            return
        temp = Spot(spot.folder, self.temp)
        self._made = True
        self.bench.syscalls.mkdir(temp.name, temp.folder, self._mode)
        self.staged = temp.found
        if self.staged is None:
            raise Drifted("another program removed the folder right after it was made")

    def land(self) -> Landed:
        clean = True
        if self._made and self.staged is not None:
            spot = self.bench.spot(self._target)
            try:
                place(self.bench.syscalls, Spot(spot.folder, self.temp), spot, Kind.FOLDER, is_copy=True)
            except FileExistsError:
                clean = self.abandon()
                self._join(spot)
            else:
                self._made = False
                self.touched |= {spot.folder}
                self._expect(self.staged)
        if self.staged is None:
            return Landed(target=self.item.target, is_clean=clean)
        state = ItemState.STAGED if self._is_dressed_later else ItemState.LANDED
        return Landed(state, target=self.item.target, landed=self.staged)

    def abandon(self) -> bool:
        if not self._made:
            return True
        try:
            temp = Spot(self.bench.spot(self._target).folder, self.temp)
            if temp.found is not None:
                self.bench.syscalls.rmdir(temp.name, temp.folder)
                self.bench.syscalls.sync_folder(temp.folder)
        except (OSError, Drifted):
            return False
        self._made, self.staged = False, None
        return True

    @property
    def _is_dressed_later(self) -> bool:
        """Whether the folder is finished only when its attributes are set, after all its children."""
        return self.item.source is not None or self.item.traits is not None

    @property
    def _mode(self) -> int:
        if self.item.mode is not None:
            return self.item.mode
        return 0o700 if self._is_dressed_later else 0o777

    @property
    def _target(self) -> Place:
        if self.item.target is None:
            raise ValueError("a folder needs a target")
        return self.item.target

    def _expect(self, found: Fingerprint) -> None:
        self.bench.folders.expect(self._target, found)

    def _join(self, spot: Spot) -> None:
        found = spot.found
        if found is None or found.kind is not Kind.FOLDER:
            raise Skipped("a file has that name")
        if self.item.decision is Decision.LAND and self.item.existing is not None:
            # Made by an earlier run that stopped: its attributes are still to come.
            if not self.item.existing.matches(found):
                raise Drifted("the folder there is not the one that was planned")
            self.staged = found
        elif self.item.source is None and self.item.decision is not Decision.MERGE:
            raise Skipped("the folder is there already")
        self._expect(found)
