"""New folders: made under a temporary name, named without displacing anything, or joined when one stands there."""

from cmdr.files.engine.landing import Spot, place
from cmdr.files.engine.recorder import ItemState
from cmdr.files.engine.relocation import source_of
from cmdr.files.engine.trouble import Drifted, Skipped
from cmdr.files.engine.workbench import Landed, Work
from cmdr.model.plan import Decision, Fingerprint, Kind, Place


class MadeFolder(Work):
    """A folder is made, or joined when one stands there.

    As a file does, it comes into being under a temporary name, and the journal knows it before it gets its own: so a
    later start can tell a folder of ours from one that somebody else has made meanwhile.
    """

    makes_room = True

    _made = False

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
        self.bench.syscalls.mkdir(temp.name, temp.folder, 0o777 if self.item.source is None else 0o700)
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
        # With a source the folder is finished only when its attributes are set, after all its children.
        state = ItemState.LANDED if self.item.source is None else ItemState.STAGED
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
    def _target(self) -> Place:
        if self.item.target is None:
            raise ValueError("a folder needs a target")
        return self.item.target

    def _expect(self, found: Fingerprint) -> None:
        self.bench.folders.expect(self._target, found.dev, found.ino)

    def _join(self, spot: Spot) -> None:
        found = spot.found
        if found is None or found.kind is not Kind.FOLDER:
            raise Skipped("a file has that name")
        if self.item.source is None and self.item.decision is not Decision.MERGE:
            raise Skipped("the folder is there already")
        if self.item.decision is Decision.LAND and found.matches(self.item.existing):
            # Made by an earlier run that stopped: its attributes are still to come.
            self.staged = found
        self._expect(found)
