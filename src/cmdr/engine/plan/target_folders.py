"""Where chosen files go: into one folder or into folders by their own fields; what is missing on the way is made."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from cmdr.engine.errors import error_text
from cmdr.engine.fs.mounts import free_bytes, volume_of
from cmdr.engine.plan.refusals import (
    BadPattern,
    InsideItself,
    NotAFolder,
    NotEnoughSpace,
    NotThere,
    TooMany,
    Unreadable,
)
from cmdr.engine.plan.survey import Source, Survey, ancestry, good_name, split
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.files.protected import Protection
from cmdr.model.names import printable
from cmdr.model.plans.name_fields import BadField, FolderPattern, NamedFile
from cmdr.model.plans.plan import Decision, Kind, Place, PlanItem, Root


@dataclass(frozen=True, slots=True)
class TargetPath:
    """A folder that stands, held open, and the names below it that are still to be made."""

    root: Root
    folder: int
    missing: tuple[bytes, ...] = ()

    @property
    def end(self) -> int | None:
        """The open folder at the end of the way; None while it is not made."""
        return None if self.missing else self.folder

    def place(self, name: bytes) -> Place:
        """A name at the end of the way."""
        return Place(self.root.path, b"/".join((*self.missing, name)))

    def made(self, protection: Protection) -> Iterator[PlanItem]:
        """What makes the way, outermost first; a folder that came meanwhile is joined."""
        for depth in range(1, len(self.missing) + 1):
            target = Place(self.root.path, b"/".join(self.missing[:depth]))
            why = protection.reason(target.path)
            yield PlanItem(MakeFolder.name, Kind.FOLDER, None, target, decision=Decision.MERGE, protected=why)


def target_path(survey: Survey, path: bytes) -> TargetPath:
    """The way to a folder that may be missing; refused where something else has one of the names."""
    missing: list[bytes] = []
    while True:
        try:
            root, folder = survey.root(path)
        except NotThere:
            if os.path.lexists(path):
                raise NotAFolder(path) from None  # a link that leads nowhere
            path, name = split(path)
            missing.insert(0, name)
            if len(missing) > survey.limits.depth:
                raise TooMany(survey.limits.depth, "folders inside each other") from None
        else:
            return TargetPath(root, folder, tuple(missing))


MAX_TARGET_FOLDERS = 500
"""Target folders of one plan: they are all held open while it is made, and a person is to understand it."""


@dataclass(slots=True)
class TargetFolder:
    """One folder that files go to, standing or yet to be made."""

    path: bytes
    way: TargetPath
    volume: tuple[int, int]
    above: frozenset[tuple[int, int]]
    """The folder and everything above it, by identity."""

    @property
    def is_made(self) -> bool:
        """Whether it is yet to be made."""
        return bool(self.way.missing)


@dataclass(slots=True)
class TargetFolders:
    """The folders of one plan."""

    survey: Survey
    destination: bytes
    base: TargetFolder = field(init=False)
    """The destination itself, whether something goes there or not."""
    _used: dict[bytes, TargetFolder] = field(default_factory=dict)
    """By the way down from the destination."""
    _roots: dict[tuple[int, int], TargetPath] = field(default_factory=dict)
    """The standing folders by identity: two spellings or links may lead to one."""
    _need: dict[tuple[int, int], int] = field(default_factory=dict)
    """Room that is needed on each volume."""

    def __post_init__(self) -> None:
        self.base = self._folder(b"")

    def all_to_one(self, sources: Iterable[Source]) -> Iterator[tuple[Source, TargetFolder]]:
        """Every source goes to the destination."""
        self._used[b""] = self.base
        return ((source, self.base) for source in sources)

    def sorted_by(self, pattern: FolderPattern, sources: Iterable[Source]) -> Iterator[tuple[Source, TargetFolder]]:
        """Every source goes to a folder of its own kind; all are looked at first, for the folders are made first."""
        goals = []
        for source in sources:
            below = b"/".join(_below(pattern, source))
            if below not in self._used:
                if len(self._used) >= MAX_TARGET_FOLDERS:
                    raise TooMany(MAX_TARGET_FOLDERS, "target folders")
                self._used[below] = self._folder(below)
            goals.append((source.place.path, self._used[below]))
        return ((self.survey.source(path), goal) for path, goal in goals)

    def made(self, protection: Protection) -> Iterator[PlanItem]:
        """What makes the missing ones, each once and the outer ones first."""
        seen: set[Place | None] = set()
        for folder in self._used.values():
            for item in folder.way.made(protection):
                if item.target not in seen:
                    seen.add(item.target)
                    yield item

    def check(self, source: Source, goal: TargetFolder) -> None:
        """Refuse to put a folder into itself, or away from where others are to go."""
        mark = source.fingerprint
        if mark.kind is not Kind.FOLDER:
            return
        here = self.survey.roots[source.place.root]
        stays = not goal.is_made and (here.dev, here.ino) == (goal.way.root.dev, goal.way.root.ino)
        for other in (goal,) if stays else self._used.values():
            if (mark.dev, mark.ino) in other.above:
                raise InsideItself(source.place.path, other.path)

    def needs(self, goal: TargetFolder, amount: int) -> None:
        """Count space that is needed."""
        self._need[goal.volume] = self._need.get(goal.volume, 0) + amount

    def space(self) -> tuple[int, int]:
        """Room at the destination, and how much of it is needed; refused where some volume has too little."""
        for folder in (self.base, *self._used.values()):
            need, free = self._need.get(folder.volume, 0), free_bytes(folder.way.folder)
            if need > free:
                raise NotEnoughSpace(folder.path, need, free)
        return free_bytes(self.base.way.folder), self._need.get(self.base.volume, 0)

    def _folder(self, below: bytes) -> TargetFolder:
        path = self.destination.rstrip(b"/") + b"/" + below if below else self.destination
        way = target_path(self.survey, path)
        first = self._roots.setdefault(_identity(way.root), way)
        way = replace(way, root=first.root, folder=first.folder)
        try:
            return TargetFolder(path, way, volume_of(way.folder), frozenset(ancestry(way.folder)))
        except OSError as problem:  # it may be listed, and not be entered
            raise Unreadable(path, error_text(problem)) from problem


def _below(pattern: FolderPattern, source: Source) -> Iterator[bytes]:
    place, mark = source.place, source.fingerprint
    file = NamedFile(
        os.fsdecode(place.name),
        os.fsdecode(os.path.basename(place.root)),
        mark.mtime_ns,
        mark.kind is Kind.FOLDER,
    )
    try:
        return map(good_name, map(os.fsencode, pattern.folders(file)))
    except BadField as problem:
        raise BadPattern(printable(str(problem), 300)) from problem


def _identity(root: Root) -> tuple[int, int]:
    return root.dev, root.ino
