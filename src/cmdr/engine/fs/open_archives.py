"""The archives that a running operation reads from: one open at a time, checked by its fingerprint."""

import errno
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cmdr.engine.errors import Damaged, Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.files.archives.archive_file import BadArchive
from cmdr.model.plans.plan import Fingerprint, Place, PlanItem
from cmdr.model.plans.plan_item import Member

if TYPE_CHECKING:
    from cmdr.files.archives.opening import Archive

_CHANGED = "the archive has changed since the plan"


class OpenArchives:
    """Members lie in a plan as they lie in their archives, so each archive is gone through once."""

    def __init__(self, syscalls: Syscalls, folders: Folders) -> None:
        self._syscalls = syscalls
        self._folders = folders
        self._place: Place | None = None
        self._fd: int | None = None
        self._archive: Archive | None = None

    def contents(self, item: PlanItem, check: Callable[[], None]) -> Iterator[bytes]:
        """What the member of an item holds, in pieces; exactly as much as the plan says."""
        place, mark, member = _archive_of(item)
        archive = self._open(place, mark)
        try:
            yield from archive.contents(member, check)
        except BadArchive as problem:
            self._must_show(mark)
            # Whatever it says now was not read as it should be: the next one begins anew.
            self.close()
            raise Damaged(f"the archive is damaged here: {problem}") from problem
        self._must_show(mark)

    def must_be_there(self, item: PlanItem) -> None:
        """Refuse to go on when the archive of an item is not the one that was planned."""
        place, mark, _ = _archive_of(item)
        self._open(place, mark)

    def close(self) -> None:
        """Let go of it."""
        if self._fd is not None:
            fd, self._fd, self._archive, self._place = self._fd, None, None, None
            self._syscalls.discard(fd)

    def _open(self, place: Place, expected: Fingerprint) -> "Archive":
        if self._place != place or self._archive is None:
            self.close()
            folder, name = self._folders.at(place)
            try:
                self._fd = fd = self._syscalls.open(name, folder)
            except OSError as problem:
                if problem.errno in (errno.ELOOP, errno.ENOENT, errno.ENXIO):
                    raise Drifted(_CHANGED) from problem
                raise
            self._place = place
            self._must_show(expected)
            from cmdr.files.archives.opening import open_archive

            try:
                self._archive = open_archive(lambda count, at: self._syscalls.read(fd, count, at), expected.size)
            except BadArchive as problem:
                raise Damaged(f"the archive is damaged: {problem}") from problem
        self._must_show(expected)
        return self._archive

    def _must_show(self, expected: Fingerprint) -> None:
        if self._fd is None or not fingerprint.shows(os.fstat(self._fd), expected):
            self.close()
            raise Drifted(_CHANGED)


def _archive_of(item: PlanItem) -> tuple[Place, Fingerprint, Member]:
    if item.source is None or item.fingerprint is None or item.member is None:
        raise ValueError("this item needs a member of an archive")
    return item.source, item.fingerprint, item.member
