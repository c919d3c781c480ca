"""Writing archives: zip and tar.gz, always the same bytes for the same files. What was added last can be taken back."""

import io
import os
import stat
import tarfile
import zipfile
import zlib
from typing import IO, Protocol

from cmdr.engine.fs.contents import write_at
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.files.archives.zip_info import exact_info

ENDINGS = (b".zip", b".tar.gz", b".tgz")
_GZIP = 16 + zlib.MAX_WBITS
_GATHERED = 1 << 16
"""Pressed bytes that are written together."""


class ArchiveWriter(Protocol):
    """An archive that grows."""

    def mark(self) -> None:
        """What comes now may be taken back."""

    def take_back(self) -> None:
        """Nothing has come since the last mark."""

    def folder(self, name: bytes, found: os.stat_result) -> None:
        """A folder, without what is in it."""

    def link(self, name: bytes, found: os.stat_result, text: bytes) -> None:
        """A symbolic link."""

    def begin_file(self, name: bytes, found: os.stat_result) -> None:
        """A file, whose contents follow."""

    def write(self, data: bytes) -> None:
        """Some of its contents."""

    def end_file(self) -> None:
        """That was all of it."""

    def finish(self) -> None:
        """Nothing more comes."""

    def let_go(self) -> None:
        """Write nothing any more, whatever happens: the file may be closed and its number be another's."""


def writer_for(name: bytes) -> "type[ZipWriter] | type[TarWriter]":
    """The kind of archive that a name asks for."""
    return ZipWriter if name.lower().endswith(b".zip") else TarWriter


class ZipWriter:
    """A zip."""

    def __init__(self, syscalls: Syscalls, target: int) -> None:
        self._file = _File(syscalls, target)
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)
        self._entry: IO[bytes] = io.BytesIO()
        """What is written into; nothing that matters while no file is begun."""
        self._marked = (0, 0)

    def mark(self) -> None:
        """What comes now may be taken back."""
        self._marked = self._zip.start_dir, len(self._zip.filelist)

    def take_back(self) -> None:
        """Nothing has come since the last mark."""
        self.end_file()
        start, count = self._marked
        for info in self._zip.filelist[count:]:
            self._zip.NameToInfo.pop(info.filename, None)
        del self._zip.filelist[count:]
        self._zip.start_dir = start
        self._file.cut(start)

    def folder(self, name: bytes, found: os.stat_result) -> None:
        """A folder, without what is in it."""
        self._zip.writestr(exact_info(name + b"/", found), b"", zipfile.ZIP_STORED)

    def link(self, name: bytes, found: os.stat_result, text: bytes) -> None:
        """A symbolic link: a zip keeps what it says as its contents."""
        self._zip.writestr(exact_info(name, found), text, zipfile.ZIP_STORED)

    def begin_file(self, name: bytes, found: os.stat_result) -> None:
        """A file, whose contents follow."""
        info = exact_info(name, found)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.file_size = found.st_size
        self._entry = self._zip.open(info, "w")

    def write(self, data: bytes) -> None:
        """Some of its contents."""
        self._entry.write(data)

    def end_file(self) -> None:
        """That was all of it."""
        entry, self._entry = self._entry, io.BytesIO()
        entry.close()

    def finish(self) -> None:
        """The list at the end."""
        self._zip.close()

    def let_go(self) -> None:
        """Write nothing any more; one that is not finished would try to finish itself when it is forgotten."""
        self._file.let_go()
        self.end_file()
        self._zip.close()


class TarWriter:
    """A tar, pressed by gzip."""

    def __init__(self, syscalls: Syscalls, target: int) -> None:
        self._file = _File(syscalls, target)
        self._press = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
        self._gathered = b""
        self._left = 0
        """Bytes that are missing until the last block is full."""
        self._marked = (self._press.copy(), b"", 0)

    def mark(self) -> None:
        """What comes now may be taken back."""
        self._marked = self._press.copy(), self._gathered, self._file.tell()

    def take_back(self) -> None:
        """Nothing has come since the last mark."""
        press, self._gathered, at = self._marked
        self._press = press.copy()
        self._file.cut(at)

    def folder(self, name: bytes, found: os.stat_result) -> None:
        """A folder, without what is in it."""
        self._put(_header(name, found, tarfile.DIRTYPE))

    def link(self, name: bytes, found: os.stat_result, text: bytes) -> None:
        """A symbolic link."""
        self._put(_header(name, found, tarfile.SYMTYPE, text))

    def begin_file(self, name: bytes, found: os.stat_result) -> None:
        """A file, whose contents follow."""
        self._put(_header(name, found, tarfile.REGTYPE))
        self._left = -found.st_size % tarfile.BLOCKSIZE

    def write(self, data: bytes) -> None:
        """Some of its contents."""
        self._put(data)

    def end_file(self) -> None:
        """Blocks are always full."""
        self._put(bytes(self._left))

    def finish(self) -> None:
        """Two empty blocks at the end."""
        self._put(bytes(2 * tarfile.BLOCKSIZE))
        self._file.write(self._gathered + self._press.flush())

    def let_go(self) -> None:
        """Write nothing any more."""
        self._file.let_go()

    def _put(self, data: bytes) -> None:
        self._gathered += self._press.compress(data)
        if len(self._gathered) >= _GATHERED:
            gathered, self._gathered = self._gathered, b""
            self._file.write(gathered)


def _header(name: bytes, found: os.stat_result, kind: bytes, link: bytes = b"") -> bytes:
    info = tarfile.TarInfo(os.fsdecode(name))
    info.type, info.mode, info.linkname = kind, stat.S_IMODE(found.st_mode) & 0o777, os.fsdecode(link)
    info.size = found.st_size if kind == tarfile.REGTYPE else 0
    # To the nanosecond; whose files they were is nobody's business.
    sign, whole = ("-", -found.st_mtime_ns) if found.st_mtime_ns < 0 else ("", found.st_mtime_ns)
    info.pax_headers = {"mtime": f"{sign}{whole // 10**9}.{whole % 10**9:09}"}
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


class _File:
    """The archive's file as those who write into it see it."""

    def __init__(self, syscalls: Syscalls, target: int) -> None:
        self._syscalls = syscalls
        self._target = target
        self._is_let_go = False
        self._at = 0

    def tell(self) -> int:
        """Where the next bytes go."""
        return self._at

    def seek(self, at: int, whence: int = 0) -> int:
        """Go on elsewhere."""
        self._at = at
        return at

    def write(self, data: bytes) -> int:
        """Write all of it."""
        if not self._is_let_go:
            write_at(self._syscalls, self._target, data, self._at)
        self._at += len(data)
        return len(data)

    def cut(self, at: int) -> None:
        """Nothing stands from here on."""
        self._syscalls.truncate(self._target, at)
        self._at = at

    def let_go(self) -> None:
        """Whatever is still written goes nowhere."""
        self._is_let_go = True

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """The descriptor belongs to somebody else."""
