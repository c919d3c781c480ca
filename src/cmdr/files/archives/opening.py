"""Opens an archive of any known format, told by its contents and never by its name."""

from collections.abc import Iterator
from typing import Protocol

from cmdr.files.archives.archive_file import (
    BZIP2_MAGIC,
    GZIP_MAGIC,
    XZ_MAGIC,
    ZIP_MAGIC,
    ArchiveBytes,
    BadArchive,
    Check,
    Entry,
    Read,
)
from cmdr.files.archives.decompression import bzip2, gzip, xz
from cmdr.files.archives.tar_reader import BLOCK_BYTES, TarArchive, TarStream, is_header
from cmdr.files.archives.zip_reader import ZipArchive
from cmdr.model.plans.plan_item import Member

KNOWN = "zip, tar, tar.gz, tar.bz2 and tar.xz"
_COMPRESSED = {GZIP_MAGIC: gzip, BZIP2_MAGIC: bzip2, XZ_MAGIC: xz}
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
        """What a member holds, in chunks; never more than its list says."""


def open_archive(read: Read, size: int) -> Archive:
    """The archive that some bytes are."""
    archive = ArchiveBytes(read, size)
    head = archive.exactly(min(size, BLOCK_BYTES), 0)
    for magic, other in _OTHERS.items():
        if head.startswith(magic):
            raise BadArchive(f"cmdr cannot unpack {other}; it knows {KNOWN}")
    if head.startswith(ZIP_MAGIC):
        return ZipArchive(archive)
    for magic, decoder in _COMPRESSED.items():
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
    while len(block) < BLOCK_BYTES and (chunk := stream.take(BLOCK_BYTES - len(block))):
        block += chunk
    return len(block) == BLOCK_BYTES and is_header(block)
