"""Planning a copy or move of trees: each name against what stands at its target."""

import os
from dataclasses import dataclass, field

from cmdr.engine.errors import Skipped
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.mounts import volume_of
from cmdr.engine.fs.names import numbered
from cmdr.engine.fs.syscalls import FOLDER_FLAGS
from cmdr.engine.plan.sources import PrivateSources
from cmdr.engine.plan.survey import Choices, Source, Survey
from cmdr.engine.plan.targets import Targets, require_trash
from cmdr.engine.run.conflicts import Verdict, resolve
from cmdr.engine.steps.copy import Copy, Twin
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.rename import Rename
from cmdr.model.plans.plan import ConflictPolicy, Decision, Fingerprint, Kind, Place, PlanItem, Totals, Verb
from cmdr.model.plans.plan_facts import PlanDraft

_SPECIAL = "pipes, sockets and devices are not copied"
_MOUNTED = "another volume is mounted here, so it stays"


@dataclass(slots=True)
class TreePlan:
    """The items of one copy or move, as they are found."""

    verb: Verb
    survey: Survey
    targets: Targets
    choices: Choices
    items: PlanDraft = field(default_factory=PlanDraft)
    need: int = 0
    """Room the copies take."""
    _kept_in: tuple[bytes, bytes] | None = None
    """The last folder in which a file is replaced: it has a trash that will keep the old one."""
    _numbers: dict[Place, int] = field(default_factory=dict)
    """For a name that several want, the number from which on others may be free."""
    _first: dict[tuple[int, int], Place] = field(default_factory=dict)
    """Where the first of several hard links goes."""

    _private: PrivateSources = field(init=False)

    def __post_init__(self) -> None:
        self._private = PrivateSources(self.choices.privacy)
        self._private.look_inside(self.survey)

    def make(self, folder: PlanItem) -> None:
        """Plan a folder that is missing on the way; nothing else gets its name."""
        self.items.append(folder)
        self.targets.claim(folder.target or folder.place, folder.place)

    def add(self, source: Source, folder: int | None, target: Place, volume: tuple[int, int]) -> int:
        """Plan one chosen file or folder; without an open folder, for one that is yet to be made on that volume.

        The space that it takes there.
        """
        renames = self.verb is Verb.MOVE and volume_of(source.folder) == volume
        before = self.need
        self._entry(source, folder, target, 1, renames)
        return self.need - before

    def _entry(self, source: Source, folder: int | None, target: Place, depth: int, renames: bool) -> None:
        self.survey.check()
        mark = source.fingerprint
        existing = None if folder is None else fingerprint.of_name(target.name, folder)
        target, decision, reason = self._decide(mark, existing, folder, target)
        if mark.kind is Kind.SPECIAL and not renames:
            decision, reason = Decision.SKIP, _SPECIAL
        if decision is Decision.SKIP:
            self._leave(source, mark, target, reason)
            return
        if folder is not None or depth == 1 or self.targets.is_caseless:
            # What lies in a chosen folder and goes to a new one comes from one folder: only spellings can be the same.
            if self.choices.policy is ConflictPolicy.RENAME and self.targets.is_claimed(target):
                target, decision = self._renamed(target, folder), Decision.LAND
            if not self.targets.claim(target, source.place):
                return
        if decision is Decision.LAND:
            existing = None
        if mark.kind is Kind.FOLDER and (decision is Decision.MERGE or not renames):
            self._folder(source, mark, folder, target, existing, decision, depth, renames)
        else:
            if decision is Decision.REPLACE and folder is not None:
                self._must_keep(folder, target)
            self._leaf(source, mark, target, existing, decision, renames)

    def _decide(
        self, mark: Fingerprint, existing: Fingerprint | None, folder: int | None, target: Place
    ) -> tuple[Place, Decision, str]:
        """The name to use, and what happens to what stands there."""
        if existing is None or folder is None:
            return target, Decision.LAND, ""
        if existing.is_same_file(mark):
            if self.verb is Verb.MOVE:
                return target, Decision.SKIP, "it is there already"
            return self._renamed(target, folder), Decision.LAND, ""
        if mark.kind is Kind.FOLDER and existing.kind is Kind.FOLDER:
            return target, Decision.MERGE, ""
        if self.choices.policy is ConflictPolicy.RENAME:
            return self._renamed(target, folder), Decision.LAND, ""
        if mark.kind is Kind.FOLDER or existing.kind not in (Kind.FILE, Kind.LINK):
            what = "a folder" if existing.kind is Kind.FOLDER else "a file"
            return target, Decision.SKIP, f"{what} has that name"
        if self.choices.policy is ConflictPolicy.ASK:
            return target, Decision.ASK, ""
        try:
            verdict = resolve(self.choices.policy, mark, existing)
        except Skipped as left:
            return target, Decision.SKIP, str(left)
        return target, Decision.REPLACE if verdict is Verdict.REPLACE else Decision.SKIP, ""

    def _must_keep(self, folder: int, target: Place) -> None:
        if self._kept_in != (target.root, target.folder):
            require_trash(folder, target.path, self.choices.trash_home)
            self._kept_in = (target.root, target.folder)

    def _renamed(self, target: Place, folder: int | None) -> Place:
        number = first = self._numbers.get(target, 1)
        while self._is_taken(place := target.renamed(numbered(target.name, number)), folder):
            number += 1
        if number > first:
            self._numbers[target] = number + 1
        return place

    def _is_taken(self, place: Place, folder: int | None) -> bool:
        if self.targets.is_claimed(place):
            return True
        return folder is not None and fingerprint.of_name(place.name, folder) is not None

    def _leave(self, source: Source, mark: Fingerprint, target: Place, reason: str) -> None:
        self.survey.count()
        self.items.append(Nothing.because(reason, mark.kind, source.place, target, mark))

    def _leaf(
        self,
        source: Source,
        mark: Fingerprint,
        target: Place,
        existing: Fingerprint | None,
        decision: Decision,
        renames: bool,
    ) -> None:
        found = source.found
        step, twin, totals, names = Rename.name, None, Totals(1, 0, found.st_size), ""
        private = self._private.reason(source)
        if renames:
            totals, names = self.survey.inside(source)
        else:
            self.survey.count()
            step = Copy.name
            if mark.kind is Kind.FILE and found.st_nlink > 1:
                twin = self._first.setdefault((mark.dev, mark.ino), target)
                step, twin = (Copy.name, None) if twin == target else (Twin.name, twin)
            if twin is None:
                self.need += min(found.st_size, found.st_blocks * 512)
        reason = self.choices.protection.reason(target.path)
        if self.verb is Verb.MOVE:
            reason = reason or self.choices.protection.reason(source.place.path)
        # Why a source is private comes first: nothing else that could be said about it matters as much.
        reason = private or self._private.inside or reason
        self.items.append(
            PlanItem(
                step,
                mark.kind,
                source.place,
                target,
                mark,
                existing,
                decision,
                totals=totals,
                remove_source=self.verb is Verb.MOVE and not renames,
                twin=twin,
                protected=reason,
                names=names,
            )
        )

    def _folder(
        self,
        source: Source,
        mark: Fingerprint,
        folder: int | None,
        target: Place,
        existing: Fingerprint | None,
        decision: Decision,
        depth: int,
        renames: bool,
    ) -> None:
        self.items.append(
            PlanItem(
                MakeFolder.name,
                Kind.FOLDER,
                source.place,
                target,
                mark,
                existing,
                decision,
                # Nothing is copied of a folder that joins one which is there already.
                totals=Totals() if decision is Decision.MERGE and self.verb is Verb.COPY else Totals(0, 1, 0),
                remove_source=self.verb is Verb.MOVE,
                protected=self._private.reason(source) or self.choices.protection.reason(target.path),
            )
        )
        merged = None
        if decision is Decision.MERGE and folder is not None:
            merged = os.open(target.name, FOLDER_FLAGS, dir_fd=folder)
        try:
            with self.survey.children(source.folder, source.place.name, depth, source.place.path) as children:
                for name, found in children.entries():
                    child = Source(Place(source.place.root, source.place.rel + b"/" + name), children.fd, found)
                    goal = Place(target.root, target.rel + b"/" + name)
                    if self.verb is Verb.MOVE and found.st_dev != mark.dev:
                        self._leave(child, child.fingerprint, goal, _MOUNTED)
                    else:
                        self._entry(child, merged, goal, depth + 1, renames)
        finally:
            if merged is not None:
                os.close(merged)
        self.targets.leave(target)
