"""Errors of the disk, as types with one sentence each."""

import errno
import os

from cmdr.model.names import to_wire


class DiskError(Exception):
    """The disk refused or failed; the text is fit for people and agents."""


class PathNotFound(DiskError):
    """Nothing is there."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"Path not found: {to_wire(path)}")
        self.path = path


class NotAFolder(DiskError):
    """Something is there, but it has no contents to list."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"Not a folder: {to_wire(path)}")


class AccessDenied(DiskError):
    """The user may not look there."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"Permission denied: {to_wire(path)}")


class PathTooLong(DiskError):
    """No such path can exist."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"Path too long ({len(path)} bytes): {to_wire(path[:60])}…")


class ReadFailed(DiskError):
    """Anything else the system said."""

    def __init__(self, path: bytes, reason: str) -> None:
        super().__init__(f"Cannot read {to_wire(path)}: {reason}")


def disk_error(path: bytes, error: OSError | ValueError) -> DiskError:
    """The typed error for what the system said about a path."""
    match error:
        case FileNotFoundError():
            return PathNotFound(path)
        case NotADirectoryError():
            return NotAFolder(path)
        case PermissionError():
            return AccessDenied(path)
        case OSError(errno=errno.ENAMETOOLONG):
            return PathTooLong(path)
        case OSError(errno=errno.ELOOP):
            return ReadFailed(path, "its links lead in a circle")
        case OSError(errno=int(number)):
            return ReadFailed(path, os.strerror(number))
        case _:
            return ReadFailed(path, "that is not a path")


class ScanStopped(DiskError):
    """The caller has gone elsewhere."""

    def __init__(self) -> None:
        super().__init__("The folder was left before it was read.")
