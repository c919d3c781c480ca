"""Opens many files of an agent's, one folder after the other: each as it would be if the agent had named it.

A folder is resolved once, below its root and past its private places, and held open; the files in it are then opened
below that handle. So a thousand files of a folder cost a thousand small steps and not a thousand ways from the root.
"""

import errno
import os
import stat
from typing import TYPE_CHECKING

from cmdr.files.errors import DiskError, NotAFolder, PathNotFound
from cmdr.files.sandbox.open_beneath import reopen
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import ResolvedPath

if TYPE_CHECKING:
    from cmdr.files.sandbox.path_resolver import PathResolver

_PATH: int = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


class FileOpener:
    """Called with a path; close it after use."""

    def __init__(self, reach: "PathResolver", private: PrivatePlaces) -> None:
        self._reach, self._private = reach, private
        self._path = b""
        self._folder: ResolvedPath | OSError = _refusal(errno.ENOENT)

    def __enter__(self) -> "FileOpener":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, path: bytes) -> int:
        """A descriptor for reading a regular file, no link at its end followed; an OSError says why there is none."""
        above, name = os.path.split(path)
        if above != self._path:
            self.close()
            self._folder, self._path = self._opened(above), above
        if isinstance(self._folder, OSError):
            raise self._folder
        handle = os.open(name, _PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder.handle)
        try:
            seen = os.fstat(handle)
            if not stat.S_ISREG(seen.st_mode):
                raise _refusal(errno.ELOOP)
            if self._private.reason_here(os.path.join(self._folder.real, name), seen):
                raise _refusal(errno.EACCES)
            return reopen(handle, _READING)
        finally:
            os.close(handle)

    def close(self) -> None:
        """Let go of the folder."""
        if isinstance(self._folder, ResolvedPath):
            self._folder.close()
        self._folder, self._path = _refusal(errno.ENOENT), b""

    def _opened(self, folder: bytes) -> ResolvedPath | OSError:
        try:
            return self._reach.folder(folder)
        except (PathNotFound, NotAFolder):
            return _refusal(errno.ENOENT)
        except DiskError:
            return _refusal(errno.EACCES)  # outside, private, or shut


def _refusal(number: int) -> OSError:
    return OSError(number, os.strerror(number))
