"""Taking back: the inverse of what an operation did, as a plan.

There may be half a million items: each is looked at once, as it comes, and what it makes is packed away. What is taken
away goes to the trash; nothing that somebody could want is unlinked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from cmdr.engine.errors import TROUBLE
from cmdr.engine.fs import finder_trash, fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.attributes import change_of, has, seen
from cmdr.engine.fs.folder_digest import look_inside
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash_site import NoTrashHere, home_trash, locate
from cmdr.engine.journal.records import ItemRecord, ItemState, Kept, OperationRecord
from cmdr.engine.plan.refusals import NotTakenBack
from cmdr.engine.plan.survey import go_on
from cmdr.engine.run.continuations import LaterRuns
from cmdr.engine.run.taken_back import TakenBack
from cmdr.engine.run.versions import Versions
from cmdr.engine.run.whole_folders import WholeFolders
from cmdr.model.plans.attributes import AttributeChange
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import (
    ConflictPolicy,
    Fingerprint,
    Kind,
    Place,
    Plan,
    PlanItem,
    Root,
    Step,
    Totals,
    Verb,
)
from cmdr.model.plans.traits import Traits

_DRIFTED = "it has changed since, so it is left alone"
_FINDER = "the Finder has it in its Trash and only you can take it out there"
_NO_TRASH = "its volume has no trash, and its source is not there as it was, so it is left alone"
_GONE = "it was deleted for good, so it cannot be brought back"


def plan_undo(record: OperationRecord, *earlier: OperationRecord, attempts: Sequence[OperationRecord] = ()) -> Plan:
    """The inverse of an operation. What has changed since is left alone and says so; nothing is overwritten.

    One that was interrupted and went on is taken back whole: `earlier` are the runs before, the last one first.
    `attempts` are undos of it that left something, the last one first: only that is planned, as it is now.
    """
    roots = {root.path: root for run in (record, *earlier) for root in run.plan.roots}
    with Folders(Syscalls(), roots.values()) as folders:
        inverse = _Inverse(folders, LaterRuns(), WholeFolders(folders), TakenBack(attempts), Versions(folders))
        for run in (record, *earlier):
            for found in reversed(run.items):
                folders.trim()
                if found.kept is not None:
                    for root in (found.kept.files, found.kept.info):
                        roots.setdefault(root.path, root)
                        folders.add_root(root)
                inverse.add_known(run, run.plan.items[found.index], found)
        inverse.add_rest()
    items = inverse.items()
    if not any(item.step is not Step.NOTHING for item in items):
        if not items:
            raise NotTakenBack(record.id, "it changed nothing")
        raise NotTakenBack(record.id, items[0].reason, items[0].place.path, len(items) - 1)
    plan = Plan(Verb.UNDO, items, _sorted(roots), ConflictPolicy.SKIP, undoes=record.id, undone=record.plan.verb)
    return replace(plan, continues=attempts[0].id) if attempts else plan


@dataclass(slots=True)
class _Inverse:
    """The inverse items, in the groups in which they must run."""

    folders: Folders
    later: LaterRuns
    whole: WholeFolders
    """What goes to the trash."""
    taken_back: TakenBack
    versions: Versions
    made: defaultdict[int, PackedItems] = field(default_factory=lambda: defaultdict(PackedItems))
    """Folders that were moved away and come back, by how deep they lie."""
    dressed: PackedItems = field(default_factory=PackedItems)
    """What gets its attributes back: a folder before what is inside, which may be out of reach until then."""
    renamed: PackedItems = field(default_factory=PackedItems)
    swapped: PackedItems = field(default_factory=PackedItems)
    copied: PackedItems = field(default_factory=PackedItems)
    linked: set[tuple[int, int]] = field(default_factory=set)
    """The copies that have several names, by identity."""
    emptied: defaultdict[int, PackedItems] = field(default_factory=lambda: defaultdict(PackedItems))
    """Folders that go, by how deep they lie."""
    _trash_in: tuple[tuple[bytes, bytes], bool] | None = None
    """The folder that was asked about last, and whether it has a trash."""

    def items(self) -> Sequence[PlanItem]:
        """All of them, in order."""
        for item in self.whole.items():
            if item.step is Step.REMOVE:
                self.emptied[item.place.rel.count(b"/")].append(item)
            else:
                self.renamed.append(item)
        made = [self.made[depth] for depth in sorted(self.made)]
        # Most often there are only renamed ones; those are packed already.
        whole = PackedItems(chain(*made, self.renamed)) if made else self.renamed
        emptied = [self.emptied[depth] for depth in sorted(self.emptied, reverse=True)]
        for item in chain(self._linked(reversed(self.copied)), self.swapped, *emptied, self.dressed):
            whole.append(item)
        return whole.done()

    def _linked(self, copied: Iterable[PlanItem]) -> Iterator[PlanItem]:
        """What is copied back, with the names of one file as names of one file."""
        first: dict[tuple[int, int], Place] = {}
        for item in copied:
            mark = item.fingerprint
            if mark is None or item.target is None or (mark.dev, mark.ino) not in self.linked:
                yield item
                continue
            before = first.setdefault((mark.dev, mark.ino), item.target)
            yield item if before is item.target else replace(item, step=Step.TWIN, twin=before)

    def add_known(self, run: OperationRecord, item: PlanItem, found: ItemRecord) -> None:
        """The inverse of one item as one of several runs knows it, newest first."""
        whole = self.later.take(run, item, found)
        if whole is not None:
            self.add(item, whole)

    def add_rest(self) -> None:
        """The inverse of what only later runs came to."""
        for item, found in self.later.rest():
            self.add(item, found)

    def add(self, item: PlanItem, found: ItemRecord) -> None:
        """The inverse of one item."""
        carried_out = found.state.is_done or found.state is ItemState.STAGED or found.landed is not None
        if not carried_out or item.step in (Step.NOTHING, Step.ADD):
            # What went into an archive is still where it was.
            return
        target = found.target or item.target or item.place
        is_kept = item.step is Step.TRASH and found.kept is not None
        if (found.kept.place if is_kept and found.kept is not None else target) in self.taken_back:
            return
        match item.step:
            case Step.REMOVE:
                self._removed(item, found.traits)
            case Step.MAKE:
                self._folder(item, found, target)
            case Step.TRASH if found.kept is not None and item.source is not None:
                self._return(item, found.kept, item.source)
            case Step.TRASH:
                self._nothing(item, item.place, _FINDER)
            case Step.ATTRIBUTES:
                self._dress(item, found, item.place)
            case Step.SWAP if item.source is not None:
                self._swap(item, item.source, item.existing, target, found.landed)
            case Step.RENAME if item.source is not None:
                self._rename(item, target, item.source, found.landed)
                if found.kept is not None and found.kept.place not in self.taken_back:
                    self._return(replace(item, totals=Totals(1, 0, 0)), found.kept, target)
            case _:
                self._arrival(item, found, target)

    def _dress(self, item: PlanItem, found: ItemRecord, place: Place) -> None:
        change = change_of(item)
        mark = found.landed or item.fingerprint
        before, after = change
        back = PlanItem(Step.ATTRIBUTES, item.kind, place, fingerprint=mark, totals=item.totals)
        try:
            now = seen(Spot(*self.folders.at(place)))
        except PermissionError:
            # Shut off by what is taken back before it; then it is looked at.
            self.dressed.append(replace(back, change=AttributeChange(after, before)))
            return
        except TROUBLE:
            now = None
        if mark is None or now is None or not mark.is_same_file(fingerprint.of_stat(now)) or not has(now, change):
            self._nothing(item, place, _DRIFTED)
            return
        # Its contents may be others by now: they stay, and so does their time.
        before = before if change.sets_time else before._replace(mtime_ns=now.st_mtime_ns)
        back_change = AttributeChange(after._replace(mtime_ns=now.st_mtime_ns), before)
        self.dressed.append(replace(back, fingerprint=fingerprint.of_stat(now), change=back_change))

    def _removed(self, item: PlanItem, traits: Traits | None) -> None:
        """What an undo removed: a copy whose other copy was still there, or a folder that was empty."""
        if item.source is not None and item.target is not None and item.existing is not None:
            here = self._look(item.target)
            mark = here if here is not None and item.existing.is_like(here) else item.existing
            back = PlanItem(Step.COPY, item.kind, item.target, item.source, mark, totals=item.totals)
            self.copied.append(replace(back, member=item.member, mode=item.mode))
        elif item.kind is Kind.FOLDER:
            self._make(PlanItem(Step.MAKE, Kind.FOLDER, None, item.source, totals=item.totals, traits=traits))
        else:
            self._nothing(item, item.place, _GONE)

    def _arrival(self, item: PlanItem, found: ItemRecord, target: Place) -> None:
        here = None if found.landed is None else self.versions.standing(item, target, found.landed)
        if here is None or found.landed is None:
            self._nothing(item, target, _DRIFTED)
            return
        if found.state is ItemState.SOURCE_REMOVED and item.source is not None:
            gone = found.kept is None
            back = PlanItem(Step.COPY, item.kind, target, item.source, here, totals=item.totals)
            self.copied.append(replace(back, remove_source=gone))
            if item.step is Step.TWIN:
                self.linked.add((here.dev, here.ino))
        elif found.kept is None:
            self._away(item, target, here, found.landed)
        if found.kept is not None:
            # What was displaced gets its name back; what displaced it stays in the trash in its stead.
            self._swap(item, found.kept.place, self._look(found.kept.place), target, here)

    def _away(self, item: PlanItem, target: Place, here: Fingerprint, landed: Fingerprint) -> None:
        """What the operation brought goes to the trash; where there is none it goes only beside what it was made of."""
        mark = item.fingerprint
        if self._has_trash(target):
            # An archive has no size before it is made.
            totals = Totals(1, 0, here.size) if item.step is Step.PACK else item.totals
            self.whole.add(PlanItem(Step.TRASH, item.kind, target, fingerprint=here, totals=totals))
        elif (
            item.source is not None
            and mark is not None
            and landed.stamp_ns == here.stamp_ns
            and self._shows(item.source, mark)
        ):
            away = PlanItem(Step.REMOVE, item.kind, target, item.source, here, mark, totals=item.totals)
            self.renamed.append(replace(away, member=item.member, mode=item.mode) if item.member else away)
        else:
            self._nothing(item, target, _NO_TRASH)

    def _has_trash(self, place: Place) -> bool:
        if self._trash_in is None or self._trash_in[0] != (place.root, place.folder):
            has_one = True
            try:
                locate(self.folders.at(place)[0], home_trash())
            except NoTrashHere:
                has_one = finder_trash.is_the_trash()
            self._trash_in = (place.root, place.folder), has_one
        return self._trash_in[1]

    def _folder(self, item: PlanItem, found: ItemRecord, target: Place) -> None:
        here = self._look(target)
        # A folder that lost only some of what it held gets its times back as well.
        has_traits = found.landed is not None or found.traits is not None
        is_back = found.state is ItemState.SOURCE_REMOVED or (
            found.state is ItemState.LANDED and item.remove_source and has_traits
        )
        if is_back and item.source is not None and here is not None:
            back = PlanItem(
                Step.MAKE, Kind.FOLDER, target, item.source, here, self._look(item.source), totals=item.totals
            )
            # Its copy has what it had. One that it was joined to has its own, and stays.
            is_copy = found.landed is not None
            self._make(replace(back, remove_source=is_copy, traits=None if is_copy else found.traits))
        elif found.landed is not None and here is not None and found.landed.matches(here):
            # As it is now: it has got its time since it landed.
            self.whole.close(target, here, item.totals)

    def _make(self, item: PlanItem) -> None:
        self.made[item.target.rel.count(b"/") if item.target is not None else 0].append(item)

    def _return(self, item: PlanItem, kept: Kept, to: Place) -> None:
        here = self._look(kept.place)
        if here is None:
            self._nothing(item, to, "it is not in the trash any more")
            return
        totals, names = self._inside(item, kept.place, here)
        self.renamed.append(
            PlanItem(Step.RENAME, here.kind, kept.place, to, here, totals=totals, info=kept.note_place, names=names)
        )

    def _rename(self, item: PlanItem, at: Place, to: Place, landed: Fingerprint | None) -> None:
        here = self._look(at)
        if landed is None or here is None or not landed.is_like(here):
            self._nothing(item, at, _DRIFTED)
            return
        # A folder that gets its old name where it is takes nothing along.
        is_moved = (at.root, at.folder) != (to.root, to.folder)
        totals, names = self._inside(item, at, here) if is_moved else (item.totals, "")
        self.renamed.append(PlanItem(Step.RENAME, item.kind, at, to, here, totals=totals, names=names))

    def _inside(self, item: PlanItem, place: Place, here: Fingerprint) -> tuple[Totals, str]:
        """How much goes back with an item: of a folder what it holds by now."""
        if here.kind is not Kind.FOLDER:
            return item.totals, ""
        try:
            folder, name = self.folders.at(place)
            return look_inside(name, folder, go_on, sizes=True)
        except TROUBLE:
            return item.totals, ""

    def _swap(
        self,
        item: PlanItem,
        first: Place,
        first_mark: Fingerprint | None,
        second: Place,
        second_mark: Fingerprint | None,
    ) -> None:
        if first_mark is None or second_mark is None:
            self._nothing(item, second, _DRIFTED)
            return
        # In a ring of names each file is at another place by then, and nothing is lost by trading places.
        one, other = first_mark._replace(stamp_ns=None), second_mark._replace(stamp_ns=None)
        self.swapped.append(PlanItem(Step.SWAP, one.kind, first, second, one, other, totals=item.totals))

    def _nothing(self, item: PlanItem, place: Place, why: str) -> None:
        self.renamed.append(PlanItem(Step.NOTHING, item.kind, place, reason=why))

    def _shows(self, place: Place, mark: Fingerprint) -> bool:
        """Whether exactly this file stands there now."""
        try:
            return Spot(*self.folders.at(place)).shows(mark)
        except TROUBLE:
            return False

    def _look(self, place: Place) -> Fingerprint | None:
        try:
            return Spot(*self.folders.at(place)).found
        except TROUBLE:
            return None


def _sorted(roots: dict[bytes, Root]) -> tuple[Root, ...]:
    return tuple(roots[path] for path in sorted(roots))
