"""Taking back and going on: the inverse of what an operation did, or the rest of what it did not do, as plans."""

from dataclasses import dataclass, field, replace

from cmdr.files.engine import finder_trash
from cmdr.files.engine.folders import Folders
from cmdr.files.engine.landing import Spot
from cmdr.files.engine.recorder import ItemRecord, ItemState, Kept, OperationRecord
from cmdr.files.engine.refusals import NothingToDo
from cmdr.files.engine.syscalls import Syscalls
from cmdr.files.engine.trash_site import NoTrashHere, home_trash, locate
from cmdr.files.engine.trouble import TROUBLE
from cmdr.model.plan import (
    ConflictPolicy,
    Decision,
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

_DRIFTED = "it has changed since, so it is left alone"
_FINDER = "the Finder has it in its Trash and only you can take it out there"
_NO_TRASH = "its source is gone and its volume has no trash, so it is left alone"
_GONE = "it was deleted for good, so it cannot be brought back"


def plan_undo(record: OperationRecord) -> Plan:
    """The inverse of an operation. What has changed since is left alone and says so; nothing is overwritten."""
    roots = {root.path: root for root in record.plan.roots}
    for item in record.items:
        if item.kept is not None:
            roots.setdefault(item.kept.files.path, item.kept.files)
            roots.setdefault(item.kept.info.path, item.kept.info)
    with Folders(Syscalls(), roots.values()) as folders:
        inverse = _Inverse(folders)
        for found in reversed(record.items):
            folders.trim()
            inverse.add(record.plan.items[found.index], found)
    items = inverse.items()
    if not any(item.step is not Step.NOTHING for item in items):
        why = items[0].reason if items else "it changed nothing"
        raise NothingToDo(f"Operation {record.id} cannot be undone: {why}.")
    return Plan(Verb.UNDO, tuple(items), _sorted(roots), ConflictPolicy.SKIP, undoes=record.id, undone=record.plan.verb)


def plan_resume(record: OperationRecord) -> Plan:
    """What an interrupted operation did not come to."""
    known = {item.index: item for item in record.items}
    items: list[PlanItem] = []
    removals: list[PlanItem] = []
    for index, item in enumerate(record.plan.items):
        found = known.get(index)
        if found is None or found.state is ItemState.PLANNED:
            items.append(item)
        elif item.step is not Step.MAKE and found.state is ItemState.STAGED:
            # Its volume was away when the program started again, so nobody knows whether it landed.
            items.append(item)
        elif item.step is Step.MAKE and item.source is not None and found.state is ItemState.STAGED:
            items.append(replace(item, decision=Decision.LAND, existing=found.landed or found.staged))
        elif item.step is Step.MAKE and found.state is ItemState.LANDED:
            items.append(replace(item, decision=Decision.MERGE, existing=found.landed or item.existing))
        elif found.state is ItemState.LANDED and item.remove_source and found.landed is not None:
            target = found.target or item.target
            removals.append(
                replace(item, step=Step.REMOVE, target=target, existing=found.landed, remove_source=False, twin=None)
            )
    if not any(item.step is not Step.MAKE or item.decision is not Decision.MERGE for item in (*items, *removals)):
        raise NothingToDo(f"Operation {record.id} is complete. There is nothing to resume.")
    return replace(record.plan, items=(*items, *removals))


@dataclass(slots=True)
class _Inverse:
    """The inverse items, in the groups in which they must run."""

    folders: Folders
    made: list[PlanItem] = field(default_factory=list)
    """Folders that were moved away and come back."""
    renamed: list[PlanItem] = field(default_factory=list)
    swapped: list[PlanItem] = field(default_factory=list)
    copied: list[PlanItem] = field(default_factory=list)
    emptied: list[PlanItem] = field(default_factory=list)
    """Folders that go, innermost first."""

    def items(self) -> list[PlanItem]:
        """All of them, in order."""
        made = sorted(self.made, key=lambda item: item.target.rel.count(b"/") if item.target is not None else 0)
        return [*made, *self.renamed, *reversed(self.copied), *self.swapped, *self.emptied]

    def add(self, item: PlanItem, found: ItemRecord) -> None:
        """The inverse of one item, newest first."""
        carried_out = found.state.is_done or found.state is ItemState.STAGED or found.landed is not None
        if not carried_out or item.step is Step.NOTHING:
            return
        target = found.target or item.target or item.place
        match item.step:
            case Step.REMOVE:
                self._removed(item)
            case Step.MAKE:
                self._folder(item, found, target)
            case Step.TRASH if found.kept is not None and item.source is not None:
                self._return(item, found.kept, item.source)
            case Step.TRASH:
                self._nothing(item, item.place, _FINDER)
            case Step.SWAP if item.source is not None:
                self._swap(item, item.source, item.existing, target, found.landed)
            case Step.RENAME if item.source is not None:
                self._rename(item, target, item.source, found.landed)
                if found.kept is not None:
                    self._return(replace(item, totals=Totals(1, 0, 0)), found.kept, target)
            case _:
                self._arrival(item, found, target)

    def _removed(self, item: PlanItem) -> None:
        """What an undo removed: a copy whose other copy was still there, or a folder that was empty."""
        if item.source is not None and item.target is not None and item.existing is not None:
            self.copied.append(
                PlanItem(Step.COPY, item.kind, item.target, item.source, item.existing, totals=item.totals)
            )
        elif item.kind is Kind.FOLDER:
            self.made.append(PlanItem(Step.MAKE, Kind.FOLDER, None, item.source, totals=item.totals))
        else:
            self._nothing(item, item.place, _GONE)

    def _arrival(self, item: PlanItem, found: ItemRecord, target: Place) -> None:
        landed = found.landed
        if landed is None or not landed.matches(self._look(target)):
            self._nothing(item, target, _DRIFTED)
            return
        if found.state is ItemState.SOURCE_REMOVED and item.source is not None:
            gone = found.kept is None
            back = PlanItem(Step.COPY, item.kind, target, item.source, landed, totals=item.totals)
            self.copied.append(replace(back, remove_source=gone))
        elif found.kept is None:
            self.renamed.append(self._away(item, target, landed))
        if found.kept is not None:
            # What was displaced gets its name back; what displaced it stays in the trash in its stead.
            self._swap(item, found.kept.place, self._look(found.kept.place), target, landed)

    def _away(self, item: PlanItem, target: Place, landed: Fingerprint) -> PlanItem:
        """The end of a copy: removed while its source is still there, kept in the trash otherwise."""
        mark = item.fingerprint
        if item.source is not None and mark is not None and mark.matches(self._look(item.source)):
            return PlanItem(Step.REMOVE, item.kind, target, item.source, landed, mark, totals=item.totals)
        if not self._has_trash(target):
            return PlanItem(Step.NOTHING, item.kind, target, reason=_NO_TRASH)
        return PlanItem(Step.TRASH, item.kind, target, fingerprint=landed, totals=item.totals)

    def _has_trash(self, place: Place) -> bool:
        try:
            locate(self.folders.at(place)[0], home_trash())
        except NoTrashHere:
            return finder_trash.is_the_trash()
        return True

    def _folder(self, item: PlanItem, found: ItemRecord, target: Place) -> None:
        here = self._look(target)
        if found.state is ItemState.SOURCE_REMOVED and item.source is not None and here is not None:
            back = PlanItem(Step.MAKE, Kind.FOLDER, target, item.source, here, totals=item.totals)
            self.made.append(replace(back, remove_source=found.landed is not None))
        elif found.landed is not None and found.landed.matches(here):
            self.emptied.append(
                PlanItem(Step.REMOVE, Kind.FOLDER, target, fingerprint=found.landed, totals=item.totals)
            )

    def _return(self, item: PlanItem, kept: Kept, to: Place) -> None:
        here = self._look(kept.place)
        if here is None:
            self._nothing(item, to, "it is not in the trash any more")
            return
        self.renamed.append(
            PlanItem(Step.RENAME, here.kind, kept.place, to, here, totals=item.totals, info=kept.note_place)
        )

    def _rename(self, item: PlanItem, here: Place, to: Place, landed: Fingerprint | None) -> None:
        if landed is None or not landed.matches(self._look(here)):
            self._nothing(item, here, _DRIFTED)
            return
        self.renamed.append(PlanItem(Step.RENAME, item.kind, here, to, landed, totals=item.totals))

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
        self.swapped.append(
            PlanItem(Step.SWAP, first_mark.kind, first, second, first_mark, second_mark, totals=item.totals)
        )

    def _nothing(self, item: PlanItem, place: Place, why: str) -> None:
        self.renamed.append(PlanItem(Step.NOTHING, item.kind, place, reason=why))

    def _look(self, place: Place) -> Fingerprint | None:
        try:
            return Spot(*self.folders.at(place)).found
        except TROUBLE:
            return None


def _sorted(roots: dict[bytes, Root]) -> tuple[Root, ...]:
    return tuple(roots[path] for path in sorted(roots))
