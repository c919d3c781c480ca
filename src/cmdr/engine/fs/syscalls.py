"""The one door to the disk: every call that changes it, so that a test can kill or fail the Nth one."""

import contextlib
import ctypes
import errno
import os
import sys
from typing import Final

NOREPLACE: Final = 1
"""The new name must be free."""
EXCHANGE: Final = 2
"""Both names must exist; they swap atomically."""

FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# A handle to a file that need not be readable; macOS has none, there it must be.
HOLD_FLAGS: Final = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_IS_MAC: Final = sys.platform == "darwin"
_LIBC = ctypes.CDLL(None, use_errno=True)
_RENAME = getattr(_LIBC, "renameatx_np" if _IS_MAC else "renameat2", None)
# macOS numbers the same two promises differently: RENAME_EXCL is 4, RENAME_SWAP is 2.
_FLAGS: Final = {NOREPLACE: 4, EXCHANGE: 2} if _IS_MAC else {NOREPLACE: 1, EXCHANGE: 2}
_F_FULLFSYNC: Final = 51


class Syscalls:
    """The real calls. Names are bytes, places are directory descriptors."""

    def create(self, name: bytes, folder: int, mode: int = 0o600) -> int:
        """A new file that nobody else can have made, open for reading and writing."""
        return os.open(name, NEW_FLAGS, mode, dir_fd=folder)

    def open(self, name: bytes, folder: int) -> int:
        """An existing file for reading; never through a link, never blocking on a pipe."""
        return os.open(name, READ_FLAGS, dir_fd=folder)

    def open_folder(self, name: bytes, folder: int) -> int:
        """A directory inside another; never through a link."""
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)

    def close(self, fd: int) -> None:
        """Close; an error here can mean that data did not reach the disk."""
        os.close(fd)

    def read(self, fd: int, count: int, offset: int) -> bytes:
        """Read at an offset."""
        return os.pread(fd, count, offset)

    def write(self, fd: int, data: bytes, offset: int) -> int:
        """Write at an offset; may write less than asked."""
        return os.pwrite(fd, data, offset)

    def copy_range(self, source: int, target: int, count: int, offset: int) -> int:
        """Let the kernel copy, sharing blocks where the file system can."""
        if not hasattr(os, "copy_file_range"):  # pragma: no cover - macOS
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        return os.copy_file_range(source, target, count, offset, offset)

    def truncate(self, fd: int, size: int) -> None:
        """Set the length; what lies beyond the data becomes a hole."""
        os.ftruncate(fd, size)

    def sync_data(self, fd: int) -> None:
        """Wait until a file's data and attributes are on the disk: its time is part of how it is known again."""
        if sys.platform == "darwin":  # pragma: no cover - macOS
            import fcntl  # noqa: PLC0415

            fcntl.fcntl(fd, _F_FULLFSYNC)
        else:
            os.fsync(fd)

    def sync_folder(self, fd: int) -> None:
        """Wait until a directory's names are on the disk."""
        try:
            os.fsync(fd)
        except OSError as problem:
            # Some network and FUSE file systems have no such call for directories.
            if problem.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise

    def set_mode(self, fd: int, mode: int) -> None:
        """Set permissions."""
        os.fchmod(fd, mode)

    def set_owner(self, fd: int, uid: int, gid: int) -> None:
        """Set owner and group."""
        os.fchown(fd, uid, gid)

    def set_times(self, fd: int, atime_ns: int, mtime_ns: int) -> None:
        """Set access and modification time."""
        os.utime(fd, ns=(atime_ns, mtime_ns))

    def set_link_owner(self, name: bytes, folder: int, uid: int, gid: int) -> None:
        """Set owner and group of a symbolic link."""
        os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)

    def set_link_times(self, name: bytes, folder: int, atime_ns: int, mtime_ns: int) -> None:
        """Set the times of a symbolic link."""
        os.utime(name, ns=(atime_ns, mtime_ns), dir_fd=folder, follow_symlinks=False)

    def hold(self, name: bytes, folder: int) -> int:
        """A handle to a file or folder, or to a link itself: for changing attributes, whether or not it can be read."""
        return os.open(name, HOLD_FLAGS, dir_fd=folder)

    def reopen(self, held: int) -> int:
        """The file or folder of a handle, open for reading."""
        if _IS_MAC:  # pragma: no cover - macOS
            return os.dup(held)
        return os.open(b"/proc/self/fd/%d" % held, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def set_held_mode(self, held: int, mode: int) -> None:
        """Set permissions through a handle."""
        os.chmod(_handle(held), mode)

    def set_held_owner(self, held: int, uid: int, gid: int) -> None:
        """Set owner and group through a handle; -1 leaves one as it is."""
        os.chown(_handle(held), uid, gid)

    def set_held_times(self, held: int, atime_ns: int, mtime_ns: int) -> None:
        """Set access and modification time through a handle."""
        os.utime(_handle(held), ns=(atime_ns, mtime_ns))

    def set_attribute(self, fd: int, name: str, value: bytes) -> None:
        """Set an extended attribute; access control lists are among them."""
        os.setxattr(fd, name, value)

    def mkdir(self, name: bytes, folder: int, mode: int = 0o700) -> None:
        """Make a directory."""
        os.mkdir(name, mode, dir_fd=folder)

    def rmdir(self, name: bytes, folder: int) -> None:
        """Remove an empty directory."""
        os.rmdir(name, dir_fd=folder)

    def unlink(self, name: bytes, folder: int) -> None:
        """Remove a name."""
        os.unlink(name, dir_fd=folder)

    def link(self, name: bytes, folder: int, new_name: bytes, new_folder: int) -> None:
        """Give a file a second name, which must be free."""
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)

    def symlink(self, target: bytes, name: bytes, folder: int) -> None:
        """Make a symbolic link under a name that must be free."""
        os.symlink(target, name, dir_fd=folder)

    def rename(self, name: bytes, folder: int, new_name: bytes, new_folder: int, flags: int = 0) -> None:
        """Rename: with NOREPLACE, EXCHANGE, or replacing what stands there when no flag is given."""
        if not flags:
            os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)
            return
        if _RENAME is None:  # pragma: no cover - old C libraries
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        if _RENAME(folder, name, new_folder, new_name, _FLAGS[flags]) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def send_to_trash(self, path: bytes) -> None:
        """Hand a file or folder to the Finder's trash; macOS only."""
        if sys.platform == "darwin":  # pragma: no cover - macOS
            from send2trash import send2trash

            send2trash(os.fsdecode(path))
        else:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    def discard(self, fd: int) -> None:
        """Close a descriptor whose contents no longer matter."""
        with contextlib.suppress(OSError):
            os.close(fd)


def _handle(held: int) -> bytes | int:
    """What calls take for an open handle: it leads to the very file, whatever its name is now."""
    return held if _IS_MAC else b"/proc/self/fd/%d" % held
