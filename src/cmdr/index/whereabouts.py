"""Going from directory to directory, and being sure to have arrived at the one that was meant."""

import errno
import os

from cmdr.index.statx import Statx, open_directory


class Whereabouts:
    """The working directory of a walker; every directory must be on `device`, unless that is None."""

    def __init__(self, statx: Statx, device: int | None) -> None:
        self.statx, self.device = statx, device
        self.here = b""  # the directory entered last

    def step_into(self, path: bytes, inode: int) -> bool:
        """Make a directory the working directory; false when it is not the one that was seen.

        A child of the directory entered last is found from there: in a deep tree that saves the whole way down.
        Whatever the way led through, the inode and the device of the place reached decide.
        """
        above, _, name = path.rpartition(b"/")
        near = above and above == self.here
        self.here = b""
        try:
            os.chdir(name if near else path)
        except OSError as trouble:
            if trouble.errno != errno.ENAMETOOLONG:
                raise
            fd = open_directory(path)
            try:
                os.fchdir(fd)
            finally:
                os.close(fd)
        found, device = self.statx.identity()
        if found != inode or (self.device is not None and device != self.device):
            return False
        self.here = path
        return True


def list_blindly(path: bytes, inode: int) -> list[bytes]:
    """The names in a directory that can be read but not entered."""
    fd = open_directory(path)
    try:
        if os.fstat(fd).st_ino != inode:
            raise FileNotFoundError(errno.ENOENT, "another directory took its place")
        return [os.fsencode(name) for name in os.listdir(fd)]
    finally:
        os.close(fd)
