"""A file of any size in the viewer: nothing is read but what is shown, and lines are counted in the background.

Files are read with `pread`, not mapped: a mapped file that another program shortens would end this one with a signal.
"""

import os
import re
import stat
from array import array
from bisect import bisect_right
from collections.abc import Callable

from cmdr.files.archives.archive_file import HEAD_BYTES, looks_like_archive
from cmdr.files.errors import disk_error
from cmdr.files.viewing.text_search import find_back, find_forward, find_in_process

CHUNK_BYTES = 1 << 16
"""Newlines are counted for each piece of this size; a gigabyte takes sixteen thousand numbers."""
MAX_LINE_BYTES = 1 << 14
"""So much of a line is read at most."""
_MAX_RECODED_BYTES = 16 << 20
"""Files in two-byte encodings are turned into UTF-8 in memory, up to this size."""

ENCODINGS = ("utf-8", "latin-1", "cp1252", "cp437", "koi8-r", "shift_jis", "gb18030", "utf-16")


class NotViewable(Exception):
    """What cannot be looked into, and why."""


class ViewedFile:
    """An open file, its lines counted as far as `count_more` came."""

    def __init__(self, path: bytes) -> None:
        try:
            # A pipe would block here, and opening a device can do things.
            self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise disk_error(path, error) from error
        found = os.fstat(self._fd)
        if not stat.S_ISREG(found.st_mode):
            os.close(self._fd)
            raise NotViewable(
                "This is a folder." if stat.S_ISDIR(found.st_mode) else "Only ordinary files can be viewed."
            )
        self._memory: bytes | None = None
        self._list: bytes | None = None
        self.size = found.st_size
        self._forget_lines()
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        start = self.read(0, 4096)
        if not self.size and start:
            # Files in /proc say they are empty and are not.
            self._memory = start + self._rest(len(start))
            self.size = len(self._memory)
        self.encoding = guess_encoding(start)
        self.is_binary = b"\0" in start and self.encoding != "utf-16"
        if self.encoding == "utf-16":
            self.recode("utf-16")

    @property
    def is_list(self) -> bool:
        """Whether this is an archive, of which its list is shown."""
        return self._list is not None

    def show_list(self) -> None:
        """Show the list of what an archive holds in the place of its bytes, if this is one."""
        if looks_like_archive(self.read(0, HEAD_BYTES)):
            from cmdr.files.viewing.archive_list import list_text

            self._list = list_text(lambda count, at: self.read(at, count), self.size)
            self.as_bytes(False)

    def as_bytes(self, on: bool) -> None:
        """Show the bytes of an archive themselves, or its list again."""
        if self._list is not None:
            self._memory, self.size = (None, os.fstat(self._fd).st_size) if on else (self._list, len(self._list))
            self.encoding, self.is_binary = "utf-8", False
            self._forget_lines()

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def recode(self, encoding: str) -> None:
        """Read the text in another encoding from now on; a list is ours, and in ours."""
        if self._list is not None:
            return
        if encoding == "utf-16":
            data = self._pread(_MAX_RECODED_BYTES, 0)
            self._memory = data.decode("utf-16", "replace").encode()
            self.size = len(self._memory)
        elif self.encoding == "utf-16":
            self._memory = None
            self.size = os.fstat(self._fd).st_size
        self.encoding = encoding
        self._forget_lines()

    def read(self, offset: int, count: int) -> bytes:
        """Some bytes; fewer at the end."""
        if self._memory is not None:
            return self._memory[offset : offset + count]
        return self._pread(count, offset)

    def grow(self) -> bool:
        """Look whether the file became longer or shorter; whether it did."""
        if self._memory is not None:
            return False
        size = os.fstat(self._fd).st_size
        if size == self.size:
            return False
        if size < self._counted:
            self._forget_lines()
        else:
            # The last piece was counted while it was not whole.
            self._counted -= self._counted % CHUNK_BYTES
            del self._before[self._counted // CHUNK_BYTES + 1 :]
        self.size = size
        return True

    @property
    def is_counted(self) -> bool:
        """Whether all lines are counted."""
        return self._counted >= self.size

    @property
    def lines(self) -> int:
        """How many lines are known so far; a last line without its newline counts."""
        newlines = self._before[-1]
        return newlines + (1 if self.is_counted and self.size and self.read(self.size - 1, 1) != b"\n" else 0)

    def count_more(self, pieces: int = 256) -> bool:
        """Count lines a bit further; whether there is more to count."""
        for _ in range(pieces):
            if self.is_counted:
                return False
            piece = self.read(self._counted, CHUNK_BYTES)
            if not piece:
                self.size = self._counted
                return False
            self._before.append(self._before[-1] + piece.count(b"\n"))
            self._counted += len(piece)
        return not self.is_counted

    def offset_of(self, line: int) -> int | None:
        """Where a line begins, or None when it is not counted yet."""
        if line <= 0:
            return 0
        if line > self._before[-1]:
            return None
        piece = bisect_right(self._before, line - 1) - 1
        data = self.read(piece * CHUNK_BYTES, CHUNK_BYTES)
        place = -1
        for _ in range(line - self._before[piece]):
            place = data.find(b"\n", place + 1)
            if place < 0:
                return None  # the file changed under us
        return piece * CHUNK_BYTES + place + 1

    def line_at(self, offset: int) -> int:
        """The line a byte lies in, as far as counted."""
        piece = min(offset // CHUNK_BYTES, len(self._before) - 1)
        return self._before[piece] + self.read(piece * CHUNK_BYTES, max(0, offset - piece * CHUNK_BYTES)).count(b"\n")

    def text(self, first: int, count: int) -> list[str]:
        """Some lines as text; an over-long one is cut."""
        found: list[str] = []
        for line in range(max(0, first), first + count):
            start = self.offset_of(line)
            if start is None or start >= self.size:
                break
            data = self.read(start, MAX_LINE_BYTES)
            end = data.find(b"\n")
            data = data[:end] if end >= 0 else data
            encoding = "utf-8" if self._memory is not None else self.encoding
            text = data.decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
            found.append(text.removesuffix("\r") + (" …" if end < 0 and len(data) == MAX_LINE_BYTES else ""))
        return found

    def find(
        self, text: str, start: int, *, backwards: bool = False, regex: bool = False, stopped: Callable[[], bool] = bool
    ) -> tuple[int, int] | None:
        """Where a text or a regular expression is next: begin and end in bytes, or None."""
        pattern = _pattern(text, "utf-8" if self._memory is not None else self.encoding, regex=regex)
        if regex:
            source = self._fd if self._memory is None else self._memory
            return find_in_process(source, self.size, pattern, start, backwards=backwards, stopped=stopped)
        if backwards:
            return find_back(self.read, pattern, start, stopped)
        return find_forward(self.read, self.size, pattern, start, stopped)

    def _forget_lines(self) -> None:
        self._before = array("Q", [0])
        """How many newlines stand before each chunk."""
        self._counted = 0

    def _rest(self, offset: int) -> bytes:
        parts = []
        while len(part := self._pread(CHUNK_BYTES, offset)) and offset < _MAX_RECODED_BYTES:
            parts.append(part)
            offset += len(part)
        return b"".join(parts)

    def _pread(self, count: int, offset: int) -> bytes:
        try:
            return os.pread(self._fd, count, offset)
        except OSError as error:
            raise NotViewable(f"Cannot be read here: {error.strerror}.") from error


def guess_encoding(start: bytes) -> str:
    """UTF-16 by its mark, UTF-8 when it is valid, Western otherwise."""
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    # Only a piece of a longer file may end within a character.
    for cut in range(4 if len(start) >= 4096 else 1):
        try:
            start[: len(start) - cut].decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < len(start) - 4:
                break
        else:
            return "utf-8"
    return "utf-8" if b"\0" in start else "cp1252"


def _pattern(text: str, encoding: str, *, regex: bool) -> re.Pattern[bytes]:
    raw = text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
    case = re.IGNORECASE if text == text.lower() else 0
    try:
        return re.compile(raw if regex else re.escape(raw), case | re.MULTILINE)
    except re.error as error:
        raise NotViewable(f"Not a regular expression: {error}.") from error
