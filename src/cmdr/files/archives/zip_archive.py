"""A zip: its list, and the contents of each member, checked against what the list says."""

import zlib
from collections.abc import Iterator

from cmdr.files.archives.bytes_of import CUT_SHORT, Bytes, Check
from cmdr.files.archives.entry import LONGEST_LINK, BadArchive, Entry
from cmdr.files.archives.unpressed import bzip2, raw_deflate, unpressed
from cmdr.files.archives.zip_list import BZIP2, DEFLATED, LOCAL, LOCAL_MARK, directory, listed
from cmdr.model.plans.member import Member

_DECODERS = {DEFLATED: raw_deflate, BZIP2: bzip2}


class ZipArchive:
    """An open zip."""

    def __init__(self, archive: Bytes) -> None:
        self._bytes = archive
        self._directory = directory(archive)

    def entries(self, check: Check) -> Iterator[Entry]:
        """Everything in its list."""
        for entry in listed(self._bytes, self._directory, self._link):
            check()
            yield entry

    def contents(self, member: Member, check: Check) -> Iterator[bytes]:
        """What a member holds; an error where that is more, less or something else than the list says."""
        head = LOCAL.unpack(self._bytes.exactly(LOCAL.size, member.at))
        if head[0] != LOCAL_MARK:
            raise BadArchive("it is not where the list says")
        begin = member.at + LOCAL.size + head[-2] + head[-1]
        pieces = self._bytes.pieces(begin, member.packed)
        if member.method in _DECODERS and member.packed:
            pieces = unpressed(pieces, _DECODERS[member.method])
        size = crc = 0
        for piece in pieces:
            check()
            size += len(piece)
            if size > member.size:
                raise BadArchive("it holds more than the list says")
            crc = zlib.crc32(piece, crc)
            yield piece
        if size < member.size:
            raise BadArchive(CUT_SHORT)
        if crc != member.check:
            raise BadArchive("its contents are damaged")

    def _link(self, member: Member) -> bytes:
        if member.size > LONGEST_LINK:
            raise BadArchive("it says too much")
        return b"".join(self.contents(member, _go_on))


def _go_on() -> None:
    """What a link says is short."""
