"""What stands where an archive is to be unpacked, and what is decided about a name that is taken."""

from dataclasses import dataclass, field
from typing import NamedTuple

from cmdr.engine.errors import TROUBLE, Skipped, fate_of
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.names import numbered
from cmdr.engine.plan.choices import Choices
from cmdr.engine.plan.refusals import Unreadable
from cmdr.engine.plan.targets import must_keep
from cmdr.engine.run.conflicts import resolve
from cmdr.model.plans.member import Member
from cmdr.model.plans.plan import ConflictPolicy, Decision, Fingerprint, Kind, Place

IS_FOLDER = "a folder has that name"
IS_FILE = "a file has that name"


class Verdict(NamedTuple):
    """The name that something gets, and what happens to what stands there."""

    target: Place
    existing: Fingerprint | None = None
    decision: Decision = Decision.LAND
    reason: str = ""


@dataclass(slots=True)
class TakenTargets:
    """Looks at standing folders through open directories, never through links."""

    folders: Folders
    choices: Choices
    _given_away: set[Place] = field(default_factory=set)
    """Numbered names that somebody has got."""
    _kept_in: set[bytes] = field(default_factory=set)
    """Folders in which a file is replaced: they have a trash that will keep the old one."""

    def for_folder(self, target: Place, stands: bool) -> Verdict:
        """What becomes of a folder; `stands` tells whether the folder above it is there."""
        existing = self._standing(target) if stands else None
        if existing is None:
            return Verdict(target)
        if existing.kind is Kind.FOLDER:
            return Verdict(target, existing, Decision.MERGE)
        if self.choices.policy is ConflictPolicy.RENAME:
            return Verdict(self._numbered(target))
        return Verdict(target, existing, Decision.SKIP, IS_FILE)

    def for_file(self, target: Place, stands: bool, member: Member, archive: Fingerprint) -> Verdict:
        """What becomes of a file or a link."""
        existing, policy = self._standing(target) if stands else None, self.choices.policy
        if existing is None:
            return Verdict(target)
        if policy is ConflictPolicy.RENAME:
            return Verdict(self._numbered(target))
        if existing.is_same_file(archive):
            return Verdict(target, existing, Decision.SKIP, "it would take the place of the archive itself")
        if existing.kind not in (Kind.FILE, Kind.LINK):
            return Verdict(target, existing, Decision.SKIP, IS_FOLDER if existing.kind is Kind.FOLDER else IS_FILE)
        if policy is ConflictPolicy.ASK:
            return Verdict(target, existing, Decision.ASK)
        try:
            resolve(policy, archive._replace(size=member.size, mtime_ns=member.mtime_ns or 0), existing)
        except Skipped as left:
            return Verdict(target, existing, Decision.SKIP, str(left))
        if target.folder not in self._kept_in:
            must_keep(self.folders.open(target.root, target.folder), target.path, self.choices.trash_home)
            self._kept_in.add(target.folder)
        return Verdict(target, existing, Decision.REPLACE)

    def is_given_away(self, target: Place) -> bool:
        """Whether a name went to another that did not find its own free."""
        return target in self._given_away

    def _standing(self, target: Place) -> Fingerprint | None:
        try:
            return Spot(*self.folders.at(target)).found
        except TROUBLE as problem:
            raise Unreadable(target.path, fate_of(problem)[1]) from problem

    def _numbered(self, target: Place) -> Place:
        number = 1
        while True:
            place = target.renamed(numbered(target.name, number))
            if place not in self._given_away and self._standing(place) is None:
                self._given_away.add(place)
                return place
            number += 1
