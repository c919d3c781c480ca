"""What all archive readers share: the bytes of an archive, its entries, how each format begins, and the error."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cmdr.model.plans.plan_item import Kind, Member

MAX_NAME_BYTES = 4096
"""No system takes a longer path; what is longer is not even looked at."""
MAX_LINK_BYTES = 4095
LATEST_NS = 253_402_300_799 * 10**9
"""The last second of the year 9999: no archive needs a later one."""
CHUNK_BYTES = 1 << 18
"""Bytes that are read together."""
HEAD_BYTES = 512
"""How much of a file `looks_like_archive` asks for."""
CUT_SHORT = "it ends in the middle: it is cut short, or damaged"
ZIP_MAGIC = (b"PK\3\4", b"PK\5\6", b"PK\6\6")
GZIP_MAGIC, BZIP2_MAGIC, XZ_MAGIC = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
_PAGE_BYTES = 1 << 16

Read = Callable[[int, int], bytes]
"""So many bytes from an offset on; may give fewer, and nothing at the end."""
Check = Callable[[], None]
"""Called often while an archive is gone through; raises to stop."""


class BadArchive(Exception):
    """An archive, or a member of it, that is not what it should be; the text says what is wrong with it."""


class Entry(NamedTuple):
    """A member as the archive's list tells of it, and what it would become."""

    kind: Kind
    member: Member
    mode: int | None = None
    """Permission bits, where the archive has them."""
    twin: bytes | None = None
    """The name of the member that this is a hard link to."""
    wrong: str = ""
    """Why it cannot be unpacked, whatever its name."""


class ArchiveBytes:
    """An open archive as a row of bytes."""

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        self.size = size
        self._page = (0, b"")

    def exactly(self, count: int, at: int) -> bytes:
        """So many bytes from an offset on; raises `BadArchive` where there are fewer."""
        begin, page = self._page
        if not begin <= at <= at + count <= begin + len(page):
            begin, page = self._page = at, b"".join(self._chunks(at, at + max(count, _PAGE_BYTES), None))
        found = page[at - begin : at - begin + count]
        if len(found) != count:
            raise BadArchive(CUT_SHORT)
        return found

    def chunks(self, at: int, count: int | None = None) -> Iterator[bytes]:
        """A stretch in chunks, or all from an offset on; shorter where the archive ends."""
        end = self.size if count is None else min(self.size, at + count)
        return self._chunks(at, end, CHUNK_BYTES)

    def _chunks(self, at: int, end: int, most: int | None) -> Iterator[bytes]:
        while at < end and (chunk := self._read(min(most or end - at, end - at), at)):
            yield chunk
            at += len(chunk)


def looks_like_archive(head: bytes) -> bool:
    """Whether a file may be an archive that can be read, as far as its first bytes tell."""
    return head.startswith((*ZIP_MAGIC, GZIP_MAGIC, BZIP2_MAGIC, XZ_MAGIC)) or head[257:262] == b"ustar"


def clamped_time_ns(nanoseconds: int) -> int:
    """A time that any file system can be asked to keep."""
    return max(0, min(nanoseconds, LATEST_NS))
