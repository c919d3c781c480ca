"""How much room a volume has."""

import os


def space_at(path: bytes) -> tuple[int, int] | None:
    """Free and total bytes of the volume a path lies on; blocks on a dead mount, so it runs in a thread."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
