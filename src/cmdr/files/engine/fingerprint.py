"""Taking fingerprints: the identity and version of what stands under a name, or of an open file."""

import os
import stat

from cmdr.model.plan import Fingerprint, Kind


def kind_of(mode: int) -> Kind:
    """What a file's mode says it is."""
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    if stat.S_ISLNK(mode):
        return Kind.LINK
    return Kind.SPECIAL


def of_stat(found: os.stat_result) -> Fingerprint:
    """The fingerprint in a stat result."""
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, kind_of(found.st_mode))


def of_open(fd: int) -> Fingerprint:
    """The fingerprint of an open file."""
    return of_stat(os.fstat(fd))


def of_name(name: bytes, folder: int) -> Fingerprint | None:
    """The fingerprint of what stands under a name, or None when the name is free."""
    try:
        return of_stat(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def of_path(path: bytes) -> Fingerprint | None:
    """The fingerprint of what stands at a path, or None; for listings and callers, not for mid-operation."""
    try:
        return of_stat(os.stat(path, follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return None
