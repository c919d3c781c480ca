"""Taking back: the inverse of what an operation did, as a plan.

There may be half a million items: each is looked at once, as it comes, and what it makes is packed away. What is taken
away goes to the trash; nothing that somebody could want is unlinked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from cmdr.engine.errors import ITEM_ERRORS
from cmdr.engine.fs import finder_trash
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folder_digest import look_inside
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import NoTrashHere, home_trash, locate
from cmdr.engine.journal.records import Backup, ItemRecord, ItemState, OperationRecord
from cmdr.engine.plan.refusals import NotTakenBack
from cmdr.engine.plan.survey import go_on
from cmdr.engine.run.versions import Versions
from cmdr.engine.run.whole_folders import WholeFolders
from cmdr.engine.steps.copy import Twin
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.remove import Remove
from cmdr.engine.steps.rename import Rename
from cmdr.engine.steps.step import CHANGED, UndoPhase
from cmdr.engine.steps.swap import Swap
from cmdr.engine.steps.trash import Trash
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Kind, Place, Plan, PlanItem, Root, Totals, Verb
from cmdr.model.plans.steps import KINDS

_BY_DEPTH = (UndoPhase.MAKE, UndoPhase.EMPTY)
_NO_TRASH = "its volume has no trash, and its source is not there as it was, so it is left alone"


def plan_undo(record: OperationRecord, *earlier: OperationRecord, attempts: Sequence[OperationRecord] = ()) -> Plan:
    """The inverse of an operation. What has changed since is left alone and says so; nothing is overwritten.

    One that was interrupted and went on is taken back whole: `earlier` are the runs before, the last one first.
    `attempts` are undos of it that left something, the last one first: only that is planned, as it is now.
    """
    roots = {root.path: root for run in (record, *earlier) for root in run.plan.roots}
    with Folders(Syscalls(), roots.values()) as folders:
        undo = UndoPlan(folders, WholeFolders(folders), TakenBack(attempts), Versions(folders))
        later = Continuations()
        for run in (record, *earlier):
            for found in reversed(run.items):
                folders.trim()
                if found.kept is not None:
                    for root in (found.kept.files, found.kept.info):
                        roots.setdefault(root.path, root)
                        folders.add_root(root)
                item = run.plan.items[found.index]
                if (whole := step_of(item).merge(later, run, item, found)) is not None:
                    undo.take_back(item, whole)
        # The folders that no earlier run had come to.
        for item, found in later.folders.values():
            undo.take_back(item, found)
    items = undo.items()
    if all(item.is_left_alone for item in items):
        if not items:
            raise NotTakenBack(record.id, "it changed nothing")
        raise NotTakenBack(record.id, items[0].reason, items[0].place.path, len(items) - 1)
    plan = Plan(Verb.UNDO, items, _sorted(roots), ConflictPolicy.SKIP, undoes=record.id, undone=record.plan.verb)
    return replace(plan, continues=attempts[0].id) if attempts else plan


class TakenBack:
    """Known by where things stood before they were taken back."""

    def __init__(self, attempts: Iterable[OperationRecord] = ()) -> None:
        self._places: set[Place] = set()
        self._folders: set[Place] = set()
        """Folders that went as a whole, with all that was inside."""
        for attempt in attempts:
            for found in attempt.items:
                if found.state.is_done:
                    self._add(attempt.plan.items[found.index])

    def __contains__(self, place: Place) -> bool:
        return place in self._places or (bool(self._folders) and self._is_inside(place))

    def _add(self, item: PlanItem) -> None:
        place = step_of(item).stood_at(item)
        if place is None:
            return
        self._places.add(place)
        if item.kind is Kind.FOLDER and KINDS[item.step].moves_folders:
            self._folders.add(place)

    def _is_inside(self, place: Place) -> bool:
        rel = place.folder
        while rel:
            if Place(place.root, rel) in self._folders:
                return True
            rel = rel.rpartition(b"/")[0]
        return False


@dataclass(slots=True)
class Continuations:
    """Gathered by the steps while the runs are looked at, the last one first."""

    folders: dict[Place, tuple[PlanItem, ItemRecord]] = field(default_factory=dict)
    """Folders that a later run worked on, by where they come from, or else go: an earlier one may have made them."""
    removed: set[Place] = field(default_factory=set)
    """Sources that a later run removed, of copies that an earlier one had made."""
    attributes_set: set[Place] = field(default_factory=set)
    """What got its attributes in a later run."""

    def merged(self, item: PlanItem, found: ItemRecord) -> ItemRecord:
        """What one run knows about an item, with what later ones found out."""
        if not (self.folders or self.removed):
            return found
        _, later = self.folders.pop(item.place, (item, found))
        is_gone = later.state is ItemState.SOURCE_REMOVED or item.source in self.removed
        return replace(
            found,
            state=ItemState.SOURCE_REMOVED if is_gone else later.state,
            landed=found.landed or later.landed,
            target=found.target or later.target,
            traits=found.traits or later.traits,
        )


@dataclass(slots=True)
class UndoPlan:
    """The inverse items, in the phases in which they must run; the steps of the operation add them."""

    folders: Folders
    whole: WholeFolders
    """What goes to the trash."""
    taken_back: TakenBack
    versions: Versions
    linked: set[tuple[int, int]] = field(default_factory=set)
    """The copies that have several names, by identity."""
    _phases: defaultdict[tuple[UndoPhase, int], PackedItems] = field(default_factory=lambda: defaultdict(PackedItems))
    """By phase, and for folders by how deep they lie."""
    _trash_in: tuple[tuple[bytes, bytes], bool] | None = None
    """The folder that was asked about last, and whether it has a trash."""

    def items(self) -> Sequence[PlanItem]:
        """All of them, in order: new folders the outermost first, emptied ones the innermost first."""
        for item in self.whole.items():
            self.add(item)
        ordered = sorted(self._phases, key=lambda key: (key[0], -key[1] if key[0] is UndoPhase.EMPTY else key[1]))
        parts: list[Iterable[PlanItem]] = []
        for key in ordered:
            items = self._phases[key]
            parts.append(self._linked(reversed(items)) if key[0] is UndoPhase.COPY else items)
        if ordered[:1] == [(UndoPhase.RENAME, 0)]:
            # Most often there are only renamed ones; those are packed already.
            whole, parts = self._phases[ordered[0]], parts[1:]
        else:
            whole = PackedItems()
        for item in chain(*parts):
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
            yield item if before is item.target else replace(item, step=Twin.name, twin=before)

    def take_back(self, item: PlanItem, found: ItemRecord) -> None:
        """Add the inverse of one item, if it was carried out and no earlier attempt has taken it back."""
        is_carried_out = found.state.is_done or found.state is ItemState.STAGED or found.landed is not None
        step = step_of(item)
        if is_carried_out and step.stands_at(item, found) not in self.taken_back:
            step.inverse(item, found, self)

    def add(self, item: PlanItem) -> None:
        """Add an inverse item."""
        phase = step_of(item).phase(item)
        depth = (item.target or item.place).rel.count(b"/") if phase in _BY_DEPTH else 0
        self._phases[phase, depth].append(item)

    def leave(self, item: PlanItem, place: Place, why: str) -> None:
        """Say that an item is not taken back, and why."""
        self.add(Nothing.because(why, item.kind, place))

    def take_away(self, item: PlanItem, target: Place, here: Fingerprint, landed: Fingerprint, totals: Totals) -> None:
        """What the operation brought goes to the trash; where there is none it goes only beside what it was made of."""
        mark = item.fingerprint
        if self._has_trash(target):
            self.whole.add(PlanItem(Trash.name, item.kind, target, fingerprint=here, totals=totals))
        elif (
            item.source is not None
            and mark is not None
            and landed.stamp_ns == here.stamp_ns
            and self._shows(item.source, mark)
        ):
            away = PlanItem(Remove.name, item.kind, target, item.source, here, mark, totals=item.totals)
            self.add(replace(away, member=item.member, mode=item.mode) if item.member else away)
        else:
            self.leave(item, target, _NO_TRASH)

    def _has_trash(self, place: Place) -> bool:
        if self._trash_in is None or self._trash_in[0] != (place.root, place.folder):
            has_one = True
            try:
                locate(self.folders.at(place)[0], home_trash())
            except NoTrashHere:
                has_one = finder_trash.is_the_trash()
            self._trash_in = (place.root, place.folder), has_one
        return self._trash_in[1]

    def restore(self, item: PlanItem, kept: Backup, to: Place) -> None:
        """Bring a file back from the trash."""
        here = self.look(kept.place)
        if here is None:
            self.leave(item, to, "it is not in the trash any more")
            return
        totals, names = self._inside(item, kept.place, here)
        self.add(
            PlanItem(Rename.name, here.kind, kept.place, to, here, totals=totals, info=kept.note_place, names=names)
        )

    def rename(self, item: PlanItem, at: Place, to: Place, landed: Fingerprint | None) -> None:
        """Give a file or folder its old name again."""
        here = self.look(at)
        if landed is None or here is None or not landed.is_like(here):
            self.leave(item, at, CHANGED)
            return
        # A folder that gets its old name where it is takes nothing along.
        is_moved = (at.root, at.folder) != (to.root, to.folder)
        totals, names = self._inside(item, at, here) if is_moved else (item.totals, "")
        self.add(PlanItem(Rename.name, item.kind, at, to, here, totals=totals, names=names))

    def _inside(self, item: PlanItem, place: Place, here: Fingerprint) -> tuple[Totals, str]:
        """How much goes back with an item: of a folder what it holds by now."""
        if here.kind is not Kind.FOLDER:
            return item.totals, ""
        try:
            folder, name = self.folders.at(place)
            return look_inside(name, folder, go_on, sizes=True)
        except ITEM_ERRORS:
            return item.totals, ""

    def swap(
        self,
        item: PlanItem,
        first: Place,
        first_mark: Fingerprint | None,
        second: Place,
        second_mark: Fingerprint | None,
    ) -> None:
        if first_mark is None or second_mark is None:
            self.leave(item, second, CHANGED)
            return
        # In a ring of names each file is at another place by then, and nothing is lost by trading places.
        one, other = first_mark._replace(stamp_ns=None), second_mark._replace(stamp_ns=None)
        self.add(PlanItem(Swap.name, one.kind, first, second, one, other, totals=item.totals))

    def spot(self, place: Place) -> Spot:
        """A place as a name in an open directory."""
        return Spot(*self.folders.at(place))

    def _shows(self, place: Place, mark: Fingerprint) -> bool:
        """Whether exactly this file stands there now."""
        try:
            return self.spot(place).shows(mark)
        except ITEM_ERRORS:
            return False

    def look(self, place: Place) -> Fingerprint | None:
        """What stands in a place now."""
        try:
            return self.spot(place).found
        except ITEM_ERRORS:
            return None


def _sorted(roots: dict[bytes, Root]) -> tuple[Root, ...]:
    return tuple(roots[path] for path in sorted(roots))
