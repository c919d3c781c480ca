"""Keeping what surrounds the contents: attributes, access lists, owner, permissions, times. What is lost is said."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.names import to_wire
from cmdr.model.plans.attributes import Traits

# What file systems answer for an attribute, owner or mode they cannot hold; anything else is a real fault.
_CANNOT_KEEP = frozenset(
    {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSPC, errno.E2BIG, errno.ERANGE, errno.EINVAL, errno.ENOSYS}
)
_SET_ID = stat.S_ISUID | stat.S_ISGID


def keep_metadata(
    syscalls: Syscalls,
    source: int,
    target: int,
    found: os.stat_result,
    *,
    times: bool = True,
    mtime_ns: int | None = None,
) -> tuple[str, ...]:
    """Give an open copy the attributes of its source, its time when no other is given; what could not be kept."""
    lost = _keep_attributes(syscalls, source, target)
    lost += _keep_rights(syscalls, target, found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode))
    time = found.st_mtime_ns if mtime_ns is None else mtime_ns
    if times and not _kept(partial(syscalls.set_times, target, found.st_atime_ns, time)):
        lost.append("times")
    return tuple(lost)


def traits_of(folder: int, mtime_ns: int) -> Traits:
    """What surrounds an open folder; its time is given, for it changes with everything that leaves the folder."""
    found = os.fstat(folder)
    attributes = tuple((name, value) for name, value in _attributes(folder) if value is not None)
    return Traits(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, found.st_atime_ns, mtime_ns, attributes)


def restore_traits(syscalls: Syscalls, target: int, traits: Traits) -> tuple[str, ...]:
    """Give an open folder what one had that is gone; what could not be restored."""
    lost = [lack for name, value in traits.attributes if (lack := _lack(syscalls, target, name, value))]
    lost += _keep_rights(syscalls, target, traits.uid, traits.gid, traits.mode)
    if not _kept(partial(syscalls.set_times, target, traits.atime_ns, traits.mtime_ns)):
        lost.append("times")
    return tuple(lost)


def keep_link_metadata(
    syscalls: Syscalls, source: tuple[int, bytes], target: tuple[int, bytes], found: os.stat_result
) -> tuple[str, ...]:
    """Give a copied symbolic link the owner and times of its source; what could not be kept."""
    folder, name = target
    lost = [f"attribute {_shown(attribute)}" for attribute in _link_attributes(*source)]
    made = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if (made.st_uid, made.st_gid) != (found.st_uid, found.st_gid) and not _kept(
        partial(syscalls.set_link_owner, name, folder, found.st_uid, found.st_gid)
    ):
        lost.append("owner")
    if not _kept(partial(syscalls.set_link_times, name, folder, found.st_atime_ns, found.st_mtime_ns)):
        lost.append("times")
    return tuple(lost)


def keep_time(syscalls: Syscalls, target: int, mtime_ns: int | None) -> tuple[str, ...]:
    """Give an open file or folder the time that an archive tells, if it does; what could not be kept."""
    if mtime_ns is None or _kept(partial(syscalls.set_times, target, mtime_ns, mtime_ns)):
        return ()
    return ("times",)


def keep_link_time(syscalls: Syscalls, name: bytes, folder: int, mtime_ns: int | None) -> tuple[str, ...]:
    """Give a symbolic link the time that an archive tells, if it does; what could not be kept."""
    if mtime_ns is None or _kept(partial(syscalls.set_link_times, name, folder, mtime_ns, mtime_ns)):
        return ()
    return ("times",)


def _keep_rights(syscalls: Syscalls, target: int, uid: int, gid: int, mode: int) -> list[str]:
    lost = []
    made = os.fstat(target)
    owner_kept = (made.st_uid, made.st_gid) == (uid, gid)
    if not owner_kept:
        owner_kept = _keep_owner(syscalls, target, uid, gid)
        # Another owner may have taken permissions with it.
        made = os.fstat(target)
        if not owner_kept:
            lost.append("owner")
    if not owner_kept and mode & _SET_ID:
        # A program that runs as its owner must not start running as somebody else.
        mode &= ~_SET_ID
        lost.append("set-user-ID or set-group-ID bit")
    if stat.S_IMODE(made.st_mode) != mode and not _kept(partial(syscalls.set_mode, target, mode)):
        lost.append("permissions")
    return lost


def _keep_attributes(syscalls: Syscalls, source: int, target: int) -> list[str]:
    if not hasattr(os, "listxattr"):  # pragma: no cover - macOS
        return ["extended attributes"]
    return [lack for name, value in _attributes(source) if (lack := _lack(syscalls, target, name, value))]


def _attributes(source: int) -> Iterator[tuple[str, bytes | None]]:
    """Each attribute of an open file; without a value where that cannot be read."""
    if not hasattr(os, "listxattr"):  # pragma: no cover - macOS
        return
    try:
        names = os.listxattr(source)
    except OSError as problem:
        if problem.errno not in _CANNOT_KEEP:
            raise
        return
    for name in names:
        try:
            value = os.getxattr(source, name)
        except OSError as problem:
            if problem.errno not in _CANNOT_KEEP | {errno.ENODATA}:
                raise
            yield name, None
        else:
            yield name, value


def _lack(syscalls: Syscalls, target: int, name: str, value: bytes | None) -> str:
    """Give an open file an attribute; what it lacks now, or nothing."""
    if value is None:
        return f"attribute {_shown(name)}"
    if _kept(partial(syscalls.set_attribute, target, name, value)):
        return ""
    return "access control list" if name.startswith("system.posix_acl") else f"attribute {_shown(name)}"


def _link_attributes(folder: int, name: bytes) -> list[str]:
    if not hasattr(os, "listxattr"):  # pragma: no cover - macOS
        return []
    try:
        return os.listxattr(b"/proc/self/fd/%d/%s" % (folder, name), follow_symlinks=False)
    except OSError:
        return []


def _keep_owner(syscalls: Syscalls, target: int, uid: int, gid: int) -> bool:
    if _kept(partial(syscalls.set_owner, target, uid, gid)):
        return True
    # Without rights over owners the group may still be one of ours.
    _kept(partial(syscalls.set_owner, target, -1, gid))
    return False


def _kept(change: Callable[[], None]) -> bool:
    try:
        change()
    except OSError as problem:
        if problem.errno not in _CANNOT_KEEP:
            raise
        return False
    return True


def _shown(name: str) -> str:
    return to_wire(os.fsencode(name))
