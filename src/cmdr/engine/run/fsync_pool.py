"""Bringing many small files to the disk at once: waiting for them side by side instead of one after the other."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from cmdr.engine.fs.syscalls import Syscalls

GROUP_ITEMS = 256
"""How many items are begun together."""
GROUP_BYTES = 64 << 20
"""A group ends early when it has this much data, so that progress shows and little is lost to a crash."""
LARGE_FILE_BYTES = 1 << 20
"""Files from this size on are brought to the disk one by one as they are written."""
_THREADS = 8


class FsyncPool:
    """A pool of threads that wait for the disk."""

    def __init__(self, syscalls: Syscalls) -> None:
        self._syscalls = syscalls
        self._pool: ThreadPoolExecutor | None = None

    def sync(self, fds: Sequence[int]) -> list[OSError | None]:
        """Wait until all files are on the disk; for each, the error that says it is not."""
        return self._all(self._syscalls.sync_data, fds)

    def sync_folders(self, fds: Sequence[int]) -> list[OSError | None]:
        """Wait until the names in all directories are on the disk."""
        return self._all(self._syscalls.sync_folder, fds)

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _all(self, sync: Callable[[int], None], fds: Sequence[int]) -> list[OSError | None]:
        if len(fds) < 2:
            return _errors_of(sync, fds)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, "sync")
        # Every thread gets its share at once: handing over files one by one costs more than many a wait.
        many = min(_THREADS, len(fds))
        shares = [self._pool.submit(_errors_of, sync, fds[at::many]) for at in range(many)]
        errors: list[OSError | None] = [None] * len(fds)
        for at, share in enumerate(shares):
            errors[at::many] = share.result()
        return errors


def _errors_of(sync: Callable[[int], None], fds: Sequence[int]) -> list[OSError | None]:
    errors: list[OSError | None] = []
    for fd in fds:
        try:
            sync(fd)
        except OSError as problem:
            errors.append(problem)
        else:
            errors.append(None)
    return errors
