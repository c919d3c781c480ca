"""Going from directory to directory, and being sure to have visited at the one that was meant."""

import errno
import os

from cmdr.index.scan.directory_reader import DirectoryReader
from cmdr.index.scan.statx import open_directory


class Whereabouts:
    """The working directory of a walker; every directory must be on `device`, unless that is None."""

    def __init__(self, reader: DirectoryReader, device: int | None) -> None:
        self.visit, self.device = reader.visit, device
        self.here = self.above = b""  # the directory entered last, and the one above it

    def step_into(self, path: bytes, inode: int) -> bool:
        """Make a directory the working directory and read it; false when it is not the one that was seen.

        From the directory entered last the way is short. Whatever it led through, the inode and the device of the
        place reached decide; when they are others, the whole way is tried before the directory is given up.
        """
        above, _, name = path.rpartition(b"/")
        way = self.way(above, name)
        self.here = b""
        if way:
            try:
                if self.visit(way, inode, self.device):
                    self.here, self.above = path, above
                    return True
            except OSError:  # the directory entered last was moved meanwhile
                pass
        try:
            visited = self.visit(path, inode, self.device)
        except OSError as trouble:
            if trouble.errno != errno.ENAMETOOLONG:
                raise
            fd = open_directory(path)
            try:
                os.fchdir(fd)
            finally:
                os.close(fd)
            visited = self.visit(b".", inode, self.device)
        if not visited:
            return False
        self.here, self.above = path, above
        return True

    def way(self, above: bytes, name: bytes) -> bytes:
        """The short way from the directory entered last to a name in `above`; empty when that is none above it."""
        if not self.here or above == self.here:
            return name if self.here else b""
        if above == self.above:
            return b"../" + name
        above += b"/"
        return b"../" * (1 + self.here.count(b"/", len(above))) + name if self.here.startswith(above) else b""


def list_blindly(path: bytes, inode: int) -> list[bytes]:
    """The names in a directory that can be read but not entered."""
    fd = open_directory(path)
    try:
        if os.fstat(fd).st_ino != inode:
            raise FileNotFoundError(errno.ENOENT, "another directory took its place")
        return [os.fsencode(name) for name in os.listdir(fd)]
    finally:
        os.close(fd)
