"""The names a plan will give: each claimed once, and what is decided about one that is taken."""

import fcntl
import os
import struct
import sys
from dataclasses import dataclass, field
from typing import NamedTuple

from cmdr.engine.errors import ITEM_ERRORS, Skipped, failure_of
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.names import folded, numbered
from cmdr.engine.fs.trash import NoTrashHere, home_trash, locate
from cmdr.engine.plan.refusals import Clash, NothingKept, SameTarget, Unreadable
from cmdr.engine.plan.survey import Choices
from cmdr.engine.run.conflicts import resolve
from cmdr.model.plans.plan import ConflictPolicy, Decision, Fingerprint, Kind, Place
from cmdr.model.plans.plan_item import Member

_GET_FLAGS = 0x80086601
_CASEFOLD = 0x40000000


class Clashes:
    """The sources of one plan that want the same names: the first of them, and how many."""

    def __init__(self, advice: str) -> None:
        self._advice = advice
        self._first: list[Clash] = []
        self._count = 0

    def add(self, clash: Clash) -> None:
        """One more pair."""
        self._count += 1
        if self._count <= SameTarget.SHOWN:
            self._first.append(clash)

    def refuse(self) -> None:
        """Refuse the plan if there were any, and tell all of them at once."""
        if self._count:
            raise SameTarget(self._first, self._count, self._advice)


class Targets:
    """The names claimed by one plan, folder by folder."""

    def __init__(self, is_caseless: bool, clashes: Clashes) -> None:
        self.is_caseless = is_caseless
        self.clashes = clashes
        self._claims: dict[tuple[bytes, str | bytes], dict[str | bytes, bytes | Place]] = {}
        """For each name the source that took it; just the folder of one that has the same name, for there are many."""

    def claim(self, target: Place, source: Place) -> bool:
        """Take a name for a source; False when another source has taken it, which is noted."""
        above, _, last = target.rel.rpartition(b"/")
        folder = self._folder(target.root, above)
        claims = self._claims.get(folder)
        if claims is None:
            claims = self._claims[folder] = {}
        name = self._spelled(last)
        if name in claims:
            first = claims[name]
            taker = Place(first, last) if isinstance(first, bytes) else first
            self.clashes.add(Clash(taker.path, source.path, target.path))
            return False
        claims[name] = source.root if source.rel == name else source
        return True

    def is_claimed(self, target: Place) -> bool:
        """Whether a source has taken this name."""
        return self._spelled(target.name) in self._claims.get(self._folder(target.root, target.folder), ())

    def leave(self, folder: Place) -> None:
        """Forget the names in a folder that is done: the folder's own name is taken, so nobody else comes there."""
        self._claims.pop(self._folder(folder.root, folder.rel), None)

    def _folder(self, root: bytes, rel: bytes) -> tuple[bytes, str | bytes]:
        return root, self._spelled(rel)

    def _spelled(self, name: bytes) -> str | bytes:
        return folded(name) if self.is_caseless else name


def is_caseless(folder: int) -> bool:
    """Whether an open directory takes different spellings for one name; found out without touching it."""
    if sys.platform == "linux":  # pragma: no branch - Linux
        try:
            answer = fcntl.ioctl(folder, _GET_FLAGS, struct.pack("l", 0))
            if struct.unpack("l", answer)[0] & _CASEFOLD:
                return True
        except OSError:
            pass
    with os.scandir(folder) as entries:
        for entry in entries:
            other = entry.name.swapcase()
            if other != entry.name:
                return _is_same(entry.name, other, folder)
    return sys.platform == "darwin"


def _is_same(name: str, other: str, folder: int) -> bool:
    try:
        first = os.stat(name, dir_fd=folder, follow_symlinks=False)
        second = os.stat(other, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    # Two hard links of one file in two spellings have two names in the listing.
    return os.path.samestat(first, second) and other not in os.listdir(folder)


def require_trash(folder: int, path: bytes, home: bytes | None = None) -> None:
    """Refuse to replace a file in an open directory where no trash would keep it: before anybody says yes to it."""
    try:
        locate(folder, home or home_trash())
    except NoTrashHere as why:
        raise NothingKept(path, str(why)) from why


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
            require_trash(self.folders.open(target.root, target.folder), target.path, self.choices.trash_home)
            self._kept_in.add(target.folder)
        return Verdict(target, existing, Decision.REPLACE)

    def is_given_away(self, target: Place) -> bool:
        """Whether a name went to another that did not find its own free."""
        return target in self._given_away

    def _standing(self, target: Place) -> Fingerprint | None:
        try:
            return Spot(*self.folders.at(target)).found
        except ITEM_ERRORS as problem:
            raise Unreadable(target.path, failure_of(problem)[1]) from problem

    def _numbered(self, target: Place) -> Place:
        number = 1
        while True:
            place = target.renamed(numbered(target.name, number))
            if place not in self._given_away and self._standing(place) is None:
                self._given_away.add(place)
                return place
            number += 1
