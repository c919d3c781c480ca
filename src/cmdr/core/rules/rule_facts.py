"""What rules must know of a plan and only the disk tells: where it really works, whether the way back is certain,
and whether anything in it is private, protected or a program. Blocks, and belongs in a thread.

Whatever cannot be found out for certain is a reason to ask the person.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cmdr.core.agents.trust import identity_of
from cmdr.engine.fs.mounts import free_bytes
from cmdr.engine.fs.trash import NoTrashHere, home_trash, locate
from cmdr.files.protected import Protection
from cmdr.files.sandbox.open_beneath import real_path
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.names import display_name, is_within
from cmdr.model.plans.plan import Decision, Kind, Place, Plan, PlanItem, Root
from cmdr.model.plans.steps import KINDS
from cmdr.model.plans.trust_plan import Identity
from cmdr.model.root_spec import RootSpec

MOST_INSIDE = 250_000
"""Entries of folders that go as a whole and are looked at; a plan with more is asked about."""
_RUN = 0o111
_PROGRAM_NAMES = (
    *(b".desktop", b".sh", b".bash", b".zsh", b".fish", b".csh", b".ksh", b".command", b".tool", b".run"),
    *(b".appimage", b".service", b".timer", b".exe", b".com", b".scr", b".bat", b".cmd", b".ps1", b".msi", b".jar"),
)
"""How names end that are run when somebody opens them."""
_HANDLE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Asked(Exception):
    """Only the person says yes to it; the text says why."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a client may get at, whatever a rule says."""

    reaches: tuple[tuple[RootSpec, ...], ...]
    """Lists of folders by real paths; everything lies in one folder of each list."""
    private: PrivatePlaces
    protection: Protection


@dataclass(slots=True)
class Found:
    """Where a plan really works."""

    sources: set[bytes] = field(default_factory=set)
    """Folders by real paths that hold what it begins with."""
    targets: set[bytes] = field(default_factory=set)
    files: int = 0
    """Files and folders, with all that lies in folders that go as a whole: a plan may have one line for those."""
    size: int = 0
    never: str = ""
    """Why only the person says yes to it."""

    @property
    def folders(self) -> frozenset[bytes]:
        """All of them."""
        return frozenset(self.sources | self.targets)


def look_at(plan: Plan, bounds: Bounds) -> Found:
    """Everything about a plan that only the disk tells."""
    look = _Look(plan, bounds)
    try:
        look.all_of_it()
    except Asked as why:
        look.found.never = str(why)
    except (OSError, ValueError) as problem:
        look.found.never = f"it could not be looked at: {problem}"
    return look.found


def stands(path: bytes, identity: Identity | None) -> bool:
    """Whether the folder at a path is still the one with this identity, and no link leads there."""
    return identity is not None and real_folder(path) == path and identity_of(path) == identity


def real_folder(path: bytes) -> bytes | None:
    """Where the folder at a path really lies; None when there is none."""
    try:
        handle = os.open(path, _HANDLE)
    except (OSError, ValueError):
        return None
    try:
        return real_path(handle)
    except OSError:
        return None
    finally:
        os.close(handle)


