"""Reads one folder in this process: names and kinds, and stat only when the sort needs it."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Callable, Iterable
from itertools import islice
from operator import attrgetter

from cmdr.files.errors import ScanStopped
from cmdr.files.file_stat import stat_entry, storable_ns
from cmdr.files.volumes import remote_mounts
from cmdr.model.names import is_within
from cmdr.model.panes.entry import FOLDER_LINK, Kind
from cmdr.model.panes.listing import UNKNOWN, Columns, FactColumns, Listing
from cmdr.model.panes.sorting import SortOrder

_KINDS = {
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.PIPE,
    stat.S_IFSOCK: Kind.SOCKET,
    stat.S_IFBLK: Kind.BLOCK,
    stat.S_IFCHR: Kind.CHARACTER,
}
_NAME = attrgetter("name")

Stopped = Callable[[], bool]
OnProgress = Callable[[], None]
"""Called whenever the disk has answered again: a slow reading is told apart from one that hangs."""


def never() -> bool:
    """For readings that nobody stops."""
    return False


def ignore_progress() -> None:
    """For readings that nobody waits for."""


def kind_of_mode(mode: int) -> str:
    """The kind of an entry by its mode, links not followed."""
    return _KINDS.get(stat.S_IFMT(mode), Kind.UNKNOWN)


class FolderReader:
    """The entries of a folder as they come from the disk, in no order."""

    def __init__(self, path: bytes, stopped: Stopped = never, alive: OnProgress = ignore_progress) -> None:
        self.path = path
        self.stopped = stopped
        self.alive = alive
        self.names: list[bytes] = []
        self.kinds: list[str] = []
        self.inodes: list[int] = []
        self._remote = remote_mounts()

    def take(self, entries: Iterable[os.DirEntry[bytes]]) -> None:
        """Read entries until they end or the caller has gone."""
        entries = iter(entries)
        while batch := list(islice(entries, 4096)):
            self.names.extend(map(_NAME, batch))
            self.inodes.extend(map(os.DirEntry.inode, batch))
            self.kinds.extend(map(self._kind, batch))
            self._look_up()

    def listing(self, sort: SortOrder, *, show_hidden: bool, complete: bool = True) -> Listing:
        """What was read, sorted."""
        facts = self._facts() if sort.needs_facts else None
        columns = Columns.pack(self.names, self.kinds, self.inodes, facts)
        return Listing.of(columns, sort, show_hidden=show_hidden, complete=complete)

    def _look_up(self) -> None:
        self.alive()
        if self.stopped():
            raise ScanStopped

    def _kind(self, entry: os.DirEntry[bytes]) -> str:
        try:
            if entry.is_file(follow_symlinks=False):
                return Kind.FILE
            if entry.is_dir(follow_symlinks=False):
                return Kind.FOLDER
            if entry.is_symlink():
                return self._kind_of_link(entry)
            return kind_of_mode(entry.stat(follow_symlinks=False).st_mode)
        except OSError:
            return Kind.UNKNOWN

    def _kind_of_link(self, entry: os.DirEntry[bytes]) -> str:
        """Whether a link leads to a folder; a link onto a mount that may never answer is not followed to find out."""
        try:
            target = os.path.normpath(os.path.join(self.path, os.readlink(entry.path)))
            unsafe = any(is_within(target, point) for point in self._remote)
            return FOLDER_LINK if not unsafe and entry.is_dir() else Kind.LINK
        except OSError:
            return Kind.LINK

    def _facts(self) -> FactColumns:
        sizes, modified, created = array("q"), array("q"), array("q")
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for place, name in enumerate(self.names):
                facts = stat_entry(folder, name)
                sizes.append(UNKNOWN if facts is None else facts.size)
                modified.append(storable_ns(facts.modified_ns if facts else None))
                created.append(storable_ns(facts.created_ns if facts else None))
                if not place % 1024:
                    self._look_up()
        finally:
            os.close(folder)
        return FactColumns(sizes, modified, created)
