"""The end of an operation: folders get their attributes, and sources go whose copies are safe."""

from collections.abc import Iterator

from cmdr.engine.errors import TROUBLE, Drifted, fate_of, saying
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.names import temp_name
from cmdr.engine.fs.removal import remove_exactly, vouched_for
from cmdr.engine.journal.records import Intent, ItemState
from cmdr.engine.run.fsync_pool import GROUP, GroupCommit
from cmdr.engine.run.item_results import ItemOutcome
from cmdr.engine.run.progress import Tally
from cmdr.engine.steps.bench import Workbench
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.step import StepResult, source_of
from cmdr.model.plans.plan import Fingerprint, Kind

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
            self._finish_some([fate for fate in made if step_of(fate.item).finishes_late])
        self._tally.write()

    def remove_sources(self) -> None:
        """Remove the sources of a move that copied: exactly those that landed and are unchanged."""
        for done in self._some(ItemState.LANDED, GROUP):
            group = [(fate, temp_name()) for fate in done if step_of(fate.item).leaves_source(fate.item)]
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
        lost = [step_of(fate.item).finish(self._bench, fate.item) for fate in made]
        targets = [target for target, _ in lost if target is not None]
        errors = dict(zip(targets, self._pool.sync_folders(targets), strict=True))
        for fate, (target, warnings) in zip(made, lost, strict=True):
            error = None if target is None else errors[target]
            told = warnings if error is None else (*warnings, f"folder attributes ({saying(error)})")
            self._tally.settle(fate.index, StepResult(target=fate.target, landed=fate.landed, warnings=told))
        self._bench.folders.trim()

    def _remove_source(self, fate: ItemOutcome, temp: bytes, touched: set[int]) -> None:
        place, expected = source_of(fate.item)
        kept = StepResult(target=fate.target, landed=fate.landed, kept=fate.kept)
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
            landed = StepResult(ItemState.LANDED, reason, kept.target, kept.landed, kept.kept, (reason,), clean)
            self._tally.settle(fate.index, landed)
            return
        self._tally.settle(fate.index, StepResult(ItemState.SOURCE_REMOVED, "", kept.target, kept.landed, kept.kept))

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
