"""The tree that comes out of archives: names that may be used, against each other and what stands at their targets."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.mounts import free_bytes
from cmdr.engine.fs.names import folded
from cmdr.engine.plan.refusals import NotEnoughSpace
from cmdr.engine.plan.survey import Choices, Source
from cmdr.engine.plan.target_folders import TargetPath
from cmdr.engine.plan.targets import IS_FOLDER, TakenTargets, is_caseless
from cmdr.engine.steps.copy import Copy, Twin
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.engine.steps.nothing import Nothing
from cmdr.files.archives.archive_file import Entry
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, PlanItem, Totals
from cmdr.model.plans.plan_facts import PlanDraft
from cmdr.model.plans.plan_item import Member

ENDINGS = (
    *(b".tar.gz", b".tar.bz2", b".tar.xz", b".tgz", b".tbz2", b".tbz", b".txz"),
    *(b".tar", b".zip"),
)
_DRIVE = re.compile(rb"[A-Za-z]:(?:/|$)")

Parts = tuple[bytes, ...]


class BadMember(Exception):
    """A member that is left out; the text says why."""


def parts_of(name: bytes, deepest: int) -> Parts:
    """The way that a name stands for, below wherever it is unpacked; refused where it leads anywhere else."""
    if name.startswith(b"/") or _DRIVE.match(name):
        raise BadMember("its name is that of a place outside")
    if name.count(b"/") > deepest:
        raise BadMember("it lies too deep in folders")
    parts = tuple(part for part in name.split(b"/") if part not in (b"", b"."))
    if b".." in parts:
        raise BadMember("its name leads out of the folder")
    if not name:
        raise BadMember("it has no name")
    if any(len(part) > 255 or b"\0" in part for part in parts):
        raise BadMember("no file can have its name")
    return parts


def must_stay_inside(link: bytes, depth: int) -> None:
    """Refuse a link that could lead out of what is unpacked; `depth` is how many folders it lies in there.

    A link may go up only at its beginning. All folders above it are real ones, so that is where it arrives; and a way
    down, even by way of other links, ends inside, because those end inside.
    """
    if not link or b"\0" in link:
        raise BadMember("a link that leads nowhere")
    parts = [part for part in link.split(b"/") if part not in (b"", b".")]
    up = next((number for number, part in enumerate(parts) if part != b".."), len(parts))
    if link.startswith(b"/") or up > depth or b".." in parts[up:]:
        raise BadMember("a link that leads out of the folder")


def folder_for(archive: bytes) -> bytes:
    """The name of the folder that an archive is unpacked to."""
    stem = archive
    for ending in ENDINGS:
        if archive.lower().endswith(ending):
            stem = archive[: -len(ending)]
            break
    else:
        head, dot, _ = archive.rpartition(b".")
        stem = head if dot else b""
    stem = stem.strip(b" .")
    return stem if stem and stem != archive else (archive[:240].strip(b" .") or b"archive") + b" unpacked"


Key = tuple[bytes, ...] | tuple[str, ...]
"""A way as the destination's file system tells names apart."""


class _Goal(NamedTuple):
    """A folder of the tree."""

    target: Place | None
    """Where it will be; None for one that is not made."""
    stands: bool
    """Whether it is there already, so that names in it may be taken."""


class _Landing(NamedTuple):
    """A file that will land."""

    archive: Place
    target: Place
    member: Member
    mode: int | None


class _Given(NamedTuple):
    """An archive that is being looked at."""

    place: Place
    mark: Fingerprint
    private: str
    above: Parts
    """The folder of its own that it is unpacked to, if it does not bring one along."""
    folders: dict[Key, Entry]
    """What it tells about its folders."""


