"""The list at the end of a zip: where it is, and one entry after the other, however many there are."""

import stat
import struct
import time
import zlib
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cmdr.files.archives.bytes_of import CUT_SHORT, Bytes
from cmdr.files.archives.entry import LONGEST_NAME, BadArchive, Entry, moment
from cmdr.model.plans.member import Member
from cmdr.model.plans.plan_item import Kind

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = 20
_ROW = struct.Struct("<4s4B4HL2L5H2L")
LOCAL = struct.Struct("<4s5HL2L2H")
LOCAL_MARK = b"PK\3\4"
STORED, DEFLATED, BZIP2 = 0, 8, 12
_UNIX = (3, 19)
_ENCRYPTED, _IS_UTF8 = 0x1, 0x800
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFFFFFF
_ZIP64, _TIMES, _UNICODE_NAME = 0x0001, 0x5455, 0x7075
_OVERLAP = "its members lie over each other, as only an archive does that was made to deceive"


class Directory(NamedTuple):
    """Where the list is."""

    at: int
    size: int
    begin: int
    """Where the archive itself begins: something else may stand before it."""


def directory(archive: Bytes) -> Directory:
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
        end_64 = end - _LOCATOR - _END_64.size
        if end_64 >= 0 and archive.exactly(4, end_64) == b"PK\6\6":
            *_, size, offset = _END_64.unpack(archive.exactly(_END_64.size, end_64))
            end = end_64
    begin = end - size - offset
    if begin < 0:
        raise BadArchive(CUT_SHORT)
    return Directory(begin + offset, size, begin)


def listed(archive: Bytes, at: Directory, link: Callable[[Member], bytes]) -> Iterator[Entry]:
    """Every entry; at the end it is clear whether they lie side by side. `link` reads what a symbolic link says."""
    begins, ends = array("q"), array("q")
    here, end = at.at, at.at + at.size
    while here < end:
        row = _ROW.unpack(archive.exactly(_ROW.size, here))
        if row[0] != b"PK\1\2":
            raise BadArchive("its list is damaged")
        name_size, extra_size, comment_size = row[12:15]
        raw = archive.exactly(min(name_size, LONGEST_NAME), here + _ROW.size)
        extra = _extra(archive.exactly(extra_size, here + _ROW.size + name_size))
        entry = _entry(row, raw, extra, at.begin)
        if entry.member.at + LOCAL.size + name_size + entry.member.packed > at.at:
            raise BadArchive(_OVERLAP)
        begins.append(entry.member.at)
        ends.append(entry.member.at + LOCAL.size + name_size + entry.member.packed)
        if name_size > LONGEST_NAME:
            entry = entry._replace(wrong="its name is longer than any name may be")
        elif entry.kind is Kind.LINK and not entry.wrong:
            entry = _with_link(entry, link)
        yield entry
        here += _ROW.size + name_size + extra_size + comment_size
    _must_lie_side_by_side(begins, ends)


def _must_lie_side_by_side(begins: "array[int]", ends: "array[int]") -> None:
    before = -1
    for number in sorted(range(len(begins)), key=begins.__getitem__):
        if begins[number] < before:
            raise BadArchive(_OVERLAP)
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
    elif kind is Kind.FILE and method not in (STORED, DEFLATED, BZIP2):
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
    told = extra.get(_UNICODE_NAME, b"")
    if len(told) > 5 and told[0] == 1 and struct.unpack_from("<L", told, 1)[0] == zlib.crc32(raw):
        return told[5:]
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


def _large(told: bytes, *numbers: int) -> list[int]:
    """The numbers that did not fit into their fields."""
    found, at = [], 0
    for short in numbers:
        number = short
        if short == _FULL_32 and at + 8 <= len(told):
            number = struct.unpack_from("<Q", told, at)[0]
            at += 8
        if number >= 1 << 62:
            raise BadArchive("its list is damaged")
        found.append(number)
    return found


def _when(times: bytes, clock: int, date: int) -> int | None:
    if len(times) >= 5 and times[0] & 1:
        return moment(struct.unpack_from("<l", times, 1)[0] * 10**9)
    day, month, year = date & 0x1F, date >> 5 & 0xF, (date >> 9) + 1980
    if not (day and 1 <= month <= 12):
        return None
    parts = (year, month, day, clock >> 11, clock >> 5 & 0x3F, (clock & 0x1F) * 2, 0, 0, -1)
    try:
        return moment(int(time.mktime(parts)) * 10**9)
    except (OverflowError, ValueError):  # pragma: no cover - systems whose clocks end earlier
        return None
