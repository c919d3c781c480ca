"""The agents' roots, opened once; every path an agent names is resolved below one of them or refused."""

import errno
import os
import stat
import threading
from collections.abc import Sequence

from cmdr.files.errors import DiskError, NotAFolder, PathNotFound, disk_error
from cmdr.files.protected import LinkedPlaces, Protection
from cmdr.files.sandbox.file_opener import FileOpener
from cmdr.files.sandbox.open_beneath import open_beneath, real_path
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import (
    BadRoot,
    HiddenInHome,
    OpenRoot,
    OutsideRoots,
    PrivatePlace,
    ReadOnlyRoot,
    ResolvedName,
    ResolvedPath,
)
from cmdr.model.names import is_within, to_wire
from cmdr.model.root_spec import RootSpec

MAX_PATH_BYTES = 4096


class Sandbox:
    """All roots anybody was given, and what is private inside them."""

    def __init__(
        self,
        roots: Sequence[RootSpec] = (),
        private: PrivatePlaces | None = None,
        *,
        kernel: bool = True,
        program: tuple[bytes, ...] = (),
        run_from: tuple[bytes, ...] = (),
        is_chosen: bool = True,
    ) -> None:
        """`program` is where this program's own code stands, `run_from` what is in PATH; a change needs the person.

        `is_chosen` says whether the person named the roots; else they are the usual folder, and of a home in it what
        is hidden stays closed: there programs keep keys that no list of ours knows.
        """
        self.private = private or PrivatePlaces()
        self.protection = Protection((*self.private.own, *program), run_from, LinkedPlaces(self.private.homes))
        self.roots = tuple(roots)
        self.is_chosen = is_chosen
        self._kernel = kernel
        self._open: dict[bytes, OpenRoot] = {}
        self._opening = threading.Lock()
        for root in roots:
            self._opened(root)

    def resolver(self, roots: tuple[RootSpec, ...] | None = None, *, read_only: bool = False) -> "PathResolver":
        """What one caller can get at: everything, or only its own roots."""
        mine = self.roots if roots is None else roots
        if read_only:
            mine = tuple(RootSpec(root.path, read_only=True) for root in mine)
        opens_hidden = self.is_chosen or roots is not None
        opened = tuple((spec, self._opened(spec)) for spec in mine)
        return PathResolver(self, opened, self._kernel, opens_hidden=opens_hidden)

    def close(self) -> None:
        """Close every root."""
        for root in self._open.values():
            os.close(root.fd)
        self._open.clear()

    def _opened(self, spec: RootSpec) -> OpenRoot:
        with self._opening:
            if spec.path not in self._open:
                try:
                    fd = os.open(spec.path, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC)
                except OSError as error:
                    raise BadRoot(spec.path, os.strerror(error.errno or errno.EIO).lower()) from error
                self._open[spec.path] = OpenRoot(spec, fd, real_path(fd))
                self.private.hard_links.roots.add(self._open[spec.path].real)
            return self._open[spec.path]


