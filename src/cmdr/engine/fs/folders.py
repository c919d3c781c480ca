"""Directories held open by an operation: found once, checked by identity, never looked up by path again."""

import os
from collections.abc import Iterable
from types import TracebackType

from cmdr.engine.errors import Drifted
from cmdr.engine.fs.fingerprint import birth_of_open
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Fingerprint, Place, Root

_HELD = 96
"""How many directories stay open between two groups; the rest of the descriptors belong to staged files."""


class Folders:
    """The open directories below a plan's roots."""

    def __init__(self, syscalls: Syscalls, roots: Iterable[Root]) -> None:
        self._syscalls = syscalls
        self._roots = {root.path: root for root in roots}
        self._open: dict[tuple[bytes, bytes], int] = {}
        self._identity: dict[tuple[bytes, bytes], Root] = {}

    def __enter__(self) -> "Folders":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_root(self, root: Root) -> None:
        """Take in a directory that became known on the way, such as a trash."""
        self._roots.setdefault(root.path, root)

    def expect(self, place: Place, mark: Fingerprint) -> None:
        """Bind the directory at a place to an identity; anything else found there is a stranger."""
        self._identity[place.root, place.rel] = Root(place.rel, mark.dev, mark.ino, mark.stamp_ns)

    def at(self, place: Place) -> tuple[int, bytes]:
        """The open directory that holds a place, and the name in it."""
        folder, _, name = place.rel.rpartition(b"/")
        return self.open(place.root, folder), name

    def open(self, root: bytes, rel: bytes) -> int:
        """The open directory at a place; held by this object, not for the caller to close."""
        held = self._open.get((root, rel))
        if held is not None:
            return held
        if not rel:
            fd = self._open_root(self._roots[root])
        else:
            above, _, name = rel.rpartition(b"/")
            fd = self._open_child(self.open(root, above), name, root, rel)
        self._open[root, rel] = fd
        return fd

    def must_be_there(self, root: bytes) -> None:
        """Refuse to go on when a root is not under its path any more.

        A volume that was unmounted in passing stays open for us: all would seem to go well, into nowhere. As long as
        we hold the folder that was planned, no other gets its number: what has that number is what we hold.
        """
        try:
            held = os.fstat(self.open(root, b""))
            found = os.stat(root)
        except FileNotFoundError as problem:
            raise Drifted(f"{to_wire(root)} is not there any more") from problem
        if (found.st_dev, found.st_ino) != (held.st_dev, held.st_ino):
            raise Drifted(f"the folder {to_wire(root)} is not the one that was planned; was its volume taken away?")

    @property
    def is_crowded(self) -> bool:
        """Whether so many directories are open that a group of files should be finished first."""
        return len(self._open) > _HELD

    def trim(self) -> None:
        """Close the directories when they have become many; only between groups."""
        if self.is_crowded:
            self.close()

    def close(self) -> None:
        """Close all of them."""
        for fd in self._open.values():
            self._syscalls.discard(fd)
        self._open.clear()

    def _open_root(self, root: Root) -> int:
        # The one lookup by path; links on the way to the root are the person's own, the identity settles it.
        fd = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self._checked(fd, root, root.path)

    def _open_child(self, above: int, name: bytes, root: bytes, rel: bytes) -> int:
        fd = self._syscalls.open_folder(name, above)
        return self._checked(fd, self._identity.get((root, rel)), name)

    def _checked(self, fd: int, identity: Root | None, name: bytes) -> int:
        found = os.fstat(fd)
        if identity is not None and not identity.is_at(found.st_dev, found.st_ino, _birth(identity, fd)):
            self._syscalls.discard(fd)
            raise Drifted(f"the folder {to_wire(name)} is not the one that was planned")
        return fd


def _birth(identity: Root, fd: int) -> int | None:
    """When an open directory was made, if that is known of the one that is meant."""
    return None if identity.birth_ns is None else birth_of_open(fd)