class _Look:
    """One look at one plan; raises `Asked` at the first thing that needs the person."""

    def __init__(self, plan: Plan, bounds: Bounds) -> None:
        self.found = Found()
        self._plan = plan
        self._bounds = bounds
        self._real: dict[bytes, bytes] = {}
        self._folders: dict[tuple[bytes, bytes], bytes] = {}
        self._read: set[bytes] = set()
        """Folders of which something is only read."""
        self._changed: set[bytes] = set()
        self._copied_away = 0
        """Bytes that leave their volume: taken back, they need room there again."""
        self._away: set[bytes] = set()
        self._inside = 0

    def all_of_it(self) -> None:
        for root in self._plan.roots:
            self._real[root.path] = _real_of(root)
        for item in self._plan.items:
            if not item.is_left_alone:
                self._item(item)
        self._must_be_in_reach()
        self._must_be_unprivate()
        self._must_have_a_way_back()

    def _item(self, item: PlanItem) -> None:
        kind, source, target = KINDS[item.step], item.source, item.target
        self.found.files += 1
        if kind.removes:
            raise Asked("something is removed for good")
        if item.kind is Kind.SPECIAL:
            raise Asked(f"{display_name(item.place.name)} is neither a file nor a folder")
        if item.decision is Decision.ASK:
            raise Asked("a name is taken, and it is asked what to do about it")
        if item.protected:
            raise Asked(f"{display_name(item.place.name)} {item.protected}")
        if item.change is not None and (item.change.gained or item.change.sets_owner):
            raise Asked(f"{display_name(item.place.name)} would be opened up: {item.change.told}")
        is_only_read = item.is_unpacked or (kind.only_reads_source and not item.remove_source)
        before = self._place(source, self._read if is_only_read else self._changed, self.found.sources)
        after = self._place(target, self._changed, self.found.targets)
        for place in (item.twin, item.info):
            self._place(place, self._changed, self.found.targets)
        if item.remove_source and kind.brings_contents and before is not None:
            self._copied_away += item.totals.bytes
            self._away.add(os.path.dirname(before))
        for path in (after, None if is_only_read else before):
            if path is not None:
                self._must_be_plain(path)
        if before is not None:
            if why := self._bounds.private.reason(before):
                raise Asked(f"{display_name(before)} {why}")
            self._must_be_no_program(item, before, after)
        self._must_land_no_program(item, after)
        if item.kind is Kind.FOLDER and kind.moves_folders and before is not None:
            self._whole_folder(before, after)
        if kind.makes_link and source is None and after is not None:
            self._leads_to(after, item.data or b"")

    def _place(self, place: Place | None, as_what: set[bytes], as_end: set[bytes]) -> bytes | None:
        """The real path of a place; the folder that holds it is noted."""
        if place is None:
            return None
        key = place.root, place.folder
        folder = self._folders.get(key)
        if folder is None:
            real = self._real.get(place.root)
            if real is None:
                raise Asked(f"{display_name(place.root)} is not known")
            parts = place.folder.split(b"/") if place.folder else []
            if any(part in (b"", b".", b"..") for part in parts):
                raise Asked(f"{display_name(place.path)} is spelled in a way that hides where it lies")
            folder = self._folders[key] = b"/".join([real.rstrip(b"/"), *parts]) or b"/"
        as_what.add(folder)
        as_end.add(folder)
        return folder.rstrip(b"/") + b"/" + place.name

    def _must_be_plain(self, path: bytes) -> None:
        """Refuse what other programs obey, and what is private by its name."""
        why = self._bounds.protection.reason(path) or self._bounds.private.reason(path)
        if why:
            raise Asked(f"{display_name(path)} {why}")

    def _must_be_no_program(self, item: PlanItem, before: bytes, after: bytes | None) -> None:
        if item.is_unpacked:
            return
        seen = os.lstat(before)
        self.found.size += _size_of(seen)
        if why := self._bounds.private.reason_here(before, seen):
            raise Asked(f"{display_name(before)} {why}")
        lands = after is not None and item.change is None
        _refuse_program(before, seen, reads=lands)

    def _must_land_no_program(self, item: PlanItem, after: bytes | None) -> None:
        if after is None:
            return
        if item.mode is not None and item.mode & _RUN and item.kind is Kind.FILE:
            raise Asked(f"{display_name(after)} could be run")
        if item.kind is not Kind.FOLDER and _is_run_by_name(after):
            raise Asked(f"{display_name(after)} is run by whoever opens it")
        if item.data is not None and not KINDS[item.step].makes_link and item.data.startswith(b"#!"):
            raise Asked(f"{display_name(after)} is a script")
        if item.decision is Decision.REPLACE or KINDS[item.step].swaps:
            seen = os.lstat(after)
            if why := self._bounds.private.reason_here(after, seen):
                raise Asked(f"{display_name(after)} {why}")
            _refuse_program(after, seen, reads=False)

    def _whole_folder(self, before: bytes, after: bytes | None) -> None:
        """Look at everything in a folder that goes as a whole: the plan has only one line for it."""
        if after is not None and (why := self._bounds.protection.reason_below(after)):
            raise Asked(f"{display_name(after)} {why}")
        for path, seen in _inside(before):
            self._inside += 1
            if self._inside > MOST_INSIDE:
                raise Asked("its folders hold more than can be looked at")
            self.found.files, self.found.size = self.found.files + 1, self.found.size + _size_of(seen)
            if why := self._bounds.private.reason_here(path, seen):
                raise Asked(f"{display_name(path)} {why}")
            self._must_be_plain(path)
            if after is not None:
                self._must_be_plain(after + path[len(before) :])
            if stat.S_ISDIR(seen.st_mode):
                continue
            if not (stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode)):
                raise Asked(f"{display_name(path)} is neither a file nor a folder")
            _refuse_program(path, seen, reads=after is not None)

    def _leads_to(self, link: bytes, text: bytes) -> None:
        """A new link is about what it leads to as well."""
        leads = os.path.realpath(os.path.join(os.path.dirname(link), text))
        if why := self._bounds.private.reason(leads) or self._bounds.protection.reason(leads):
            raise Asked(f"{display_name(leads)} {why}")
        above = os.path.dirname(leads)
        self._read.add(above)
        self.found.sources.add(above)

    def _must_be_in_reach(self) -> None:
        for reach in self._bounds.reaches:
            for folder in self._changed | self._read:
                held = max((root for root in reach if is_within(folder, root.path)), key=_length, default=None)
                if held is None:
                    raise Asked(f"{display_name(folder)} lies outside the folders that this agent may use")
                if held.read_only and folder in self._changed:
                    raise Asked(f"{display_name(folder)} may only be read")

    def _must_be_unprivate(self) -> None:
        for folder in self._changed | self._read:
            try:
                seen = os.stat(folder)
            except FileNotFoundError:
                continue  # it is made on the way, and its name was looked at
            if why := self._bounds.private.reason_of(folder, seen):
                raise Asked(f"{display_name(folder)} {why}")

    def _must_have_a_way_back(self) -> None:
        """What undo takes away goes to a trash, and what left its volume needs room there again."""
        for folder in _one_a_volume(self._changed):
            handle = os.open(folder, _FOLDER)
            try:
                locate(handle, home_trash())
            except NoTrashHere as why:
                raise Asked(f"it could not be taken back: {why}") from why
            finally:
                os.close(handle)
        for folder in _one_a_volume(self._away):
            handle = os.open(folder, _FOLDER)
            try:
                if free_bytes(handle) < self._copied_away:
                    raise Asked("it could not be taken back: there is too little room")
            finally:
                os.close(handle)