class PathResolver:
    """The one way from a path that an agent wrote to a file."""

    def __init__(
        self,
        sandbox: Sandbox,
        roots: tuple[tuple[RootSpec, OpenRoot], ...],
        kernel: bool,
        *,
        opens_hidden: bool = True,
    ) -> None:
        """`opens_hidden` says whether hidden files and folders of a home are open like others."""
        self._sandbox = sandbox
        self._roots = roots
        self._kernel = kernel
        self._opens_hidden = opens_hidden

    @property
    def roots(self) -> tuple[RootSpec, ...]:
        """The roots of this caller."""
        return tuple(spec for spec, _ in self._roots)

    @property
    def trees(self) -> tuple[RootSpec, ...]:
        """The roots by their real paths, as a sandboxed command gets to see them."""
        return tuple(RootSpec(root.real, spec.read_only) for spec, root in self._roots)

    def find(self, path: bytes, *, follow: bool = True) -> ResolvedPath:
        """What a path names; refused when it is outside, private or not there."""
        spec, root, way = self._way(path)
        shown = spec.path.rstrip(b"/") + (b"/" + way if way else b"") or b"/"
        if why := self._sandbox.private.reason(shown):
            raise PrivatePlace(shown, why)
        try:
            handle = open_beneath(root.fd, way, follow=follow, kernel=self._kernel)
        except OSError as error:
            if error.errno in (errno.EXDEV, errno.EAGAIN):
                raise OutsideRoots(shown, self.roots) from error
            raise disk_error(shown, error) from error
        found = ResolvedPath(handle, spec, shown, real_path(handle), os.fstat(handle))
        if why := self._sandbox.private.reason_of(found.real, found.stat):
            found.close()
            raise PrivatePlace(shown, why)
        if self._is_hidden(root, found.real):
            found.close()
            raise HiddenInHome(shown)
        return found

    def folder(self, path: bytes) -> ResolvedPath:
        """A folder; refused when it is anything else."""
        found = self.find(path)
        if not found.is_folder:
            found.close()
            raise NotAFolder(found.path)
        return found

    def opener(self) -> FileOpener:
        """What opens many files, each as it would be opened if it were named."""
        return FileOpener(self, self._sandbox.private)

    def resolve_name(self, path: bytes) -> ResolvedName:
        """A name to write to: its folder must stand inside a root that may be changed, and it must not be private."""
        above, name = os.path.split(path.rstrip(b"/"))
        if name in (b"", b".", b"..") or b"\0" in name or len(name) > 255:
            raise DiskError(f"{to_wire(path[:200])} does not end with a name. Give the whole path.")
        # A bare name lies in the first root; a root itself has no name that could be written to.
        if any(_parts(path) == _parts(spec.path) for spec in self.roots):
            raise DiskError(f"{to_wire(path)} is a root itself; it stays as it is.")
        held = ResolvedName(self.folder(above), name)
        try:
            self._check_changeable(held)
        except BaseException:
            held.close()
            raise
        return held

    def write_target(self, path: bytes) -> ResolvedName:
        """Where writing to a path ends up: a link at its end is followed, as long as it stays inside."""
        held = self.resolve_name(path)
        seen = held.seen()
        if seen is None or not stat.S_ISLNK(seen.st_mode):
            return held
        held.close()
        with self.find(path) as found:
            real = found.real
        held = self.resolve_name(real)
        seen = held.seen()
        if seen is None or stat.S_ISLNK(seen.st_mode):
            held.close()
            raise PathNotFound(path)
        return held

    def _check_changeable(self, held: ResolvedName) -> None:
        if held.folder.root.read_only:
            raise ReadOnlyRoot(held.path)
        private = self._sandbox.private
        seen = held.seen()
        why = private.reason(held.path) if seen is None else private.reason_of(held.path, seen)
        if why:
            raise PrivatePlace(held.path, why)
        if any(spec == held.folder.root and self._is_hidden(root, held.path) for spec, root in self._roots):
            raise HiddenInHome(held.path)

    def _is_hidden(self, root: OpenRoot, real: bytes) -> bool:
        """Whether something lies hidden in a home that only happens to be inside a root."""
        if self._opens_hidden:
            return False
        homes = [home.rstrip(b"/") + b"/." for home in self._sandbox.private.homes if is_within(home, root.real)]
        return any(real.startswith(home) for home in homes)

    def _way(self, path: bytes) -> tuple[RootSpec, OpenRoot, bytes]:
        """The root a path lies in and the way down; `..` stays in the way, where the kernel judges it."""
        if len(path) > MAX_PATH_BYTES or b"\0" in path:
            raise DiskError("That is not a path: it is too long or has a zero byte.")
        if path == b"~" or path.startswith(b"~/"):
            path = os.path.expanduser(path)
        if not self._roots:
            raise OutsideRoots(path, self.roots)
        if not path.startswith(b"/"):
            spec, root = self._roots[0]
            return spec, root, path
        parts = _parts(path)
        tail = b"/" if path.endswith(b"/") and len(parts) else b""
        best: tuple[int, RootSpec, OpenRoot] | None = None
        for spec, root in self._roots:
            for base in (_parts(spec.path), _parts(root.real)):
                if parts[: len(base)] == base and (best is None or len(base) > best[0]):
                    best = (len(base), spec, root)
        if best is None:
            raise OutsideRoots(path, self.roots)
        length, spec, root = best
        way = b"/".join(parts[length:])
        return spec, root, way + tail if way else b""


def _parts(path: bytes) -> list[bytes]:
    return [part for part in path.split(b"/") if part not in (b"", b".")]
