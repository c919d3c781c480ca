"""The end of an operation: folders get their attributes, and sources go whose copies are safe."""

import os
from collections.abc import Iterator

from cmdr.engine.errors import TROUBLE, Drifted, fate_of, saying
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.metadata import keep_metadata, keep_time, restore_traits
from cmdr.engine.fs.names import temp_name
from cmdr.engine.fs.removal import remove_exactly, vouched_for
from cmdr.engine.journal.records import Intent, ItemState
from cmdr.engine.run.fsync_pool import GROUP, GroupCommit
from cmdr.engine.run.item_results import ItemOutcome
from cmdr.engine.run.progress import Tally
from cmdr.engine.steps.bench import Landed, Workbench
from cmdr.engine.steps.relocation import source_of
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem, Step

_TOGETHER = 64
"""How many folders are finished at a time; each holds two descriptors."""


class MovedOut:
    """What is left to do when everything has landed."""

    def __init__(self, bench: Workbench, tally: Tally, pool: GroupCommit) -> None:
        self._bench = bench
        self._tally = tally
        self._pool = pool

    def finish_folders(self) -> None:
        """Give new folders the attributes of their sources: after their children, innermost first."""
        for made in self._some(ItemState.STAGED, _TOGETHER):
            self._finish_some([fate for fate in made if fate.item.step is Step.MAKE])
        self._tally.write()

    def remove_sources(self) -> None:
        """Remove the sources of a move that copied: exactly those that landed and are unchanged."""
        for done in self._some(ItemState.LANDED, GROUP):
            group = [(fate, temp_name()) for fate in done if _leaves_a_source(fate.item)]
            self._tally.intend(
                [Intent(fate.index, temp, fate.item.source, fate.kept, parks=True) for fate, temp in group]
            )
            touched: set[int] = set()
            for fate, temp in group:
                self._bench.control.checkpoint()
                self._remove_source(fate, temp, touched)
            # The copies are on the disk; at worst a removed source shows up again after a power cut.
            self._pool.sync_folders(sorted(touched))
            self._tally.write()
            self._bench.folders.trim()

    def _some(self, state: ItemState, count: int) -> Iterator[list[ItemOutcome]]:
        """The items in a state, the last ones first, so many at a time: all at once they would take much room."""
        fates = self._tally.fates
        chosen = fates.which(state)
        for end in range(len(chosen), 0, -count):
            yield [fates[index] for index in reversed(chosen[max(0, end - count) : end])]

    def _finish_some(self, made: list[ItemOutcome]) -> None:
        lost = [self._set_attributes(fate) for fate in made]
        targets = [target for target, _ in lost if target is not None]
        errors = dict(zip(targets, self._pool.sync_folders(targets), strict=True))
        for fate, (target, warnings) in zip(made, lost, strict=True):
            error = None if target is None else errors[target]
            told = warnings if error is None else (*warnings, f"folder attributes ({saying(error)})")
            self._tally.settle(fate.index, Landed(target=fate.target, landed=fate.landed, warnings=told))
        self._bench.folders.trim()

    def _set_attributes(self, fate: ItemOutcome) -> tuple[int | None, tuple[str, ...]]:
        item, folders, syscalls = fate.item, self._bench.folders, self._bench.syscalls
        try:
            goal = item.target or item.place
            target = folders.open(goal.root, goal.rel)
            if item.traits is not None:
                return target, restore_traits(syscalls, target, item.traits)
            if item.member is not None:
                return target, keep_time(syscalls, target, item.member.mtime_ns)
            place, mark = source_of(item)
            source = folders.open(place.root, place.rel)
            # What a move takes out of a folder, in this run or in one before, changes the folder's own time.
            time = mark.mtime_ns if item.remove_source else None
            return target, keep_metadata(syscalls, source, target, os.fstat(source), mtime_ns=time)
        except TROUBLE as problem:
            return None, (f"folder attributes ({fate_of(problem)[1]})",)

    def _remove_source(self, fate: ItemOutcome, temp: bytes, touched: set[int]) -> None:
        place, expected = source_of(fate.item)
        kept = Landed(target=fate.target, landed=fate.landed, kept=fate.kept)
        clean = True
        try:
            source = self._bench.spot(place)
            expected = self._copied(fate, source, self._bench.by_now(expected))
            parked = Spot(source.folder, temp)
            try:
                other_names = remove_exactly(self._bench.syscalls, source, expected, parked)
                self._bench.changed(other_names, again=True)
            finally:
                clean = parked.found is None
            touched.add(source.folder)
        except TROUBLE as problem:
            reason = f"the source was kept: {fate_of(problem)[1]}"
            landed = Landed(ItemState.LANDED, reason, kept.target, kept.landed, kept.kept, (reason,), clean)
            self._tally.settle(fate.index, landed)
            return
        self._tally.settle(fate.index, Landed(ItemState.SOURCE_REMOVED, "", kept.target, kept.landed, kept.kept))

    def _copied(self, fate: ItemOutcome, source: Spot, expected: Fingerprint) -> Fingerprint:
        """The source that may go, because its copy stands where it landed."""
        bench = self._bench
        bench.folders.must_be_there((fate.target or fate.item.place).root)
        if fate.item.kind is Kind.FOLDER:
            return expected
        if fate.target is None or fate.landed is None:
            raise Drifted("its copy is gone or has changed")
        landed = bench.by_now(fate.landed)
        return vouched_for(bench.syscalls, source, expected, bench.spot(fate.target), landed, bench.stride)


def _leaves_a_source(item: PlanItem) -> bool:
    # A source that an earlier run had left is removed as an item of its own.
    return item.remove_source and item.step is not Step.REMOVE