@dataclass(slots=True)
class UnpackedTree:
    """The items of one plan to unpack, as they are found."""

    way: TargetPath
    standing: Folders
    choices: Choices
    items: PlanDraft = field(default_factory=PlanDraft)
    need: int = 0
    """Room that all of it takes."""
    free: int = field(init=False)
    is_any: bool = False
    """Whether something can be unpacked at all."""
    _taken: TakenTargets = field(init=False)
    _is_caseless: bool = field(init=False)
    _goals: dict[Key, _Goal] = field(default_factory=dict)
    _files: dict[Key, _Landing | None] = field(default_factory=dict)
    """What has a name and is no folder; None for what is left alone."""

    def __post_init__(self) -> None:
        self.free = free_bytes(self.way.folder)
        self._is_caseless = is_caseless(self.way.folder)
        self._taken = TakenTargets(self.standing, self.choices)
        for item in self.way.made(self.choices.protection):
            self.items.append(item)

    def add(self, source: Source, entries: Sequence[Entry], private: str) -> None:
        """Plan all that one archive holds."""
        given = _Given(source.place, source.fingerprint, private, (), {})
        named = list(self._named(given, entries))
        if not _is_one_folder(named):
            given = given._replace(above=(folder_for(source.place.name),))
        last: dict[Key, int] = {}
        for number, (parts, entry) in enumerate(named):
            last[self._key(parts)] = number
            if entry.kind is Kind.FOLDER:
                given.folders[self._key((*given.above, *parts))] = entry
        for number, (parts, entry) in enumerate(named):
            self.choices.check()
            self.standing.trim()
            try:
                self._entry(given, (*given.above, *parts), entry, is_last=last[self._key(parts)] == number)
            except BadMember as why:
                self._leave(given, entry, str(why))

    def _named(self, given: _Given, entries: Iterable[Entry]) -> Iterator[tuple[Parts, Entry]]:
        """The members that may be unpacked, with the ways they stand for."""
        for entry in entries:
            wrong = entry.wrong or ("pipes and devices are not unpacked" if entry.kind is Kind.SPECIAL else "")
            try:
                parts = () if wrong else parts_of(entry.member.name, self.choices.limits.depth)
            except BadMember as why:
                wrong = str(why)
            if wrong:
                self._leave(given, entry, wrong)
            elif parts:
                yield parts, entry

    def _leave(self, given: _Given, entry: Entry, why: str) -> None:
        self.items.append(Nothing.because(why, entry.kind, given.place, None, given.mark, entry.member))

    def _entry(self, given: _Given, parts: Parts, entry: Entry, *, is_last: bool) -> None:
        if entry.kind is Kind.FOLDER:
            self._folder(given, parts)
        elif not is_last:
            raise BadMember("the archive holds that name again, further on")
        else:
            self._leaf(given, parts, entry)

    def _above(self, given: _Given, parts: Parts) -> _Goal:
        """The folder that a name lies in."""
        if len(parts) > 1:
            return self._folder(given, parts[:-1])
        return _Goal(None, self.way.end is not None)

    def _below(self, above: _Goal, parts: Parts) -> Place:
        if len(parts) == 1:
            return self.way.place(parts[0])
        if above.target is None:
            raise BadMember("its folder is not made")
        target = Place(above.target.root, above.target.rel + b"/" + parts[-1])
        if self._taken.is_given_away(target):
            raise BadMember("another has got that name")
        return target

    def _folder(self, given: _Given, parts: Parts) -> _Goal:
        """The folder at a way, planned with all above it when it is met first."""
        key = self._key(parts)
        if key in self._goals:
            return self._goals[key]
        above = self._above(given, parts)
        if key in self._files:
            raise BadMember("a file has the name of its folder")
        target, existing, decision, reason = self._taken.for_folder(self._below(above, parts), above.stands)
        entry = given.folders.get(key)
        self.is_any = self.is_any or decision is Decision.LAND
        self.items.append(
            PlanItem(
                Nothing.name if decision is Decision.SKIP else MakeFolder.name,
                Kind.FOLDER,
                given.place,
                target,
                given.mark,
                existing,
                decision,
                reason,
                Totals(0, 1, 0) if decision is Decision.LAND else Totals(),
                # Whatever the archive says: one can go into one's own folders, and empty them.
                mode=0o777 if entry is None or entry.mode is None else entry.mode | 0o700,
                protected=given.private or self.choices.protection.reason(target.path),
                member=Member(b"/".join(parts)) if entry is None else entry.member,
            )
        )
        self._goals[key] = goal = _Goal(None if decision is Decision.SKIP else target, decision is Decision.MERGE)
        return goal

    def _leaf(self, given: _Given, parts: Parts, entry: Entry) -> None:
        above, key, member, first = self._above(given, parts), self._key(parts), entry.member, None
        mode = entry.mode if entry.kind is Kind.FILE else None
        if key in self._goals:
            raise BadMember(IS_FOLDER)
        if key in self._files:
            raise BadMember("another archive holds that name as well")
        if entry.kind is Kind.LINK:
            must_stay_inside(member.link, len(parts) - 2)  # from where all of it is unpacked to, the first of the parts
        elif entry.twin is not None:
            first = self._first(given, entry.twin)
            member, mode = first.member._replace(name=member.name), first.mode
        target, existing, decision, reason = self._taken.for_file(
            self._below(above, parts), above.stands, member, given.mark
        )
        is_skipped = decision is Decision.SKIP
        self._files[key] = None if is_skipped else _Landing(given.place, target, member, mode)
        self.is_any = self.is_any or not is_skipped
        size = member.size if entry.kind is Kind.FILE else 0
        if not is_skipped and first is None:
            self._take_room(target, size)
        self.items.append(
            PlanItem(
                Nothing.name if is_skipped else Copy.name if first is None else Twin.name,
                entry.kind,
                given.place,
                target,
                given.mark,
                existing,
                decision,
                reason,
                Totals(1, 0, size),
                twin=None if first is None else first.target,
                mode=mode,
                protected=given.private or self.choices.protection.reason(target.path),
                member=member,
            )
        )

    def _first(self, given: _Given, twin: bytes) -> _Landing:
        """What a hard link is a second name of: a file of the same archive that comes before it, and nothing else."""
        parts = (*given.above, *parts_of(twin, self.choices.limits.depth))
        first = self._files.get(self._key(parts))
        if first is None or first.member.link or first.archive != given.place:
            raise BadMember("a second name of something that is not unpacked")
        return first

    def _take_room(self, target: Place, size: int) -> None:
        self.need += size
        if self.need > self.free:
            raise NotEnoughSpace(target.path, self.need, self.free)

    def _key(self, parts: Parts) -> Key:
        return tuple(folded(part) for part in parts) if self._is_caseless else parts


def _is_one_folder(named: Sequence[tuple[Parts, Entry]]) -> bool:
    """Whether all that an archive holds lies in one folder."""
    tops = {parts[0] for parts, _ in named}
    return len(tops) == 1 and all(len(parts) > 1 or entry.kind is Kind.FOLDER for parts, entry in named)
