"""Which kind of archive a file is, by what it holds; its name is not asked."""

from collections.abc import Iterator
from typing import Protocol

from cmdr.files.archives.bytes_of import Bytes, Check, Read
from cmdr.files.archives.entry import BadArchive, Entry
from cmdr.files.archives.magic import BZIP2, GZIP, XZ, ZIP
from cmdr.files.archives.tar_archive import TarArchive
from cmdr.files.archives.tar_header import BLOCK, is_header
from cmdr.files.archives.tar_stream import TarStream
from cmdr.files.archives.unpressed import bzip2, gzip, xz
from cmdr.files.archives.zip_archive import ZipArchive
from cmdr.model.plans.member import Member

KNOWN = "zip, tar, tar.gz, tar.bz2 and tar.xz"
_PRESSED = {GZIP: gzip, BZIP2: bzip2, XZ: xz}
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\x28\xb5\x2f\xfd": "zst",
    b"\x1f\x9d": "Z",
    b"\x04\x22\x4d\x18": "lz4",
}


class Archive(Protocol):
    """An open archive."""

    def entries(self, check: Check) -> Iterator[Entry]:
        """Everything in it."""

    def contents(self, member: Member, check: Check) -> Iterator[bytes]:
        """What a member holds, in pieces; never more than its list says."""


def open_archive(read: Read, size: int) -> Archive:
    """The archive that some bytes are."""
    archive = Bytes(read, size)
    head = archive.exactly(min(size, BLOCK), 0)
    for magic, other in _OTHERS.items():
        if head.startswith(magic):
            raise BadArchive(f"cmdr cannot unpack {other}; it knows {KNOWN}")
    if head.startswith(ZIP):
        return ZipArchive(archive)
    for magic, decoder in _PRESSED.items():
        if head.startswith(magic):
            stream = TarStream(archive, decoder, magic)
            if not _begins_a_tar(stream):
                raise BadArchive("it is one packed file, not an archive of several")
            return TarArchive(stream)
    if _begins_a_tar(plain := TarStream(archive)):
        return TarArchive(plain)
    try:
        # Something else may stand before a zip, such as the program that unpacks it.
        return ZipArchive(archive)
    except BadArchive:
        raise BadArchive(f"it is not an archive that cmdr knows: {KNOWN}") from None


def _begins_a_tar(stream: TarStream) -> bool:
    block = b""
    while len(block) < BLOCK and (piece := stream.take(BLOCK - len(block))):
        block += piece
    return len(block) == BLOCK and is_header(block)
