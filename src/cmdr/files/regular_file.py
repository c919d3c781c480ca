"""Reads what is truly a file: a name may have become a link, a pipe or a folder since it was looked at."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Final

_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def regular_file(name: bytes, folder: int) -> Iterator[BufferedReader]:
    """A file in an open folder, to read from; an OSError for anything else, and nothing is left open."""
    fd = os.open(name, _FLAGS, dir_fd=folder)
    # Wrapped only after the look: Python refuses a folder's descriptor without closing it.
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "Not a file")
        with open(fd, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(fd)
