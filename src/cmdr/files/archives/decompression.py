"""Decompresses deflate, gzip, bzip2 and xz in chunks: never more in memory than one, however much comes of it."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from cmdr.files.archives.archive_file import CHUNK_BYTES, CUT_SHORT, BadArchive

_MAX_DECODER_BYTES = 256 << 20
"""What an archive may make its decoder take."""
_DAMAGED = "its contents are damaged"


class Decoder(Protocol):
    """What turns compressed bytes into plain ones."""

    @property
    def eof(self) -> bool:
        """Whether the compressed bytes have come to their own end."""

    @property
    def unused_data(self) -> bytes:
        """What came behind that end."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing more comes of what was given."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most so many plain bytes."""


class _Deflated:
    """Deflate, with the manners of the other decoders."""

    def __init__(self, window: int) -> None:
        self._inner = zlib.decompressobj(window)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        made = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(made) < max_length and not self._inner.unconsumed_tail
        return made


def raw_deflate() -> Decoder:
    """As zip packs."""
    return _Deflated(-zlib.MAX_WBITS)


def gzip() -> Decoder:
    """As gzip packs; its own check of the contents is made at the end."""
    return _Deflated(16 + zlib.MAX_WBITS)


def bzip2() -> Decoder:
    """As bzip2 packs."""
    return bz2.BZ2Decompressor()


def xz() -> Decoder:
    """As xz packs."""
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_DECODER_BYTES)


def decompressed(chunks: Iterator[bytes], make: Callable[[], Decoder], again: bytes = b"") -> Iterator[bytes]:
    """The plain bytes; where a further stream begins behind the first, by the bytes given, it goes on with that."""
    decoder, given = make(), b""
    while True:
        if decoder.needs_input and not given:
            given = next(chunks, b"")
            if not given:
                raise BadArchive(CUT_SHORT)
        try:
            made = decoder.decompress(given, CHUNK_BYTES)
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError) as problem:
            raise BadArchive(_DAMAGED) from problem
        given = b""
        if made:
            yield made
        if decoder.eof:
            given = _next_stream(decoder.unused_data, chunks, again)
            if not given:
                return
            decoder = make()


def _next_stream(left: bytes, chunks: Iterator[bytes], begin: bytes) -> bytes:
    """What is there of a further stream, or nothing; zeros between two are no more than that."""
    if not begin:
        return b""
    left = left.lstrip(b"\0")
    while len(left) < len(begin) and (chunk := next(chunks, b"")):
        left = (left + chunk).lstrip(b"\0")
    return left if left.startswith(begin) else b""
