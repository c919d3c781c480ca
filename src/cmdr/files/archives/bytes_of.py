"""Reading an archive's own bytes: as many as were asked for, or an error that says what is wrong."""

from collections.abc import Callable, Iterator

from cmdr.files.archives.entry import BadArchive

PIECE = 1 << 18
"""Bytes that are looked at together."""
_PAGE = 1 << 16

Read = Callable[[int, int], bytes]
"""So many bytes from a place on; may give fewer, and nothing at the end."""

Check = Callable[[], None]
"""Called often while an archive is gone through; raises to stop."""

CUT_SHORT = "it ends in the middle: it is cut short, or damaged"


class Bytes:
    """An open archive as bytes in a row."""

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        self.size = size
        self._page = (0, b"")

    def exactly(self, count: int, at: int) -> bytes:
        """So many bytes from a place on."""
        begin, page = self._page
        if not begin <= at <= at + count <= begin + len(page):
            begin, page = self._page = at, self._from(max(count, _PAGE), at)
        found = page[at - begin : at - begin + count]
        if len(found) != count:
            raise BadArchive(CUT_SHORT)
        return found

    def pieces(self, at: int, count: int | None = None) -> Iterator[bytes]:
        """A stretch in pieces, or all from a place on; shorter where the archive ends."""
        end = self.size if count is None else min(self.size, at + count)
        while at < end and (piece := self._read(min(PIECE, end - at), at)):
            yield piece
            at += len(piece)

    def _from(self, count: int, at: int) -> bytes:
        found: list[bytes] = []
        while count > 0 and (piece := self._read(count, at)):
            found.append(piece)
            count, at = count - len(piece), at + len(piece)
        return b"".join(found)
