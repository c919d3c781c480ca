"""The line that items of a plan go through: written down first, prepared, on the disk, landed, written down again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cmdr.files.engine import finder_trash
from cmdr.files.engine.arrival import CopiedFile, CopiedLink, NewFile, NewLink, Twin
from cmdr.files.engine.control import Cancelled
from cmdr.files.engine.group_commit import GROUP, GROUP_BYTES, GroupCommit
from cmdr.files.engine.recorder import ItemState, Note
from cmdr.files.engine.relocation import MadeFolder, Removed, Renamed, Swapped, Trashed
from cmdr.files.engine.tally import Tally
from cmdr.files.engine.temporary import temp_name
from cmdr.files.engine.trouble import TROUBLE, Drifted, fate_of, saying
from cmdr.files.engine.workbench import Landed, Work, Workbench
from cmdr.model.plan import Decision, Kind, Place, PlanItem, Step

_WORKS: dict[Step, type[Work]] = {
    Step.MAKE: MadeFolder,
    Step.COPY: CopiedFile,
    Step.TWIN: Twin,
    Step.RENAME: Renamed,
    Step.SWAP: Swapped,
    Step.TRASH: Trashed,
    Step.REMOVE: Removed,
    Step.CREATE: NewFile,
    Step.LINK: NewLink,
}
# Steps that wait for the disk together; the others take effect one by one, in the order of the plan.
_GROUPED = frozenset({Step.MAKE, Step.COPY, Step.TWIN, Step.CREATE, Step.TRASH, Step.LINK})


class ItemLine:
    """Takes items through intent, staging, landing and confirmation, a group at a time."""

    def __init__(self, bench: Workbench, tally: Tally, pool: GroupCommit) -> None:
        self._bench = bench
        self._tally = tally
        self._pool = pool
        self._staged: list[Work] = []
        self._landed: list[tuple[Work, Landed]] = []
        self._fresh: set[Place] = set()
        """Names that changed and are not on the disk yet."""

    def run(self, items: Sequence[PlanItem]) -> None:
        _prepare(self._bench, items)
        for group in _groups(items):
            works = self._begin(group)
            try:
                for work in works:
                    self._take(work)
            finally:
                # Also when the person said stop: what is complete lands, only the partial file goes.
                try:
                    self._land_staged()
                finally:
                    self._confirm()
            self._bench.folders.trim()

    def _begin(self, group: list[tuple[int, PlanItem]]) -> list[Work]:
        works, intents = [], []
        for index, item in group:
            if item.step is Step.NOTHING or item.decision is Decision.SKIP:
                self._tally.settle(index, Landed(ItemState.SKIPPED, item.reason))
                continue
            work = _work_for(item)(self._bench, index, item, temp_name())
            try:
                intents.append(work.intent())
            except TROUBLE as problem:
                self._tally.settle(index, Landed(*fate_of(problem)))
                continue
            works.append(work)
        self._tally.intend(intents)
        return works

    def _take(self, work: Work) -> None:
        if work.item.step not in _GROUPED or self._waits_for_twin(work):
            self._land_staged()
        if self._bench.folders.is_crowded or self._builds_on_fresh_names(work):
            self._land_staged()
            self._confirm()
            self._bench.folders.trim()
        try:
            self._tally.begin(work.index)
            for root in work.roots:
                self._bench.folders.must_be_there(root)
            work.stage()
        except Cancelled:
            self._give_up(work, ItemState.PLANNED, "")
            raise
        except TROUBLE as problem:
            self._give_up(work, *fate_of(problem))
            return
        self._staged.append(work)
        if work.item.step not in _GROUPED:
            self._land_staged()

    def _waits_for_twin(self, work: Work) -> bool:
        return work.item.twin is not None and work.item.twin not in self._bench.landed

    def _builds_on_fresh_names(self, work: Work) -> bool:
        """Whether a change uses names that are not on the disk yet: a name that was just given up, or a new folder
        for an original. An outage could lose the first change, keep the second, and leave a file without any name."""
        if not self._fresh:
            return False
        names = _names(work)
        if work.item.step not in _GROUPED and work.goal is not None:
            names += _folders_above(work.goal)
        return not self._fresh.isdisjoint(names)

    def _land_staged(self) -> None:
        works, self._staged = self._staged, []
        failed = self._unsafe(works)
        for work in [work for work in works if work.index in failed]:
            works.remove(work)
            self._give_up(work, ItemState.FAILED, saying(failed[work.index]))
        self._record_staged(works)
        stopped: Cancelled | None = None
        for work in works:
            try:
                self._landed.append((work, work.land()))
                self._fresh.update(_names(work))
            except Cancelled as stop:
                self._give_up(work, ItemState.PLANNED, "")
                stopped = stop
            except TROUBLE as problem:
                self._give_up(work, *fate_of(problem))
        if stopped is not None:
            raise stopped

    def _unsafe(self, works: list[Work]) -> dict[int, OSError]:
        """Wait until what is prepared is on the disk: contents first, then the names that announce it."""
        files = [(work, fd) for work in works for fd in work.unsynced]
        errors = self._pool.sync([fd for _, fd in files])
        failed = {work.index: error for (work, _), error in zip(files, errors, strict=True) if error is not None}
        folders = sorted(set().union(*(work.announced for work in works)))
        for folder, error in zip(folders, self._pool.sync_folders(folders), strict=True):
            if error is not None:
                failed.update((work.index, error) for work in works if folder in work.announced)
        return failed

    def _record_staged(self, works: list[Work]) -> None:
        notes = [
            Note(work.index, ItemState.STAGED, "", _elsewhere(work), work.staged, temp_gone=False)
            for work in works
            if work.staged is not None
        ]
        try:
            self._tally.stage(notes)
        except BaseException:
            # Without the journal nothing may land.
            for work in works:
                work.abandon()
            raise

    def _confirm(self) -> None:
        """Wait until the new names are on the disk, then settle the items."""
        landed, self._landed = self._landed, []
        self._fresh.clear()
        unsure = self._unsure(set().union(*(work.touched for work, _ in landed)))
        fates = []
        for work, fate in landed:
            why = self._missing(work) or next((unsure[folder] for folder in work.touched if folder in unsure), "")
            if why:
                # Nothing is cleared away yet; the next start sees what is true and does it then.
                fates.append(replace(_unconfirmed(fate, why), is_clean=fate.is_clean and work.item.info is None))
            else:
                fates.append(replace(fate, is_clean=work.tidy() and fate.is_clean))
        untidy = self._unsure(set().union(*(work.tidied for work, _ in landed)))
        for (work, _), fate in zip(landed, fates, strict=True):
            self._tally.settle(work.index, replace(fate, is_clean=fate.is_clean and not work.tidied & untidy.keys()))
        self._tally.write()

    def _missing(self, work: Work) -> str:
        """Why it is not certain where a change went, or nothing."""
        try:
            for root in work.roots:
                self._bench.folders.must_be_there(root)
        except (Drifted, OSError) as problem:
            return fate_of(problem)[1]
        return ""

    def _unsure(self, folders: set[int]) -> dict[int, str]:
        """Wait until names are on the disk; the directories that do not say so, and what they say instead."""
        ordered = sorted(folders)
        errors = zip(ordered, self._pool.sync_folders(ordered), strict=True)
        return {folder: saying(error) for folder, error in errors if error is not None}

    def _give_up(self, work: Work, state: ItemState, reason: str) -> None:
        self._tally.settle(work.index, Landed(state, reason, is_clean=work.abandon()))


def _work_for(item: PlanItem) -> type[Work]:
    if item.step is Step.COPY and item.kind is Kind.LINK:
        return CopiedLink
    if item.step is Step.TRASH and finder_trash.is_the_trash():
        return finder_trash.SentToFinder
    return _WORKS[item.step]


def _names(work: Work) -> list[Place]:
    return [place for place in (work.item.source, work.item.target, work.goal) if place is not None]


def _folders_above(place: Place) -> list[Place]:
    parts = place.rel.split(b"/")
    return [Place(place.root, b"/".join(parts[:depth])) for depth in range(1, len(parts))]


def _elsewhere(work: Work) -> Place | None:
    return None if work.goal == work.item.target else work.goal


def _unconfirmed(fate: Landed, why: str) -> Landed:
    reason = f"it was carried out, but the disk did not confirm it: {why}"
    return replace(fate, state=ItemState.FAILED, reason=reason)


def _groups(items: Sequence[PlanItem]) -> Iterator[list[tuple[int, PlanItem]]]:
    group: list[tuple[int, PlanItem]] = []
    size = 0
    for index, item in enumerate(items):
        group.append((index, item))
        size += item.totals.bytes if item.step is Step.COPY else 0
        if len(group) >= GROUP or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _prepare(bench: Workbench, items: Sequence[PlanItem]) -> None:
    """Learn which folders the plan means, and which copies will be linked to."""
    folders = bench.folders
    for item in items:
        if item.twin is not None:
            bench.twins.add(item.twin)
        if item.step is Step.MAKE:
            if item.source is not None and item.fingerprint is not None:
                folders.expect(item.source, item.fingerprint.dev, item.fingerprint.ino)
            if item.target is not None and item.existing is not None:
                folders.expect(item.target, item.existing.dev, item.existing.ino)
