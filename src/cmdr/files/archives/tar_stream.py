"""The bytes of a tar, pressed or not, as something that is read forwards and may be begun anew."""

from collections.abc import Callable, Iterator

from cmdr.files.archives.bytes_of import CUT_SHORT, PIECE, Bytes, Check
from cmdr.files.archives.entry import BadArchive
from cmdr.files.archives.unpressed import Decoder, unpressed


class TarStream:
    """Where one is in a tar. A plain one is jumped about in; a pressed one must be gone through."""

    def __init__(self, archive: Bytes, make: Callable[[], Decoder] | None = None, again: bytes = b"") -> None:
        self._bytes = archive
        self._make = make
        self._again = again
        self._pieces: Iterator[bytes] = iter(())
        self._left = b""
        self.at = 0
        self._begin(0)

    def take(self, most: int) -> bytes:
        """The next bytes, as many as are at hand; nothing at the end."""
        if not self._left:
            self._left = next(self._pieces, b"")
        taken, self._left = self._left[:most], self._left[most:]
        self.at += len(taken)
        return taken

    def exactly(self, count: int) -> bytes:
        """The next so many bytes."""
        found: list[bytes] = []
        while count and (piece := self.take(count)):
            found.append(piece)
            count -= len(piece)
        if count:
            raise BadArchive(CUT_SHORT)
        return b"".join(found)

    def go(self, to: int, check: Check) -> None:
        """To a place; each piece on the way is a step before which one may be stopped."""
        if self._make is None:
            if to > self._bytes.size:
                raise BadArchive(CUT_SHORT)
            if not self.at <= to <= self.at + len(self._left):
                self._begin(to)
        elif to < self.at:
            self._begin(0)
        while self.at < to:
            check()
            if not self.take(min(PIECE, to - self.at)):
                raise BadArchive(CUT_SHORT)

    def _begin(self, at: int) -> None:
        self.at, self._left = at, b""
        if self._make is None:
            self._pieces = self._bytes.pieces(at)
        else:
            self._pieces = unpressed(self._bytes.pieces(0), self._make, self._again)
