"""Reads tar archives, compressed or not: their members in the order in which they lie there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from cmdr.files.archives.archive_file import (
    CHUNK_BYTES,
    CUT_SHORT,
    MAX_LINK_BYTES,
    MAX_NAME_BYTES,
    ArchiveBytes,
    BadArchive,
    Check,
    Entry,
    clamped_time_ns,
)
from cmdr.files.archives.decompression import Decoder, decompressed
from cmdr.model.plans.plan_item import Kind, Member

BLOCK_BYTES = 512
MAX_MEMBER_BYTES = 1 << 60
_DAMAGED = "a header in it is damaged"
_DECIMAL = re.compile(rb"(-?)(\d{1,12})(?:\.(\d*))?$")
_PAX_LENGTH = re.compile(rb"(\d{1,7}) ")
_MAX_LONG_TEXT_BYTES = 1 << 20
"""For the long names and pax records before a member; a name takes a few thousand bytes at most."""
_TRAILER_BYTES = 1 << 20
"""What is read behind the last member, so that a compressed archive can check its own contents."""
_KINDS = {
    **dict.fromkeys((b"0", b"\0", b"7", b"1"), Kind.FILE),
    **dict.fromkeys((b"3", b"4", b"6"), Kind.SPECIAL),
    b"2": Kind.LINK,
    b"5": Kind.FOLDER,
}
_HARD_LINK, _SPARSE, _LONG_NAME, _LONG_LINK = b"1", b"S", b"L", b"K"
_PAX, _PAX_GLOBAL = (b"x", b"X"), b"g"
_EMPTY = bytes(BLOCK_BYTES)


class TarStream:
    """Where one is in a tar. A plain one is jumped about in; a compressed one must be gone through."""

    def __init__(self, archive: ArchiveBytes, decoder: Callable[[], Decoder] | None = None, magic: bytes = b"") -> None:
        self._bytes = archive
        self._decoder = decoder
        self._magic = magic
        self._chunks: Iterator[bytes] = iter(())
        self._left = b""
        self.at = 0
        self._restart(0)

    def take(self, most: int) -> bytes:
        """The next bytes, as many as are at hand; nothing at the end."""
        if not self._left:
            self._left = next(self._chunks, b"")
        taken, self._left = self._left[:most], self._left[most:]
        self.at += len(taken)
        return taken

    def exactly(self, count: int) -> bytes:
        """The next so many bytes."""
        found: list[bytes] = []
        while count and (chunk := self.take(count)):
            found.append(chunk)
            count -= len(chunk)
        if count:
            raise BadArchive(CUT_SHORT)
        return b"".join(found)

    def seek(self, to: int, check: Check) -> None:
        """To a place; each chunk on the way is a step before which one may be stopped."""
        if self._decoder is None:
            if to > self._bytes.size:
                raise BadArchive(CUT_SHORT)
            if not self.at <= to <= self.at + len(self._left):
                self._restart(to)
        elif to < self.at:
            self._restart(0)
        while self.at < to:
            check()
            if not self.take(min(CHUNK_BYTES, to - self.at)):
                raise BadArchive(CUT_SHORT)

    def _restart(self, at: int) -> None:
        self.at, self._left = at, b""
        if self._decoder is None:
            self._chunks = self._bytes.chunks(at)
        else:
            self._chunks = decompressed(self._bytes.chunks(0), self._decoder, self._magic)


@dataclass(slots=True)
class Overrides:
    """What stands before a member and counts more than its header: GNU long names and pax records."""

    name: bytes | None = None
    link: bytes | None = None
    records: dict[bytes, bytes] = field(default_factory=dict)


def is_header(block: bytes) -> bool:
    """Whether a block is a header, by the sum that it keeps of itself."""
    try:
        stated = header_number(block[148:156])
    except BadArchive:
        return False
    plain = block[:148] + b" " * 8 + block[156:]
    return stated in (sum(plain), sum(byte - 256 if byte > 127 else byte for byte in plain))


def header_number(field_: bytes) -> int:
    """A number in a header: octal digits, or bytes in a row for large ones."""
    if field_[:1] == b"\x80":
        return int.from_bytes(field_[1:], "big")
    digits = field_.split(b"\0", 1)[0].strip()
    if not digits:
        return 0
    try:
        return int(digits, 8) if digits.isdigit() else _damaged()
    except ValueError:
        return _damaged()


def header_text(field_: bytes) -> bytes:
    """A name in a header."""
    return field_.split(b"\0", 1)[0]


def header_name(block: bytes) -> bytes:
    """The name in a header, both parts of it."""
    name, before = header_text(block[:100]), header_text(block[345:500])
    return before + b"/" + name if before and block[257:263] == b"ustar\0" else name


def header_mtime_ns(block: bytes, records: dict[bytes, bytes]) -> int | None:
    """When the member was changed last, as exactly as is told; None where it is not told in a known way."""
    stated = _DECIMAL.match(records.get(b"mtime", b""))
    if stated is not None:
        sign, whole, part = stated.groups(b"")
        return 0 if sign else clamped_time_ns(int(whole) * 10**9 + int((part + b"0" * 9)[:9]))
    try:
        return clamped_time_ns(header_number(block[136:148]) * 10**9)
    except BadArchive:
        return None


def parse_pax_records(data: bytes) -> dict[bytes, bytes]:
    """The records of a pax header: each says how long it is, what it is about, and what it says."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(data) and data[at]:
        stated = _PAX_LENGTH.match(data, at)
        size = int(stated[1]) if stated is not None else 0
        record = data[at : at + size]
        if stated is None or at + size > len(data) or size <= len(stated[0]) or not record.endswith(b"\n"):
            raise BadArchive(_DAMAGED)
        key, _, value = record[len(stated[0]) : -1].partition(b"=")
        found[key] = value
        at += size
    return found


