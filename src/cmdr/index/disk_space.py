"""Writing where the disk may be full: every way of saying so becomes one error that a reader understands."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from cmdr.index.errors import CatalogueFailed, DiskFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def disk_full_as_error(what: str) -> Iterator[None]:
    """Raises DiskFull with what was to be written, when there is no room for it; other trouble stays what it is."""
    try:
        yield
    except OSError as trouble:
        if trouble.errno in _FULL:
            raise DiskFull(f"There is no room on the disk for {what}.") from trouble
        raise
    except sqlite3.Error as trouble:
        if getattr(trouble, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise DiskFull(f"There is no room on the disk for {what}.") from trouble
        raise CatalogueFailed(f"The list of indexes could not be read or written: {trouble}.") from trouble
