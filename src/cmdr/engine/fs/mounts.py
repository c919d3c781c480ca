"""Which volume an open directory is on, and where that volume begins."""

import contextlib
import os
import sys

# The folders above are only passed through: they need not let anybody see what else is in them.
_OPEN = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def volume_of(fd: int) -> tuple[int, int]:
    """Device and mount of an open file: renames work only where both are the same."""
    return os.fstat(fd).st_dev, _mount_of(fd)


def top_of(folder: int) -> int:
    """The topmost directory of an open directory's volume; open, for the caller to close."""
    here = os.dup(folder)
    volume = volume_of(here)
    while True:
        above = -1
        try:
            above = os.open(b"..", _OPEN, dir_fd=here)
            is_top = volume_of(above) != volume or os.path.sameopenfile(above, here)
        except OSError:
            is_top = True
        if is_top:
            if above >= 0:
                os.close(above)
            return here
        os.close(here)
        here = above


def path_of(fd: int) -> bytes:
    """The path of an open directory as the system knows it now."""
    if sys.platform == "darwin":  # pragma: no cover - macOS
        import fcntl  # noqa: PLC0415

        return fcntl.fcntl(fd, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")
    return os.readlink(b"/proc/self/fd/%d" % fd)


def _mount_of(fd: int) -> int:
    # A bind mount has the device of what it shows, yet refuses renames; only the mount number tells.
    with contextlib.suppress(OSError), open(f"/proc/self/fdinfo/{fd}", "rb") as info:
        for line in info:
            if line.startswith(b"mnt_id:"):
                return int(line[7:])
    return 0  # pragma: no cover - no /proc


def free_bytes(folder: int) -> int:
    """Space that is free for this user on the volume of an open directory."""
    volume = os.fstatvfs(folder)
    return volume.f_bavail * volume.f_frsize
