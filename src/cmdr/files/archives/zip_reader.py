"""Reads zip archives: the central directory, and the contents of each member, checked against what it says."""

import stat
import struct
import time
import zlib
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cmdr.files.archives.archive_file import (
    CUT_SHORT,
    MAX_LINK_BYTES,
    MAX_NAME_BYTES,
    ArchiveBytes,
    BadArchive,
    Check,
    Entry,
    clamped_time_ns,
)
from cmdr.files.archives.decompression import bzip2, decompressed, raw_deflate
from cmdr.model.plans.plan_item import Kind, Member

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES = 20
_ENTRY = struct.Struct("<4s4B4HL2L5H2L")
_LOCAL = struct.Struct("<4s5HL2L2H")
_LOCAL_MAGIC = b"PK\3\4"
_STORED, _DEFLATED, _BZIP2 = 0, 8, 12
_UNIX = (3, 19)
_ENCRYPTED, _IS_UTF8 = 0x1, 0x800
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFFFFFF
_ZIP64, _TIMES, _UNICODE_NAME = 0x0001, 0x5455, 0x7075
_OVERLAPPING = "its members lie over each other, as only an archive does that was made to deceive"
_DECODERS = {_DEFLATED: raw_deflate, _BZIP2: bzip2}


class Directory(NamedTuple):
    """Where the list is."""

    at: int
    size: int
    begin: int
    """Where the archive itself begins: something else may stand before it."""


def find_directory(archive: ArchiveBytes) -> Directory:
    """Find the list."""
    tail_at = max(0, archive.size - _END.size - _FULL_16)
    tail = archive.exactly(archive.size - tail_at, tail_at)
    place = tail.rfind(b"PK\5\6")
    while place >= 0 and len(tail) - place < _END.size:
        place = tail.rfind(b"PK\5\6", 0, place)
    if place < 0:
        raise BadArchive(CUT_SHORT)
    _, disk, first_disk, _, count, size, offset, _ = _END.unpack_from(tail, place)
    end = tail_at + place
    if (disk, first_disk) not in ((0, 0), (_FULL_16, _FULL_16)):
        raise BadArchive("it is one part of several, and cmdr unpacks only whole ones")
    if _FULL_16 in (count, disk) or _FULL_32 in (size, offset):
        end_64 = end - _LOCATOR_BYTES - _END_64.size
        if end_64 >= 0 and archive.exactly(4, end_64) == b"PK\6\6":
            *_, size, offset = _END_64.unpack(archive.exactly(_END_64.size, end_64))
            end = end_64
    begin = end - size - offset
    if begin < 0:
        raise BadArchive(CUT_SHORT)
    return Directory(begin + offset, size, begin)


def read_directory(archive: ArchiveBytes, at: Directory, link: Callable[[Member], bytes]) -> Iterator[Entry]:
    """Every entry; at the end it is clear whether they lie side by side. `link` reads what a symbolic link says."""
    begins, ends = array("q"), array("q")
    here, end = at.at, at.at + at.size
    while here < end:
        row = _ENTRY.unpack(archive.exactly(_ENTRY.size, here))
        if row[0] != b"PK\1\2":
            raise BadArchive("its list is damaged")
        name_size, extra_size, comment_size = row[12:15]
        raw = archive.exactly(min(name_size, MAX_NAME_BYTES), here + _ENTRY.size)
        extra = _extra(archive.exactly(extra_size, here + _ENTRY.size + name_size))
        entry = _entry(row, raw, extra, at.begin)
        if entry.member.at + _LOCAL.size + name_size + entry.member.packed > at.at:
            raise BadArchive(_OVERLAPPING)
        begins.append(entry.member.at)
        ends.append(entry.member.at + _LOCAL.size + name_size + entry.member.packed)
        if name_size > MAX_NAME_BYTES:
            entry = entry._replace(wrong="its name is longer than any name may be")
        elif entry.kind is Kind.LINK and not entry.wrong:
            entry = _with_link(entry, link)
        yield entry
        here += _ENTRY.size + name_size + extra_size + comment_size
    _check_no_overlap(begins, ends)


def _check_no_overlap(begins: "array[int]", ends: "array[int]") -> None:
    before = -1
    for number in sorted(range(len(begins)), key=begins.__getitem__):
        if begins[number] < before:
            raise BadArchive(_OVERLAPPING)
        before = ends[number]


def _with_link(entry: Entry, link: Callable[[Member], bytes]) -> Entry:
    try:
        return entry._replace(member=entry.member._replace(link=link(entry.member)))
    except BadArchive as problem:
        return entry._replace(wrong=f"a link that cannot be read: {problem}")


