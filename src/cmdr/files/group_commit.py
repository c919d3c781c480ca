"""Bringing many small files to the disk at once: waiting for them side by side instead of one after the other."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from cmdr.files.syscalls import Syscalls

GROUP = 256
"""How many items are begun together."""
GROUP_BYTES = 64 << 20
"""A group ends early when it has this much data, so that progress shows and little is lost to a crash."""
LARGE = 1 << 20
"""Files from this size on are brought to the disk one by one as they are written."""
_THREADS = 8


class GroupCommit:
    """A pool of threads that wait for the disk."""

    def __init__(self, syscalls: Syscalls) -> None:
        self._syscalls = syscalls
        self._pool: ThreadPoolExecutor | None = None

    def sync(self, fds: Sequence[int]) -> list[OSError | None]:
        """Wait until all files are on the disk; for each, the error that says it is not."""
        if len(fds) < 2:
            return [self._one(fd) for fd in fds]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, "sync")
        return list(self._pool.map(self._one, fds))

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _one(self, fd: int) -> OSError | None:
        try:
            self._syscalls.sync_data(fd)
        except OSError as problem:
            return problem
        return None