def _real_of(root: Root) -> bytes:
    """Where a folder of a plan lies, by the very folder that was planned with."""
    handle = os.open(root.path, _HANDLE)
    try:
        found = os.fstat(handle)
        if (found.st_dev, found.st_ino) != (root.dev, root.ino):
            raise Asked(f"{display_name(root.path)} is another folder by now")
        return real_path(handle)
    finally:
        os.close(handle)


def _one_a_volume(folders: Iterable[bytes]) -> Iterator[bytes]:
    """A folder of each volume; those that are yet to be made are on the volume of one that is there."""
    seen: set[int] = set()
    for folder in sorted(folders):
        standing = nearest(folder)
        volume = os.stat(standing).st_dev
        if volume not in seen:
            seen.add(volume)
            yield standing


def nearest(folder: bytes) -> bytes:
    """A folder, or where it is yet to be made, the nearest one above that is there."""
    while not os.path.isdir(folder) and folder != b"/":
        folder = os.path.dirname(folder)
    return folder


def _inside(folder: bytes) -> Iterator[tuple[bytes, os.stat_result]]:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                yield entry.path, seen
                if stat.S_ISDIR(seen.st_mode):
                    waiting.append(entry.path)


def _refuse_program(path: bytes, seen: os.stat_result, *, reads: bool) -> None:
    if stat.S_ISLNK(seen.st_mode) or stat.S_ISDIR(seen.st_mode):
        return
    if seen.st_mode & (_RUN | stat.S_ISUID | stat.S_ISGID):
        raise Asked(f"{display_name(path)} is a program")
    if _is_run_by_name(path):
        raise Asked(f"{display_name(path)} is run by whoever opens it")
    if reads and _begins_as_script(path):
        raise Asked(f"{display_name(path)} is a script")


def _size_of(seen: os.stat_result) -> int:
    return seen.st_size if stat.S_ISREG(seen.st_mode) else 0


def _is_run_by_name(path: bytes) -> bool:
    return path.lower().endswith(_PROGRAM_NAMES)


def _begins_as_script(path: bytes) -> bool:
    handle = os.open(path, _READ)
    try:
        return os.read(handle, 2) == b"#!"
    finally:
        os.close(handle)


def _length(root: RootSpec) -> int:
    return len(root.path)


def roots_within(reaches: Sequence[Sequence[RootSpec]]) -> list[bytes]:
    """The folders that may be changed by all lists: of two inside each other, the inner one."""
    within = [b"/"]
    for reach in reaches:
        changeable = [root.path for root in reach if not root.read_only]
        pairs = ((one, other) for one in within for other in changeable)
        within = [
            one if is_within(one, other) else other
            for one, other in pairs
            if is_within(one, other) or is_within(other, one)
        ]
    return within
