"""Streams files and folders as one zip: nothing is written to disk, nothing is held in memory whole.

Links are kept as links, never followed. Whatever cannot be read is named in a list at the end of the archive, so that
nobody takes a part for the whole.
"""

import os
import stat
import zipfile
from collections.abc import Iterable, Iterator

from cmdr.files.archives.zip_info import zip_info
from cmdr.model.names import to_wire

CHUNK_BYTES = 1 << 18
MAX_DEPTH = 200
"""Folders in folders; no path that a program can name is deeper by much."""
UNREADABLE_LIST_NAME = "cmdr could not read these.txt"


def zip_stream(paths: Iterable[bytes]) -> Iterator[bytes]:
    """The archive in pieces; each path lies in it under its own name. With a slash behind it, a link is followed."""
    return _Zip().of(paths)


class _Zip:
    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w")
        self._problems: list[str] = []

    def of(self, paths: Iterable[bytes]) -> Iterator[bytes]:
        for path in paths:
            yield from self._entry(path, _name(os.path.basename(path.rstrip(b"/"))), 0)
        if self._problems:
            self._zip.writestr(UNREADABLE_LIST_NAME, "".join(f"{problem}\n" for problem in self._problems))
        self._zip.close()
        yield b"".join(self._sink.made)

    def _entry(self, path: bytes, name: str, depth: int) -> Iterator[bytes]:
        try:
            facts = os.lstat(path)
            if depth > MAX_DEPTH:
                self._problems.append(f"{to_wire(path)}: too deep inside other folders")
            elif stat.S_ISDIR(facts.st_mode):
                inside = sorted(os.listdir(path))
                self._zip.writestr(zip_info(f"{name}/", facts), b"")
                for each in inside:
                    yield from self._entry(os.path.join(path, each), f"{name}/{_name(each)}", depth + 1)
            elif stat.S_ISLNK(facts.st_mode):
                self._zip.writestr(zip_info(name, facts), os.readlink(path))
            elif stat.S_ISREG(facts.st_mode):
                yield from self._file(path, name)
            else:
                self._problems.append(f"{to_wire(path)}: neither a file nor a folder")
        except OSError as error:
            self._problems.append(f"{to_wire(path)}: {error.strerror}")
        yield from self._pieces()

    def _file(self, path: bytes, name: str) -> Iterator[bytes]:
        # What was a file a moment ago may be a link or a pipe by now.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise OSError(0, "changed meanwhile")
            with self._zip.open(zip_info(name, facts), "w", force_zip64=True) as entry:
                while data := self._read(descriptor, path):
                    entry.write(data)
                    yield from self._pieces()
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int, path: bytes) -> bytes:
        """A file that cannot be read to its end is a part of itself in the archive, and named as such."""
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except OSError as error:
            self._problems.append(f"{to_wire(path)}: only its beginning, {error.strerror}")
            return b""

    def _pieces(self) -> Iterator[bytes]:
        if self._sink.size >= CHUNK_BYTES:
            made, self._sink.made, self._sink.size = self._sink.made, [], 0
            yield b"".join(made)


class _Sink:
    """Takes what the archive writes; it cannot be sought in, so sizes follow behind their files."""

    def __init__(self) -> None:
        self.made: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        self.made.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing is open here."""


def _name(name: bytes) -> str:
    """A name as archives write them; what is no text is escaped."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return to_wire(name)
