"""Atomic renames: a finished file takes its final name in one step that can neither clobber nor half-happen."""

import contextlib
import errno
import os
from typing import NamedTuple, Protocol

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.syscalls import EXCHANGE, NOREPLACE, Syscalls
from cmdr.model.plans.plan import Fingerprint, Kind

_NO_SUCH_RENAME = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL})


class Spot(NamedTuple):
    """A name in an open directory; a tuple, because there are several for every file."""

    folder: int
    name: bytes

    @property
    def found(self) -> Fingerprint | None:
        """What stands there now."""
        return fingerprint.of_name(self.name, self.folder)

    def look(self) -> os.stat_result | None:
        """All that is known of what stands there now."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def shows(self, expected: Fingerprint) -> bool:
        """Whether exactly this file stands there now, unchanged."""
        found = self.look()
        return found is not None and fingerprint.shows(found, expected)


class Keeper(Protocol):
    """A prepared slot in a trash that takes in one displaced file."""

    @property
    def spot(self) -> Spot:
        """Where the displaced file will lie."""

    def sync(self) -> None:
        """Wait until the trash is on the disk."""


def place(syscalls: Syscalls, source: Spot, target: Spot, kind: Kind, *, is_copy: bool = False) -> None:
    """Give a file another name, which must be free: FileExistsError when it is not.

    Nothing else stands for an original: where this takes two steps, the first is on the disk before the second. A copy
    may be lost to an outage, its source may not.
    """
    try:
        syscalls.rename(source.name, source.folder, target.name, target.folder, NOREPLACE)
    except OSError as problem:
        if problem.errno not in _NO_SUCH_RENAME:
            raise
        _place_without_flag(syscalls, source, target, kind, is_copy)


def move_exactly(syscalls: Syscalls, source: Spot, target: Spot, expected: Fingerprint) -> os.stat_result:
    """Give exactly the planned file another, free name; a stranger that slipped in is put back.

    How it looks afterwards: the new name is a change too.
    """
    if not expected.matches(source.found):
        raise Drifted("it has changed since the plan")
    place(syscalls, source, target, expected.kind)
    moved = target.look()
    if moved is None or not expected.is_like(fingerprint.of_stat(moved)):
        place(syscalls, target, source, expected.kind)
        raise Drifted("it was exchanged for something else at the last moment")
    return moved


def replace(
    syscalls: Syscalls, source: Spot, target: Spot, existing: Fingerprint, keeper: Keeper, *, is_copy: bool = False
) -> None:
    """Let a finished file take a name that is in use; the displaced file goes into the keeper's slot."""
    if not existing.matches(target.found):
        raise Drifted("the file to be replaced has changed since it was shown")
    try:
        syscalls.rename(source.name, source.folder, target.name, target.folder, EXCHANGE)
    except OSError as problem:
        if problem.errno not in _NO_SUCH_RENAME:
            raise
        _replace_without_exchange(syscalls, source, target, existing, keeper)
        return
    try:
        _must_be(existing, source)
        if not is_copy:
            _wait_for(syscalls, source, target)
        place(syscalls, source, keeper.spot, existing.kind)
    except (OSError, Drifted):
        syscalls.rename(source.name, source.folder, target.name, target.folder, EXCHANGE)
        raise


def swap(syscalls: Syscalls, source: Spot, target: Spot, parked: Spot, kind: Kind, existing: Kind) -> None:
    """Exchange two names; where the file system cannot, by way of a third name that the journal knows."""
    try:
        syscalls.rename(source.name, source.folder, target.name, target.folder, EXCHANGE)
    except OSError as problem:
        if problem.errno not in _NO_SUCH_RENAME:
            raise
        place(syscalls, source, parked, kind)
        try:
            _wait_for(syscalls, source)
            place(syscalls, target, source, existing)
        except OSError:
            place(syscalls, parked, source, kind)
            raise
        try:
            _wait_for(syscalls, source, target)
            place(syscalls, parked, target, kind)
        except OSError:
            place(syscalls, source, target, existing)
            place(syscalls, parked, source, kind)
            raise


def _must_be(existing: Fingerprint, *spots: Spot) -> None:
    # Its name has been changed by then, and with that its stamp.
    if not all(existing.is_like(spot.found) for spot in spots):
        raise Drifted("the file to be replaced was changed at the last moment")


def _wait_for(syscalls: Syscalls, *spots: Spot) -> None:
    """Wait until names are on the disk that the next step builds on."""
    for folder in sorted({spot.folder for spot in spots}):
        syscalls.sync_folder(folder)


def _place_without_flag(syscalls: Syscalls, source: Spot, target: Spot, kind: Kind, is_copy: bool) -> None:
    if target.found is not None:
        raise FileExistsError(errno.EEXIST, "the name is taken")
    if kind is Kind.FOLDER:
        # A directory can only displace an empty directory, never a file: nothing can be lost to the race.
        syscalls.rename(source.name, source.folder, target.name, target.folder)
        return
    try:
        syscalls.link(source.name, source.folder, target.name, target.folder)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        _place_over_placeholder(syscalls, source, target)
        return
    try:
        if not is_copy:
            _wait_for(syscalls, target)
        syscalls.unlink(source.name, source.folder)
    except OSError:
        syscalls.unlink(target.name, target.folder)
        raise


def _place_over_placeholder(syscalls: Syscalls, source: Spot, target: Spot) -> None:
    holder = syscalls.create(target.name, target.folder)
    try:
        ours = fingerprint.of_open(holder)
    finally:
        syscalls.discard(holder)
    try:
        if not ours.matches(target.found):
            raise FileExistsError(errno.EEXIST, "the name was taken at the last moment")
        syscalls.rename(source.name, source.folder, target.name, target.folder)
    except OSError:
        if ours.matches(target.found):
            with contextlib.suppress(OSError):
                syscalls.unlink(target.name, target.folder)
        raise


def _replace_without_exchange(
    syscalls: Syscalls, source: Spot, target: Spot, existing: Fingerprint, keeper: Keeper
) -> None:
    kept = keeper.spot
    try:
        syscalls.link(target.name, target.folder, kept.name, kept.folder)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        _replace_by_moving_aside(syscalls, source, target, existing, kept)
        return
    try:
        keeper.sync()
        _must_be(existing, kept, target)
        syscalls.rename(source.name, source.folder, target.name, target.folder)
    except (OSError, Drifted):
        syscalls.unlink(kept.name, kept.folder)
        raise


def _replace_by_moving_aside(syscalls: Syscalls, source: Spot, target: Spot, existing: Fingerprint, kept: Spot) -> None:
    move_exactly(syscalls, target, kept, existing)
    try:
        _wait_for(syscalls, target, kept)
        place(syscalls, source, target, Kind.FILE)
    except OSError:
        place(syscalls, kept, target, existing.kind)
        raise