def member_size(block: bytes, records: dict[bytes, bytes]) -> int:
    """How much a member holds."""
    stated = records.get(b"size")
    if stated is not None and not (stated.isdigit() and len(stated) < 20):
        return _damaged()
    size = header_number(block[124:136]) if stated is None else int(stated)
    return size if size <= MAX_MEMBER_BYTES else _damaged()


def _damaged() -> int:
    raise BadArchive(_DAMAGED)


class TarArchive:
    """An open tar."""

    def __init__(self, stream: TarStream) -> None:
        self._stream = stream

    def entries(self, check: Check) -> Iterator[Entry]:
        """Everything in it; a compressed one is gone through for that."""
        stream, overrides, global_records = self._stream, Overrides(), dict[bytes, bytes]()
        stream.seek(0, check)
        while (block := self._header()) is not None:
            kind = block[156:157]
            if kind in (_LONG_NAME, _LONG_LINK, *_PAX, _PAX_GLOBAL):
                said = self._long_text(block)
                match kind:
                    case b"L":
                        overrides = replace(overrides, name=header_text(said))
                    case b"K":
                        overrides = replace(overrides, link=header_text(said))
                    case b"g":
                        global_records |= parse_pax_records(said)
                    case _:
                        overrides = replace(overrides, records=parse_pax_records(said))
                continue
            records = {**global_records, **overrides.records}
            entry, holds = self._entry(block, kind, replace(overrides, records=records))
            overrides = Overrides()
            behind = stream.at + _blocks(holds)
            yield entry
            stream.seek(behind, check)
        end = stream.at + _TRAILER_BYTES
        while stream.at < end and stream.take(CHUNK_BYTES):
            check()

    def contents(self, member: Member, check: Check) -> Iterator[bytes]:
        """What a member holds."""
        self._stream.seek(member.at, check)
        left = member.size
        while left:
            chunk = self._stream.take(min(CHUNK_BYTES, left))
            if not chunk:
                raise BadArchive(CUT_SHORT)
            left -= len(chunk)
            yield chunk

    def _header(self) -> bytes | None:
        first = self._stream.take(BLOCK_BYTES)
        if not first:
            return None  # some programs leave out the empty blocks at the end
        block = first + self._stream.exactly(BLOCK_BYTES - len(first))
        if block == _EMPTY:
            return None
        if not is_header(block):
            raise BadArchive(_DAMAGED)
        return block

    def _long_text(self, block: bytes) -> bytes:
        size = header_number(block[124:136])
        if size > _MAX_LONG_TEXT_BYTES:
            raise BadArchive("it has names longer than any name may be")
        return self._stream.exactly(_blocks(size))[:size]

    def _entry(self, block: bytes, kind: bytes, overrides: Overrides) -> tuple[Entry, int]:
        """A member, and how many bytes belong to it."""
        records = overrides.records
        wrong = "" if kind in _KINDS else "it is of a kind that cmdr does not know"
        if kind == _SPARSE or any(key.startswith(b"GNU.sparse") for key in records):
            wrong = "it is a file with holes, written in a way that cmdr does not know"
        if kind == _SPARSE:
            goes_on = block[482]
            while goes_on:
                goes_on = self._stream.exactly(BLOCK_BYTES)[504]
        name = records.get(b"path") or overrides.name or header_name(block)
        link = records.get(b"linkpath") or overrides.link or header_text(block[157:257])
        what = _KINDS.get(kind, Kind.SPECIAL)
        has_contents = kind not in _KINDS or (what is Kind.FILE and kind != _HARD_LINK)
        size = member_size(block, records) if has_contents else 0
        if what is Kind.FILE and has_contents and name.endswith(b"/"):
            # As old programs wrote folders; whatever it holds is gone over.
            what = Kind.FOLDER
        if len(name) > MAX_NAME_BYTES or len(link) > MAX_LINK_BYTES:
            wrong, name, link = "its name is longer than any name may be", name[:MAX_NAME_BYTES], b""
        target = link if what is Kind.LINK else b""
        member = Member(name, self._stream.at, size, size, mtime_ns=header_mtime_ns(block, records), link=target)
        twin = link if kind == _HARD_LINK else None
        return Entry(what, member, _mode(block), twin, wrong), size


def _blocks(size: int) -> int:
    return -(-size // BLOCK_BYTES) * BLOCK_BYTES


def _mode(block: bytes) -> int | None:
    try:
        return header_number(block[100:108]) & 0o777
    except BadArchive:
        return None