def _entry(row: tuple[int, ...], raw: bytes, extra: dict[int, bytes], begin: int) -> Entry:
    _, _, system, _, _, flags, method, clock, date, check, packed, size, *_, external, offset = row
    if _ZIP64 in extra:
        size, packed, offset = _large(extra[_ZIP64], size, packed, offset)
    is_unix = system in _UNIX
    name = _name(raw, extra, is_utf8=bool(flags & _IS_UTF8), is_unix=is_unix)
    mode = external >> 16 if is_unix else 0
    kind = _kind(mode, is_folder=name.endswith(b"/") or (not is_unix and bool(external & 0x10)))
    wrong = ""
    if flags & _ENCRYPTED:
        wrong = "it is encrypted, and cmdr cannot open it"
    elif kind is Kind.FILE and method not in (_STORED, _DEFLATED, _BZIP2):
        wrong = "it is packed in a way that cmdr does not know"
    when = _when(extra.get(_TIMES, b""), clock, date)
    member = Member(name, begin + offset, size, packed, method, check, when)
    return Entry(kind, member, mode & 0o777 if mode else None, wrong=wrong)


def _kind(mode: int, *, is_folder: bool) -> Kind:
    if is_folder:
        return Kind.FOLDER
    kinds = {0: Kind.FILE, stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.FOLDER, stat.S_IFLNK: Kind.LINK}
    return kinds.get(stat.S_IFMT(mode), Kind.SPECIAL)


def _name(raw: bytes, extra: dict[int, bytes], *, is_utf8: bool, is_unix: bool) -> bytes:
    """The name as bytes of this system: what others wrote in their old alphabet becomes text, ours stays as it is."""
    data = extra.get(_UNICODE_NAME, b"")
    if len(data) > 5 and data[0] == 1 and struct.unpack_from("<L", data, 1)[0] == zlib.crc32(raw):
        return data[5:]
    if is_unix or is_utf8:
        return raw if is_unix else raw.replace(b"\\", b"/")
    return raw.decode("cp437").encode().replace(b"\\", b"/")


def _extra(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<2H", data, at)
        found.setdefault(kind, data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def _large(data: bytes, *numbers: int) -> list[int]:
    """The numbers that did not fit into their fields."""
    found, at = [], 0
    for short in numbers:
        number = short
        if short == _FULL_32 and at + 8 <= len(data):
            number = struct.unpack_from("<Q", data, at)[0]
            at += 8
        if number >= 1 << 62:
            raise BadArchive("its list is damaged")
        found.append(number)
    return found


def _when(times: bytes, clock: int, date: int) -> int | None:
    if len(times) >= 5 and times[0] & 1:
        return clamped_time_ns(struct.unpack_from("<l", times, 1)[0] * 10**9)
    day, month, year = date & 0x1F, date >> 5 & 0xF, (date >> 9) + 1980
    if not (day and 1 <= month <= 12):
        return None
    parts = (year, month, day, clock >> 11, clock >> 5 & 0x3F, (clock & 0x1F) * 2, 0, 0, -1)
    try:
        return clamped_time_ns(int(time.mktime(parts)) * 10**9)
    except (OverflowError, ValueError):  # pragma: no cover - systems whose clocks end earlier
        return None


class ZipArchive:
    """An open zip."""

    def __init__(self, archive: ArchiveBytes) -> None:
        self._bytes = archive
        self._directory = find_directory(archive)

    def entries(self, check: Check) -> Iterator[Entry]:
        """Everything in its list."""
        for entry in read_directory(self._bytes, self._directory, self._link):
            check()
            yield entry

    def contents(self, member: Member, check: Check) -> Iterator[bytes]:
        """What a member holds; an error where that is more, less or something else than the list says."""
        head = _LOCAL.unpack(self._bytes.exactly(_LOCAL.size, member.at))
        if head[0] != _LOCAL_MAGIC:
            raise BadArchive("it is not where the list says")
        begin = member.at + _LOCAL.size + head[-2] + head[-1]
        chunks = self._bytes.chunks(begin, member.packed)
        if member.method in _DECODERS and member.packed:
            chunks = decompressed(chunks, _DECODERS[member.method])
        size = crc = 0
        for chunk in chunks:
            check()
            size += len(chunk)
            if size > member.size:
                raise BadArchive("it holds more than the list says")
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if size < member.size:
            raise BadArchive(CUT_SHORT)
        if crc != member.check:
            raise BadArchive("its contents are damaged")

    def _link(self, member: Member) -> bytes:
        if member.size > MAX_LINK_BYTES:
            raise BadArchive("it says too much")
        return b"".join(self.contents(member, _no_check))


def _no_check() -> None:
    """What a link says is short."""
