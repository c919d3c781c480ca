"""Uploads from the person's browser: they arrive in a folder of cmdr's own, and the engine copies them on.

So a file that is half there never stands under its name in a folder of the person's, and what arrived is planned,
asked about, journalled and undone like any other copy.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from cmdr.core import places
from cmdr.core.errors import CommandError

MAX_NAME_BYTES = 255
MAX_DEPTH = 100
IDLE_TIMEOUT_S = 600.0
"""Seconds after which an upload that does not go on is given up."""
RETRY_LIFETIME_S = 2 * 86_400.0
"""Seconds for which files that did not reach their folder are kept, to try again."""


@dataclass(slots=True)
class _Batch:
    folder: str
    touched: float = field(default_factory=time.monotonic)
    is_whole: bool = False


class Uploads:
    """Everything that is on its way; works in threads, one piece at a time for each upload."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._batches: dict[str, _Batch] = {}

    def begin(self) -> str:
        """A new upload, known by what is returned."""
        self._folder = places.own(self._folder or os.path.join(places.state(), "uploads"))
        self._sweep()
        id = secrets.token_hex(16)
        self._batches[id] = _Batch(places.own(os.path.join(self._folder, id)))
        return id

    def add_folder(self, id: str, way: Sequence[str]) -> None:
        """A folder that may stay empty."""
        batch = self._open(id)
        with _told():
            os.makedirs(_below(batch, way), exist_ok=True)

    def add(self, id: str, way: Sequence[str], at: int, data: bytes) -> None:
        """The next piece of a file; the first one makes it."""
        batch = self._open(id)
        path = _below(batch, way)
        with _told():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (0 if at else os.O_TRUNC)
            descriptor = os.open(path, flags, 0o666)
            try:
                if os.fstat(descriptor).st_size != at:
                    raise CommandError("A piece of the file is missing. Upload it again.")
                left = memoryview(data)
                while left:
                    written = os.pwrite(descriptor, left, at)
                    at, left = at + written, left[written:]
            finally:
                os.close(descriptor)

    def whole(self, id: str) -> list[bytes]:
        """Everything has arrived: the files and folders at the top of it."""
        batch = self._open(id)
        batch.is_whole = True
        folder = os.fsencode(batch.folder)
        with _told():
            return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def drop(self, id: str) -> None:
        """Nobody needs it any more."""
        if (batch := self._batches.pop(id, None)) is not None:
            shutil.rmtree(batch.folder, ignore_errors=True)

    def _open(self, id: str) -> _Batch:
        batch = self._batches.get(id)
        if batch is None:
            raise CommandError("This upload is over. Upload again.")
        batch.touched = time.monotonic()
        return batch

    def _sweep(self) -> None:
        """Remove what was given up, in this run of the program or an earlier one."""
        now = time.monotonic()
        for id, batch in list(self._batches.items()):
            if not batch.is_whole and now - batch.touched > IDLE_TIMEOUT_S:
                self.drop(id)
        assert self._folder is not None
        with os.scandir(self._folder) as entries:
            old = [entry.path for entry in entries if _is_forgotten(entry)]
        for path in old:
            shutil.rmtree(path, ignore_errors=True)


def _is_forgotten(entry: os.DirEntry[str]) -> bool:
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > RETRY_LIFETIME_S
    except OSError:
        return False  # another upload has swept it away


@contextmanager
def _told() -> Iterator[None]:
    """What the disk says no to, in a sentence."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"The upload cannot be kept: {error.strerror}.") from error


def _below(batch: _Batch, way: Sequence[str]) -> str:
    """Where a file of an upload goes: the names are another machine's, so each must be a name and nothing else."""
    if not 0 < len(way) <= MAX_DEPTH or not all(map(_is_name, way)):
        raise CommandError("That is no name for a file here.")
    return os.path.join(batch.folder, *way)


def _is_name(name: str) -> bool:
    try:
        length = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False
    return 0 < length <= MAX_NAME_BYTES and name not in (".", "..") and not {"/", "\0"} & set(name)
