"""Looking at what is to be planned: sources bound by identity, trees walked through open directories, within limits."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cmdr.engine.errors import error_text
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.fingerprint import birth_of_open
from cmdr.engine.fs.folder_digest import Inside, digest_of
from cmdr.engine.fs.syscalls import FOLDER_FLAGS
from cmdr.engine.plan.refusals import (
    BadName,
    ChangedSince,
    NotAFolder,
    NothingToDo,
    NotThere,
    TooMany,
    TopFolder,
    Unreadable,
)
from cmdr.files.protected import Privacy, Protection
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.name_fields import FolderPattern
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, Kind, Place, Root, Totals

Check = Callable[[], None]
"""Called often while planning; raises to stop."""


def go_on() -> None:
    """A check that never stops."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most one plan may hold."""

    top: int = 200
    leaves: int = 100_000
    depth: int = 256


_MIN_EMPTIED_ITEMS = 10
"""Taking half of a folder is worth a second look only when it is more than a handful."""


class Source(NamedTuple):
    """One chosen file, in its open directory."""

    place: Place
    folder: int
    found: os.stat_result

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity and version."""
        return fingerprint.of_found(self.found, self.place.name, self.folder)


@dataclass(slots=True)
class Survey:
    """What one planning looks at; closes its directories at the end."""

    limits: Limits
    check: Check
    stack: ExitStack
    roots: dict[bytes, Root] = field(default_factory=dict)
    _fds: dict[bytes, int] = field(default_factory=dict)
    _chosen: dict[int, set[bytes]] = field(default_factory=dict)
    """The names that were chosen in each open directory."""
    _count: int = 0
    seen: Callable[[bytes, os.stat_result], None] | None = None
    """Told about all that a chosen folder holds while it is counted."""

    def root(self, path: bytes) -> tuple[Root, int]:
        """A directory to work in: bound by identity and open until planning ends."""
        root = self.roots.get(path)
        if root is None:
            try:
                fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except FileNotFoundError as problem:
                raise NotThere(path) from problem
            except NotADirectoryError as problem:
                raise NotAFolder(path) from problem
            except OSError as problem:
                raise Unreadable(path, error_text(problem)) from problem
            self.stack.callback(os.close, fd)
            found = os.fstat(fd)
            root = self.roots[path] = Root(path, found.st_dev, found.st_ino, birth_of_open(fd))
            self._fds[path] = fd
        return root, self._fds[path]

    def sources(self, paths: Sequence[bytes], expected: Mapping[bytes, Fingerprint] | None) -> Iterator[Source]:
        """The chosen files, each once, as they are now; refused when one is not what was chosen.

        One at a time: what is known about a file takes a kilobyte, and half a million may be chosen.
        """
        if not paths:
            raise NothingToDo("Nothing is chosen. Select some files first.")
        if len(paths) > self.limits.top:
            raise TooMany(self.limits.top, "chosen files")
        for path in paths:
            self.check()
            source = self.source(path)
            if expected is not None and path in expected and not fingerprint.shows(source.found, expected[path]):
                raise ChangedSince(path)
            names, name = self._chosen.get(source.folder), source.place.rel
            if names is None:
                names = self._chosen[source.folder] = set()
            if name not in names:
                names.add(name)
                yield source

    def emptied(self) -> tuple[bytes, ...]:
        """The folders that lose more than half of what they hold; for when all that was chosen has been looked at."""
        return tuple(
            path
            for path, fd in self._fds.items()
            if (taken := len(self._chosen.get(fd, ()))) >= _MIN_EMPTIED_ITEMS and taken * 2 > _held(fd)
        )

    def source(self, path: bytes) -> Source:
        """One chosen file as it is now."""
        above, name = split(path)
        root, folder = self.root(above)
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError as problem:
            raise NotThere(path) from problem
        except OSError as problem:
            raise Unreadable(path, error_text(problem)) from problem
        return Source(Place(root.path, name), folder, found)

    def count(self, amount: int = 1) -> None:
        """Count leaves against the limit."""
        self._count += amount
        if self._count > self.limits.leaves:
            raise TooMany(self.limits.leaves, "files")

    def children(self, folder: int, name: bytes, depth: int, path: bytes) -> "Children":
        """The directory `name` inside an open one, with its sorted names."""
        if depth > self.limits.depth:
            raise TooMany(self.limits.depth, "folders inside each other")
        return Children(folder, name, path)

    def inside(self, source: Source) -> Inside:
        """All that a file or folder holds; a file has no names inside."""
        return self._inside(source.folder, source.place.name, source.found, 1, source.place.path)

    def _inside(self, folder: int, name: bytes, found: os.stat_result, depth: int, path: bytes) -> Inside:
        self.check()
        if fingerprint.kind_of(found.st_mode) is not Kind.FOLDER:
            self.count()
            return Inside(Totals(1, 0, found.st_size), "")
        files, folders, size = 0, 1, 0
        names: list[bytes] = []
        below: dict[bytes, str] = {}
        with self.children(folder, name, depth, path) as children:
            for child, stat in children.entries():
                if self.seen is not None:
                    self.seen(path + b"/" + child, stat)
                names.append(child)
                if fingerprint.kind_of(stat.st_mode) is Kind.FOLDER:
                    totals, below[child] = self._inside(children.fd, child, stat, depth + 1, path + b"/" + child)
                    files, folders, size = files + totals.files, folders + totals.folders, size + totals.bytes
                else:
                    self.count()
                    files, size = files + 1, size + stat.st_size
        return Inside(Totals(files, folders, size), digest_of(names, below))


class Children:
    """An open directory inside another."""

    def __init__(self, folder: int, name: bytes, path: bytes) -> None:
        self._path = path
        try:
            self.fd = os.open(name, FOLDER_FLAGS, dir_fd=folder)
        except OSError as problem:
            raise Unreadable(path, error_text(problem)) from problem

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def entries(self) -> Iterator[tuple[bytes, os.stat_result]]:
        """Names and what they stand for, by name."""
        try:
            names = list(map(os.fsencode, os.listdir(self.fd)))
        except OSError as problem:
            raise Unreadable(self._path, error_text(problem)) from problem
        names.sort()
        for name in names:
            try:
                # Not by way of an entry of `scandir`, which would keep what it found as long as the list is kept.
                yield name, os.stat(name, dir_fd=self.fd, follow_symlinks=False)
            except FileNotFoundError:
                # Gone while we looked: it is no part of the plan.
                continue
            except OSError as problem:
                raise Unreadable(self._path + b"/" + name, error_text(problem)) from problem


def _held(folder: int) -> int:
    """How many names an open directory holds."""
    with os.scandir(folder) as entries:
        return sum(1 for _ in entries)


def split(path: bytes) -> tuple[bytes, bytes]:
    """A path's directory and name; refused when it is not a plain absolute path."""
    above, _, name = path.rpartition(b"/")
    if name and above.startswith(b"/") and not above.endswith(b"/"):
        # What most paths are; there may be very many.
        return above, good_name(name)
    above, name = os.path.split(path.rstrip(b"/"))
    if path and not name:
        raise TopFolder
    if not above.startswith(b"/"):
        raise BadName(path)
    return above, good_name(name)


