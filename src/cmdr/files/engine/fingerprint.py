"""Taking fingerprints: the identity and version of what stands under a name, or of an open file."""

import os
import stat

from cmdr.files.engine.birth import birth_of
from cmdr.model.plans.plan import Fingerprint, Kind

_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.FOLDER, stat.S_IFLNK: Kind.LINK}
_FOLDER, _SPECIAL = Kind.FOLDER, Kind.SPECIAL


def kind_of(mode: int) -> Kind:
    """What a file's mode says it is."""
    return _KINDS.get(stat.S_IFMT(mode), _SPECIAL)


def of_stat(found: os.stat_result) -> Fingerprint:
    """The fingerprint in a stat result; of a folder without the time it was made, which stands nowhere in it."""
    kind = kind_of(found.st_mode)
    stamp = None if kind is _FOLDER else found.st_ctime_ns
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, kind, stamp)


def of_found(found: os.stat_result, name: bytes, folder: int) -> Fingerprint:
    """The fingerprint of what was found under a name in an open directory; of a folder with the time it was made."""
    mark = of_stat(found)
    return mark._replace(stamp_ns=birth_of(name, folder)) if mark.kind is _FOLDER else mark


def shows(found: os.stat_result, expected: Fingerprint) -> bool:
    """Whether a stat result is that of the same file, unchanged; as `matches`, without making another fingerprint."""
    if found.st_ino != expected.ino or found.st_dev != expected.dev or kind_of(found.st_mode) is not expected.kind:
        return False
    if expected.kind is _FOLDER:
        return True
    if found.st_size != expected.size or found.st_mtime_ns != expected.mtime_ns:
        return False
    return expected.stamp_ns is None or found.st_ctime_ns == expected.stamp_ns


def of_open(fd: int) -> Fingerprint:
    """The fingerprint of an open file."""
    return of_stat(os.fstat(fd))


def of_name(name: bytes, folder: int) -> Fingerprint | None:
    """The fingerprint of what stands under a name, or None when the name is free."""
    try:
        return of_found(os.stat(name, dir_fd=folder, follow_symlinks=False), name, folder)
    except FileNotFoundError:
        return None


def of_path(path: bytes) -> Fingerprint | None:
    """The fingerprint of what stands at a path, or None; for listings and callers, not for mid-operation."""
    try:
        return of_stat(os.stat(path, follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return None