def good_name(name: bytes) -> bytes:
    """The name itself; refused when no file can have it."""
    if name in (b"", b".", b"..") or b"/" in name or b"\0" in name or len(name) > 255:
        raise BadName(name)
    return name


_ABOVE: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""For the folders above: they are passed through, and need not let anybody see what else is in them."""


def ancestry(folder: int) -> set[tuple[int, int]]:
    """The identities of an open directory and everything above it."""
    seen: set[tuple[int, int]] = set()
    here = os.dup(folder)
    try:
        while True:
            found = os.fstat(here)
            if (found.st_dev, found.st_ino) in seen:
                return seen
            seen.add((found.st_dev, found.st_ino))
            above = os.open(b"..", _ABOVE, dir_fd=here)
            os.close(here)
            here = above
    finally:
        os.close(here)


_LIMITS = Limits()
_PROTECTION = Protection()


@dataclass(frozen=True, slots=True)
class Choices:
    """How files are to be copied, moved, trashed or deleted."""

    policy: ConflictPolicy = ConflictPolicy.ASK
    """What happens to a copied or moved file whose name is taken."""
    as_name: bytes | None = None
    """Another name at the destination, for a single file."""
    into: FolderPattern | None = None
    """Folders below the destination, named by fields of each file."""
    expected: Mapping[bytes, Fingerprint] | None = None
    """What the files looked like when they were chosen; a plan for others is refused."""
    limits: Limits = _LIMITS
    protection: Protection = _PROTECTION
    trash_home: bytes | None = None
    """The trash of the home volume, when it is not the usual one."""
    check: Check = go_on
    privacy: Privacy | None = None
    """Whose files these are: for an agent, private ones are marked; a person copies their own as they like."""
    attributes: AttributeWish | None = None
    """What is wanted of attributes, where those change."""


USUAL = Choices()
